// speedscope's JSON: one profile of opened and closed frames for every thread and stream, all on the same time axis.
//
// Frames of a profile must nest. Spans that only overlap are dealt out to further profiles, which follow that of their track.
#include <algorithm>

#include "profile/trace_export.hpp"

namespace stepscope::profile {
namespace {

class SpeedscopeExport : public TraceExport {
 public:
  explicit SpeedscopeExport(ExportColumns columns) : TraceExport(std::move(columns)), frame_of_(columns_.names.size(), kUnused) {}

 protected:
  void begin(std::string& out) override {
    for (size_t row = 0; row < columns_.track.size(); ++row) {
      if (!is_written(row)) continue;
      first_ = any_ ? std::min(first_, start_of(row)) : start_of(row);
      last_ = any_ ? std::max(last_, end_of(row)) : end_of(row);
      any_ = true;
    }
    out += "{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\",\"exporter\":\"stepscope\",\"profiles\":[";
  }

  // The first lane of a track goes out as it is made; the others wait for its end, as they are rare.
  void write_span(std::string& out, size_t row) override {
    Lane& lane = lane_for(out, row);
    std::string& into = &lane == &lanes_.front() ? out : lane.events;
    const int32_t frame = frame_for(columns_.name[row]);
    put_event(into, lane, 'O', frame, start_of(row));
    lane.open.push_back({end_of(row), frame});
  }

  void end_track(std::string& out) override {
    for (size_t i = 0; i < lanes_.size(); ++i) {
      Lane& lane = lanes_[i];
      if (i == 0) {
        close(out, lane, INT64_MAX);
      } else {
        close(lane.events, lane, INT64_MAX);
        open_profile(out, lane.track, i);
        out += lane.events;
      }
      out += "]}";
    }
    lanes_.clear();
  }

  void write_counter(std::string&, size_t) override {}

  void finish(std::string& out) override {
    out += "],\n\"shared\":{\"frames\":[";
    for (size_t i = 0; i < frames_.size(); ++i) {
      out += i == 0 ? "\n{\"name\":" : ",\n{\"name\":";
      put_json_text(out, text(frames_[i]));
      out += '}';
    }
    out += "]}}\n";
  }

 private:
  static constexpr int32_t kUnused = -1;

  struct Open {
    int64_t end;
    int32_t frame;
  };

  struct Lane {
    size_t track = 0;
    bool any = false;
    std::vector<Open> open;  // the innermost last
    std::string events;
  };

  // The lane where the row nests; frames that are over by then are closed first.
  Lane& lane_for(std::string& out, size_t row) {
    const int64_t start = start_of(row), end = end_of(row);
    for (Lane& lane : lanes_) {
      close(&lane == &lanes_.front() ? out : lane.events, lane, start);
      if (lane.open.empty() || lane.open.back().end >= end) return lane;
    }
    const auto track = static_cast<size_t>(columns_.track[row]);
    if (lanes_.empty()) open_profile(out, track, 0);
    lanes_.push_back({.track = track, .any = false, .open = {}, .events = {}});
    return lanes_.back();
  }

  void close(std::string& out, Lane& lane, int64_t until) {
    while (!lane.open.empty() && lane.open.back().end <= until) {
      put_event(out, lane, 'C', lane.open.back().frame, lane.open.back().end);
      lane.open.pop_back();
    }
  }

  void open_profile(std::string& out, size_t track, size_t lane) {
    const Track& about = columns_.tracks[track];
    std::string name = about.process.empty() ? about.name : about.process + " / " + about.name;
    if (lane > 0) name += " (overlapping " + std::to_string(lane) + ")";
    out += profiles_++ == 0 ? "\n" : ",\n";
    out += "{\"type\":\"evented\",\"name\":";
    put_json_text(out, name);
    out += ",\"unit\":\"nanoseconds\",\"startValue\":0,\"endValue\":";
    put_time(out, last_);
    out += ",\"events\":[";
  }

  void put_event(std::string& out, Lane& lane, char type, int32_t frame, int64_t time) {
    out += lane.any ? ",\n{\"type\":\"" : "\n{\"type\":\"";
    lane.any = true;
    out += type;
    out += "\",\"frame\":" + std::to_string(frame) + ",\"at\":";
    put_time(out, time);
    out += '}';
  }

  // Nanoseconds since the first span that is written; unsigned, because times of hostile files may be far apart.
  void put_time(std::string& out, int64_t time) const {
    out += std::to_string(static_cast<uint64_t>(time) - static_cast<uint64_t>(first_));
  }

  // Frames are numbered in the order in which they are first used, so that a small window has few.
  int32_t frame_for(int32_t name) {
    const auto number = static_cast<size_t>(name);
    if (name < 0 || number >= frame_of_.size()) {
      if (nameless_ == kUnused) nameless_ = add_frame(name);
      return nameless_;
    }
    if (frame_of_[number] == kUnused) frame_of_[number] = add_frame(name);
    return frame_of_[number];
  }

  int32_t add_frame(int32_t name) {
    frames_.push_back(name);
    return static_cast<int32_t>(frames_.size()) - 1;
  }

  int64_t first_ = 0, last_ = 0;
  bool any_ = false;
  std::vector<int32_t> frame_of_;  // of each name
  std::vector<int32_t> frames_;    // the name of each frame
  int32_t nameless_ = kUnused;
  std::vector<Lane> lanes_;  // of the track that is written
  size_t profiles_ = 0;
};

}  // namespace

std::unique_ptr<TraceExport> speedscope_export(ExportColumns columns) { return std::make_unique<SpeedscopeExport>(std::move(columns)); }

}  // namespace stepscope::profile
