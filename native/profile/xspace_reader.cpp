// The walk over a file: planes, their names, their lines, and what the file says of devices, programs and itself.
#include "profile/xspace_reader.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

#include "profile/xspace_events.hpp"
#include "profile/xspace_launches.hpp"
#include "profile/xspace_notes.hpp"
#include "profile/xspace_planes.hpp"
#include "tasks.hpp"

namespace stepscope::profile::xspace {
namespace {

using wire::Field;

constexpr int64_t kAbsolute = 100'000'000'000'000'000;  // nanoseconds: a time this large is of the calendar, since 1973

constexpr const char* kBetweenHosts = "between hosts";

class FileReader {
 public:
  FileReader(std::string_view file, uint64_t most_spans, uint64_t most_names, const Effort& effort)
      : file_(file), most_spans_(most_spans), most_names_(most_names), effort_(effort) {
    reading_.file = file;
    reading_.all.builder.limit_spans(most_spans);
    reading_.all.builder.tables().names.limit(most_names);
    reading_.all.builder.use_threads(effort.threads);
  }

  Tables read() {
    const Outline outline = read_outline(file_);
    if (outline.planes.empty()) throw Unreadable(why_nothing(file_, outline));
    Tables& tables = reading_.all.builder.tables();
    if (!outline.hostnames.empty()) tables.host = outline.hostnames.front();
    for (const PlaneOutline& plane : outline.planes) describe(plane);
    choose_shift(outline);
    read_lines(outline);
    add_roots();
    choose_main_thread();
    add_receipts();
    tables.framework = reading_.all.jax ? "JAX" : reading_.all.tensorflow ? "TensorFlow" : "";
    add_notes(reading_, outline, facts_, tables.notes);
    Tables finished = reading_.all.builder.finish();
    set_group_sizes(finished);
    link_modules(finished);
    bring_near_zero(finished);
    return finished;
  }

 private:
  // What must be known before any event is read: devices, times, programs.
  void describe(const PlaneOutline& plane) {
    PlaneNames& names = names_.emplace_back(plane.bytes.size());
    Plane& described = planes_.emplace_back();
    described.name = plane.name;
    described.kind = plane_kind(plane.name);
    described.has_asynchronous =
        std::any_of(plane.lines.begin(), plane.lines.end(), [](const LineOutline& line) { return is_asynchronous(line.name); });
    reading_.all.malformed += read_names(plane, names);
    facts_.push_back({described.kind, plane.lines.size(), plane.cut && names.events().empty()});
    switch (described.kind) {
      case PlaneKind::host:
        described.process = "host";
        read_environment(plane, names, reading_.all.builder.tables());
        break;
      case PlaneKind::environment:
      case PlaneKind::metadata:
        read_environment(plane, names, reading_.all.builder.tables());
        read_programs(names, file_, reading_.all.builder.tables());
        break;
      case PlaneKind::derived:
        described.process = plane.name;
        break;
      default:
        read_device(plane, names, reading_, described);
        facts_.back().vendor = reading_.all.builder.tables().devices[static_cast<size_t>(described.device)].vendor;
    }
  }

  // Times count from the profile's start, but some tools write the calendar's; what most events have decides.
  void choose_shift(const Outline& outline) {
    int64_t first = std::numeric_limits<int64_t>::max();
    uint64_t absolute = 0, relative = 0;
    for (const PlaneOutline& plane : outline.planes)
      for (const LineOutline& line : plane.lines) {
        (line.timestamp_ns < kAbsolute ? relative : absolute) += line.events;
        if (line.events > 0 && line.timestamp_ns >= kAbsolute) first = std::min(first, line.timestamp_ns);
      }
    int64_t& base = reading_.all.builder.tables().base_ns;
    if (absolute <= relative) return;
    if (base <= 0 || base > first) base = first;
    reading_.shift = base;
  }

  // Lines of one plane that one thread reads, one after the other.
  struct Stretch {
    size_t plane, first, last;  // lines [first, last)
    size_t events = 0;
    uint64_t most_spans = 0;
    std::vector<int32_t> tracks = {};  // of each line in the builder of the stretch
    Gathered found = {};
  };

