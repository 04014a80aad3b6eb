// The walk over a file: planes, their names, their lines, and what the file says of devices, programs and itself.
#include "profile/xspace_reader.hpp"

#include <algorithm>
#include <limits>

#include "profile/xspace_events.hpp"
#include "profile/xspace_notes.hpp"
#include "profile/xspace_planes.hpp"

namespace stepscope::profile::xspace {
namespace {

using wire::Field;

constexpr int64_t kAbsolute = 100'000'000'000'000'000;  // nanoseconds: a time this large is of the calendar, since 1973

constexpr const char* kBetweenHosts = "between hosts";

class FileReader {
 public:
  FileReader(std::string_view file, uint64_t most_spans, uint64_t most_names) : file_(file) {
    reading_.file = file;
    reading_.builder.limit_spans(most_spans);
    reading_.builder.tables().names.limit(most_names);
  }

  Tables read() {
    const Outline outline = read_outline(file_);
    if (outline.planes.empty()) throw Unreadable(why_nothing(file_, outline));
    Tables& tables = reading_.builder.tables();
    if (!outline.hostnames.empty()) tables.host = outline.hostnames.front();
    for (const PlaneOutline& plane : outline.planes) describe(plane);
    choose_shift(outline);
    for (size_t plane = 0; plane < planes_.size(); ++plane) read_plane(outline.planes[plane], plane);
    add_roots();
    choose_main_thread();
    add_receipts();
    tables.framework = reading_.jax ? "JAX" : reading_.tensorflow ? "TensorFlow" : "";
    add_notes(reading_, outline, facts_, tables.notes);
    Tables finished = reading_.builder.finish();
    set_group_sizes(finished);
    return finished;
  }

 private:
  // What must be known before any event is read: devices, times, programs.
  void describe(const PlaneOutline& plane) {
    PlaneNames& names = names_.emplace_back(plane.bytes.size());
    Plane& described = planes_.emplace_back();
    described.name = plane.name;
    described.kind = plane_kind(plane.name);
    read_names(plane, names, reading_);
    facts_.push_back({described.kind, plane.lines.size(), plane.cut && names.events().empty()});
    switch (described.kind) {
      case PlaneKind::host:
        described.process = "host";
        read_environment(plane, names, reading_.builder.tables());
        break;
      case PlaneKind::environment:
      case PlaneKind::metadata:
        read_environment(plane, names, reading_.builder.tables());
        read_programs(plane, names, file_, reading_);
        break;
      case PlaneKind::derived:
        described.process = plane.name;
        break;
      default:
        read_device(plane, names, reading_, described);
        facts_.back().vendor = reading_.builder.tables().devices[static_cast<size_t>(described.device)].vendor;
    }
  }

  // Times count from the profile's start, but some tools write the calendar's.
  void choose_shift(const Outline& outline) {
    int64_t first = std::numeric_limits<int64_t>::max();
    for (const PlaneOutline& plane : outline.planes)
      for (const LineOutline& line : plane.lines)
        if (line.events > 0) first = std::min(first, line.timestamp_ns);
    int64_t& base = reading_.builder.tables().base_ns;
    if (first == std::numeric_limits<int64_t>::max() || first < kAbsolute) return;
    if (base <= 0 || base > first) base = first;
    reading_.shift = base;
  }

  void read_plane(const PlaneOutline& outline, size_t index) {
    const Plane& plane = planes_[index];
    if (plane.kind == PlaneKind::metadata || plane.kind == PlaneKind::environment || facts_[index].nameless) return;
    for (const LineOutline& line : outline.lines) read_line(line, index);
    names_[index] = PlaneNames(0);  // the next plane has names of its own
  }

  void read_line(const LineOutline& line, size_t plane) {
    const int32_t track = track_of(line, plane);
    reading_.builder.reserve(track, line.events);
    LineReader events(reading_, planes_[plane], names_[plane], track, line.timestamp_ns);
    Message message(line.bytes);
    Field field;
    while (message.next(field))
      if (field.id == wire::XLine::events && field.type == wire::Type::bytes && !events.event(message.bytes(field)))
        ++reading_.malformed;
    if (!message.ok()) ++reading_.malformed;
  }

  // Before a capture is merged, the tracers of a host write planes of their own with lines for the same threads.
  int32_t track_of(const LineOutline& line, size_t plane) {
    const Plane& owner = planes_[plane];
    if (owner.kind == PlaneKind::host) {
      const auto found = threads_.find(line.id);
      if (found != threads_.end() && found->second.first != plane) return found->second.second;
    }
    Track track;
    track.name = line.name;
    track.process = owner.process;
    track.role = line_role(owner.kind, line.name);
    track.device = owner.device;
    track.number = line.id;
    if (track.role == TrackRole::thread) track.purpose = thread_purpose(line.name);
    const int32_t added = reading_.builder.add_track(std::move(track));
    if (owner.kind == PlaneKind::host) threads_.try_emplace(line.id, plane, added);
    return added;
  }

  // From when a tensor of another process is awaited until it is there: on a line of its own, since no thread is busy with it.
  void add_receipts() {
    SpanBuilder& builder = reading_.builder;
    int32_t track = kNone;
    for (const Reading::Receipt& receipt : reading_.receipts) {
      const auto awaited = reading_.awaited.find(receipt.key);
      if (awaited == reading_.awaited.end() || awaited->second > receipt.end) continue;
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
    for (const auto& [key, size] : reading_.group_sizes) {
      const int32_t group = tables.names.find(std::to_string(key));
      if (group == kNone) continue;
      for (size_t i = 0; i < tables.collectives.row.size(); ++i)
        if (tables.collectives.group[i] == group) tables.collectives.group_size[i] = size;
    }
  }

  void add_roots() {
    for (const Reading::Root& root : reading_.roots)
      if (root.id == kNone || !reading_.input_functions.contains(root.id))
        reading_.builder.add_marker(root.span, kNone, MarkerFamily::root_call);
  }

  // The thread with most step markers; without any, the Python thread with most spans. Others may be called "python" too.
  void choose_main_thread() {
    std::vector<Track>& tracks = reading_.builder.tables().tracks;
    std::vector<uint64_t> score(tracks.size(), 0);
    for (const auto& [track, count] : reading_.builder.steps_by_track()) score[static_cast<size_t>(track)] = count << 40;
    for (size_t i = 0; i < tracks.size(); ++i)
      if (tracks[i].name.starts_with("python") || tracks[i].name == "main")
        score[i] += 1 + reading_.builder.spans_on(static_cast<int32_t>(i));
    const auto best = std::max_element(score.begin(), score.end());
    if (best == score.end() || *best == 0) return;
    Track& track = tracks[static_cast<size_t>(best - score.begin())];
    if (track.role == TrackRole::thread && track.purpose == TrackPurpose::unknown) track.purpose = TrackPurpose::main;
  }

  std::string_view file_;
  Reading reading_;
  std::vector<Plane> planes_;
  std::vector<PlaneNames> names_;
  std::vector<PlaneFacts> facts_;
  std::unordered_map<int64_t, std::pair<size_t, int32_t>> threads_;
};

}  // namespace

Tables read_xspace(std::string_view file, uint64_t most_spans, uint64_t most_names) {
  return FileReader(file, most_spans, most_names).read();
}

}  // namespace stepscope::profile::xspace
