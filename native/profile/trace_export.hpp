// Writes the spans of a profile as other viewers read them: Chrome's trace JSON, Perfetto's .pftrace and speedscope's JSON, piece by piece.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "profile/tables.hpp"

namespace stepscope::profile {

// The columns of a profile, wherever they lie; they must outlive the export. Rows are sorted by track and start.
struct ExportColumns {
  std::span<const int32_t> track, name, cause;
  std::span<const int64_t> start, end;
  std::span<const int8_t> kind;
  std::span<const int32_t> counter_track;
  std::span<const int64_t> counter_time;
  std::span<const double> counter_value;
  std::span<const int32_t> marker_row, copy_row;
  std::span<const int64_t> marker_number;
  std::span<const int8_t> marker_family, copy_direction;
  std::vector<std::string> names;
  std::vector<Track> tracks;
  int64_t base_ns = 0;
  int64_t low = INT64_MIN, high = INT64_MAX;  // only spans that overlap [low, high) are written, whole unless they only mark
};

class TraceExport {
 public:
  explicit TraceExport(ExportColumns columns);
  virtual ~TraceExport() = default;
  // The next piece, somewhat longer than `wanted` bytes at most; empty at the end.
  std::string next(size_t wanted);

 protected:
  virtual void begin(std::string& out) = 0;
  virtual void write_span(std::string& out, size_t row) = 0;
  virtual void end_track(std::string& out) = 0;
  virtual void write_counter(std::string& out, size_t at) = 0;
  virtual void finish(std::string& out) = 0;

  std::string_view text(int32_t name) const;
  bool has_track(size_t row) const { return static_cast<size_t>(columns_.track[row]) < columns_.tracks.size(); }
  const Track& track_of(size_t row) const { return columns_.tracks[static_cast<size_t>(columns_.track[row])]; }
  bool is_written(size_t row) const;
  // Spans that own no time, such as the recording's own, are cut to the window: they would pretend that more of it is there.
  int64_t start_of(size_t row) const { return is_cut(row) ? std::max(columns_.start[row], columns_.low) : columns_.start[row]; }
  int64_t end_of(size_t row) const { return is_cut(row) ? std::min(columns_.end[row], columns_.high) : columns_.end[row]; }
  // Whether the span was started by one that is written too.
  bool has_cause(size_t row) const;
  static void put_json_text(std::string& out, std::string_view text);

  const ExportColumns columns_;
  std::vector<size_t> process_;  // of each track: the first track of the same process
  std::vector<bool> is_cause_;
  std::unordered_map<size_t, size_t> marker_of_, copy_of_;  // rows to their places in the tables of markers and copies

 private:
  bool is_cut(size_t row) const { return track_of(row).role == TrackRole::derived || track_of(row).role == TrackRole::marker; }
  enum class Part { start, spans, counters, end, done };
  void step(std::string& out);

  Part part_ = Part::start;
  size_t at_ = 0;
};

std::unique_ptr<TraceExport> chrome_export(ExportColumns columns);
std::unique_ptr<TraceExport> perfetto_export(ExportColumns columns);
std::unique_ptr<TraceExport> speedscope_export(ExportColumns columns);

}  // namespace stepscope::profile