  // Everything is gathered in the file's order, so that the tables are the same however many threads have read.
  void read_lines(const Outline& outline) {
    choose_tracks(outline);
    std::vector<Stretch> stretches = cut(outline);
    std::vector<size_t> largest(stretches.size());
    std::iota(largest.begin(), largest.end(), size_t{0});
    std::stable_sort(largest.begin(), largest.end(), [&](size_t a, size_t b) { return stretches[a].events > stretches[b].events; });
    for_each_task(stretches.size(), workers_of(effort_.threads), [&](size_t task) {
      Stretch& stretch = stretches[largest[task]];
      read_stretch(outline.planes[stretch.plane], stretch);
    });
    for (Stretch& stretch : stretches) reading_.all.absorb(std::move(stretch.found), places_of(stretch));
  }

  // Before a capture is merged, the tracers of a host write planes of their own with lines for the same threads.
  void choose_tracks(const Outline& outline) {
    std::unordered_map<int64_t, std::pair<size_t, size_t>> threads;  // the plane and the track that a thread has first
    for (size_t plane = 0; plane < planes_.size(); ++plane) {
      const Plane& owner = planes_[plane];
      std::vector<size_t>& tracks = tracks_of_lines_.emplace_back();
      if (!is_read(plane)) continue;
      for (const LineOutline& line : outline.planes[plane].lines) {
        const auto found = owner.kind == PlaneKind::host ? threads.find(line.id) : threads.end();
        if (found != threads.end() && found->second.first != plane) {
          tracks.push_back(found->second.second);
          continue;
        }
        if (owner.kind == PlaneKind::host) threads.try_emplace(line.id, plane, tracks_.size());
        tracks.push_back(tracks_.size());
        tracks_.push_back(track_of(line, owner));
      }
    }
    placed_.assign(tracks_.size(), kNone);
  }

  static Track track_of(const LineOutline& line, const Plane& owner) {
    Track track;
    track.name = line.name;
    track.process = owner.process;
    track.role = line_role(owner.kind, line.name);
    track.device = owner.device;
    track.number = line.id;
    if (track.role == TrackRole::thread) track.purpose = thread_purpose(line.name);
    return track;
  }

  bool is_read(size_t plane) const {
    const PlaneKind kind = planes_[plane].kind;
    return kind != PlaneKind::metadata && kind != PlaneKind::environment && !facts_[plane].nameless;
  }

  std::vector<Stretch> cut(const Outline& outline) const {
    std::vector<Stretch> stretches;
    uint64_t left = most_spans_;
    for (size_t plane = 0; plane < planes_.size(); ++plane) {
      const std::vector<LineOutline>& lines = outline.planes[plane].lines;
      for (size_t line = 0; is_read(plane) && line < lines.size(); ++line) {
        if (line == 0 || stretches.back().events >= effort_.stretch_events) stretches.push_back({plane, line, line});
        stretches.back().last = line + 1;
        stretches.back().events += lines[line].events;
      }
    }
    for (Stretch& stretch : stretches) {  // no event becomes two spans
      stretch.most_spans = left;
      left -= std::min<uint64_t>(left, stretch.events);
    }
    return stretches;
  }

  void read_stretch(const PlaneOutline& outline, Stretch& stretch) const {
    SpanBuilder& builder = stretch.found.builder;
    builder.limit_spans(stretch.most_spans);
    builder.tables().names.limit(most_names_);
    KnownNames known(names_[stretch.plane], stretch.events);
    for (size_t line = stretch.first; line < stretch.last; ++line) {
      const LineOutline& of = outline.lines[line];
      const int32_t track = builder.add_track(tracks_[tracks_of_lines_[stretch.plane][line]]);
      stretch.tracks.push_back(track);
      builder.reserve(track, of.events);
      LineReader events(reading_, stretch.found, planes_[stretch.plane], names_[stretch.plane], known, track, of.timestamp_ns);
      Message message(of.bytes);
      Field field;
      while (message.next(field))
        if (field.id == wire::XLine::events && field.type == wire::Type::bytes && !events.event(message.bytes(field)))
          ++stretch.found.malformed;
      if (!message.ok()) ++stretch.found.malformed;
    }
  }

  // Where the tracks of a stretch are in the builder of all; what its lines are the first to have is added.
  std::vector<int32_t> places_of(Stretch& stretch) {
    SpanBuilder& builder = reading_.all.builder;
    std::vector<int32_t> places;
    size_t line = stretch.first;
    for (Track& track : stretch.found.builder.tables().tracks) {
      const bool of_line = line < stretch.last && stretch.tracks[line - stretch.first] == static_cast<int32_t>(places.size());
      int32_t added = kNone;  // of a line of counters, which has a track for each of them
      int32_t& place = of_line ? placed_[tracks_of_lines_[stretch.plane][line++]] : added;
      if (place == kNone) place = builder.add_track(std::move(track));
      places.push_back(place);
    }
    return places;
  }

  // From when a tensor of another process is awaited until it is there: on a line of its own, since no thread is busy with it.
  void add_receipts() {
    SpanBuilder& builder = reading_.all.builder;
    int32_t track = kNone;
    for (const Gathered::Receipt& receipt : reading_.all.receipts) {
      const auto awaited = reading_.all.awaited.find(receipt.key);
      if (awaited == reading_.all.awaited.end() || awaited->second > receipt.end) continue;
      if (track == kNone) {
        Track line;
        line.name = kBetweenHosts;
        line.process = "host";
        line.role = TrackRole::thread;
        line.purpose = TrackPurpose::communication;
        track = builder.add_track(std::move(line));
      }
      Operation operation;
      operation.name = receipt.op;
      operation.type = receipt.type;
      SpanFacts facts;
      facts.start = awaited->second;
      facts.end = receipt.end;
      facts.name = builder.intern(kBetweenHosts);
      facts.kind = SpanKind::collective;
      if (receipt.op != kNone) facts.op = builder.add_operation(operation);
      CollectiveFacts collective;
      collective.name = builder.intern("recv");
      collective.group = facts.name;
      builder.add_collective(builder.add_span(track, facts), collective);
    }
  }

  // TensorFlow tells a group's size where it is arranged, not where the group communicates.
  void set_group_sizes(Tables& tables) const {
    for (const auto& [key, size] : reading_.all.group_sizes) {
      const int32_t group = tables.names.find(std::to_string(key));
      if (group == kNone) continue;
      for (size_t i = 0; i < tables.collectives.row.size(); ++i)
        if (tables.collectives.group[i] == group) tables.collectives.group_size[i] = size;
    }
  }

  void add_roots() {
    for (const Gathered::Root& root : reading_.all.roots)
      if (root.id == kNone || !reading_.all.input_functions.contains(root.id))
        reading_.all.builder.add_marker(root.span, kNone, MarkerFamily::root_call);
  }

  // The thread with most step markers; without any, the Python thread with most spans. Others may be called "python" too.
  void choose_main_thread() {
    std::vector<Track>& tracks = reading_.all.builder.tables().tracks;
    std::vector<uint64_t> score(tracks.size(), 0);
    for (const auto& [track, count] : reading_.all.builder.steps_by_track()) score[static_cast<size_t>(track)] = count << 40;
    for (size_t i = 0; i < tracks.size(); ++i)
      if (tracks[i].name.starts_with("python") || tracks[i].name == "main")
        score[i] += 1 + reading_.all.builder.spans_on(static_cast<int32_t>(i));
    const auto best = std::max_element(score.begin(), score.end());
    if (best == score.end() || *best == 0) return;
    Track& track = tracks[static_cast<size_t>(best - score.begin())];
    if (track.role == TrackRole::thread && track.purpose == TrackPurpose::unknown) track.purpose = TrackPurpose::main;
  }

  std::string_view file_;
  uint64_t most_spans_, most_names_;
  Effort effort_;
  Reading reading_;
  std::vector<Plane> planes_;
  std::vector<PlaneNames> names_;
  std::vector<PlaneFacts> facts_;
  std::vector<Track> tracks_;                         // of all lines, each thread's once
  std::vector<std::vector<size_t>> tracks_of_lines_;  // by plane and line
  std::vector<int32_t> placed_;                       // where each track is in the builder, kNone before its first line is absorbed
};

}  // namespace

Tables read_xspace(std::string_view file, uint64_t most_spans, uint64_t most_names, const Effort& effort) {
  return FileReader(file, most_spans, most_names, effort).read();
}

}  // namespace stepscope::profile::xspace
