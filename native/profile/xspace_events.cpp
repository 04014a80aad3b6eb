// One event at a time: its fields, its stats, its kind, and the rows it becomes.
#include "profile/xspace_events.hpp"

#include <algorithm>

#include "profile/xspace_details.hpp"
#include "profile/xspace_launches.hpp"
#include "wire/writer.hpp"

namespace stepscope::profile::xspace {
namespace {

using wire::Field;

constexpr int64_t kFarthest = int64_t{1} << 61;  // times beyond are cut, so that sums stay numbers
constexpr size_t kMostGroups = 1 << 16;          // of collectives; no program has nearly as many

int64_t bounded(int64_t value) { return std::clamp(value, -kFarthest, kFarthest); }

// To the nearest nanosecond. Both ends of a span go through it, so that what held another still does.
int64_t nanoseconds(int64_t ps) {
  const int64_t shifted = ps + 500;
  return shifted >= 0 ? shifted / 1000 : -((-shifted + 999) / 1000);
}

uint64_t flow_key(int64_t type, int64_t id) { return static_cast<uint64_t>(id) ^ static_cast<uint64_t>(type) * 0x9e3779b97f4a7c15u; }

}  // namespace

void Gathered::absorb(Gathered&& part, std::span<const int32_t> tracks) {
  const std::vector<SpanBuilder::Place> places = builder.places_of(part.builder, tracks);
  for (const Root& root : part.roots) roots.push_back({SpanBuilder::Place::of(root.span, places), root.id});
  input_functions.merge(part.input_functions);
  jax |= part.jax;
  tensorflow |= part.tensorflow;
  malformed += part.malformed;
  for (const auto& [key, time] : part.awaited) awaited[key] = time;
  for (const auto& [key, size] : part.group_sizes)
    if (group_sizes.size() < kMostGroups) group_sizes[key] = size;
  const SpanBuilder::Numbers& numbers = builder.absorb(std::move(part.builder), places);
  for (const Receipt& one : part.receipts) receipts.push_back({one.key, one.end, numbers.text(one.op), numbers.text(one.type)});
}

LineReader::LineReader(const Reading& reading, Gathered& into, const Plane& plane, const PlaneNames& names, KnownNames& known,
                       int32_t track, int64_t timestamp_ns)
    : reading_(reading), into_(into), builder_(into.builder), plane_(plane), names_(names), known_(known), track_(track) {
  const Track& line = builder_.tables().tracks[static_cast<size_t>(track)];
  role_ = line.role;
  purpose_ = line.purpose;
  compiles_ = role_ == TrackRole::thread && compiles(line.name);
  const bool representable = timestamp_ns >= std::numeric_limits<int64_t>::min() + reading.shift;  // the shift is never negative
  base_ = representable ? bounded(timestamp_ns - reading.shift) : -kFarthest;
}

bool LineReader::event(std::string_view bytes) {
  KnownName* const found = read(bytes);
  if (found == nullptr) return false;
  KnownName& name = *found;
  if (!name.prepared) prepare(name);
  if (counted_) {
    builder_.add_aggregate(name.text, track_, occurrences_, nanoseconds(bounded(duration_ps_)));
    return true;
  }
  switch (role_) {
    case TrackRole::thread:
      thread_event(name);
      break;
    case TrackRole::stream:
      stream_event(name);
      break;
    case TrackRole::marker:
      device_step(name);
      break;
    case TrackRole::counter:
      counter(name);
      break;
    default: {
      SpanFacts facts = facts_of(name);
      facts.kind = plane_.kind == PlaneKind::host ? SpanKind::python : SpanKind::other;  // of a host, samples of Python
      const SpanId span = builder_.add_span(track_, facts);
      if (plane_.kind == PlaneKind::tpu && stats_.has(Stat::run_id) &&
          holds_modules(builder_.tables().tracks[static_cast<size_t>(track_)].name))
        builder_.add_flow_target(run_key(plane_.ordinal), span, FlowKind::producer);
    }
  }
  return true;
}

// The event's name, null when it is malformed.
KnownName* LineReader::read(std::string_view bytes) {
  metadata_id_ = offset_ps_ = duration_ps_ = occurrences_ = 0;
  counted_ = false;
  stats_.clear();
  // Where its length stands, so that the event can be read again from there alone.
  source_ = bytes.data() - reading_.file.data() - static_cast<int64_t>(wire::varint_size(bytes.size()));
  Message message(bytes);
  Field field;
  RawStat stat;
  raw_stats_.clear();
  while (message.next(field)) {
    switch (field.id) {
      case wire::XEvent::metadata_id:
        metadata_id_ = static_cast<int64_t>(field.bits);
        break;
      case wire::XEvent::offset_ps:
        offset_ps_ = static_cast<int64_t>(field.bits);
        counted_ = false;
        break;
      case wire::XEvent::num_occurrences:
        occurrences_ = static_cast<int64_t>(field.bits);
        counted_ = true;
        break;
      case wire::XEvent::duration_ps:
        duration_ps_ = static_cast<int64_t>(field.bits);
        break;
      case wire::XEvent::stats:
        raw_stats_.push_back(message.bytes(field));
        break;
      default:
        break;
    }
  }
  if (!message.ok()) return nullptr;
  KnownName& name = known_.at(names_.place(metadata_id_));
  const auto take = [&](std::string_view raw) {
    if (!read_stat(raw, stat)) return false;
    if (const Stat known = names_.stat(stat.metadata_id); known != Stat::other) stats_.set(known, stat);
    return true;
  };
  for (const std::string_view raw : *name.stats)
    if (!take(raw)) ++into_.malformed;
  return std::all_of(raw_stats_.begin(), raw_stats_.end(), take) ? &name : nullptr;
}

// What the rules say of a name, once.
void LineReader::prepare(KnownName& name) {
  name.prepared = true;
  // On a host the shown name is only an operation's type; on a device the full one is a line of HLO.
  if (plane_.kind == PlaneKind::host) name.shown = name.name;
  name.text = builder_.intern(name.shown);
  name.allocates = name.name == "MemoryAllocation";
  name.releases = name.name == "MemoryDeallocation";
  name.region_start = name.name == "ThreadpoolListener::StartRegion";
  name.region_stop = name.name == "ThreadpoolListener::StopRegion";
  name.captured_function = name.name.starts_with("InstantiatedCapturedFunction::");
  name.root_call = name.name.starts_with("PjitFunction(");
  if (name.name.starts_with("Profiled batch ") && !trailing_number(name.name, name.step)) name.step = kNone;
  if (plane_.kind != PlaneKind::host) {
    name.kind = device_kind(name.name, name.direction);
    name.known = true;
    return;
  }
  name.known = host_kind(name.name, name.kind);
  into_.jax |= name.root_call;
  into_.tensorflow |= name.name.starts_with("TFE_") || name.name.starts_with("Eager") || name.name.starts_with("ExecutorState::") ||
                      name.name.starts_with("Iterator");
  std::string_view op, type;
  if ((name.kind == SpanKind::op || name.kind == SpanKind::input || name.kind == SpanKind::io || name.kind == SpanKind::collective) &&
      split_operation(name.name, op, type)) {
    Operation operation;
    operation.name = builder_.intern(op);
    operation.type = builder_.intern(type);
    operation.scope = builder_.intern(scope_of(op));
    name.op = builder_.add_operation(operation);
  }
}

LineReader::Times LineReader::times() const {
  const int64_t offset = bounded(offset_ps_), duration = std::max<int64_t>(0, bounded(duration_ps_));
  return {base_ + nanoseconds(offset), base_ + nanoseconds(offset + duration)};
}

SpanFacts LineReader::facts_of(const KnownName& name) {
  SpanFacts facts;
  const Times when = times();
  facts.start = when.start;
  facts.end = when.end;
  facts.name = name.text;
  facts.kind = name.kind;
  facts.op = name.op;
  facts.source = source_;
  if (stats_.any()) {
    facts.shape = text_of(Stat::shape);
    if (stats_.has(Stat::hlo_op) || stats_.has(Stat::tf_op)) facts.op = operation(name);
    facts.correlation = stats_.integer(Stat::correlation_id);
  }
  const int64_t step = stats_.integer(Stat::step_num, name.step);
  if (step >= 0 && step <= std::numeric_limits<int32_t>::max()) facts.step = static_cast<int32_t>(step);
  return facts;
}

SpanKind LineReader::thread_kind(const KnownName& name) const {
  if (stats_.has(Stat::step_num) || name.step != kNone) return SpanKind::marker;
  if (stats_.any()) {
    if (stats_.has(Stat::hlo_op) && !stats_.has(Stat::correlation_id)) {
      SpanKind kind = SpanKind::op;
      CopyDirection direction;
      // What a processor executes itself; on a host that drives a device it would have a number to tie it to the device.
      return hlo_kind(names_.text(stats_[Stat::hlo_op]), kind, direction) && kind == SpanKind::collective ? kind : SpanKind::op;
    }
    if (stats_.has(Stat::input_stage)) return SpanKind::input;
    if (stats_.has(Stat::rendezvous_key) && name.kind == SpanKind::op && crosses_hosts(names_.text(stats_[Stat::rendezvous_key])))
      return SpanKind::collective;
    if (stats_.has(Stat::tf_function_call))
      return names_.text(stats_[Stat::tf_function_call]).starts_with("traced") ? SpanKind::compile : SpanKind::framework;
    if (!name.known && stats_.has(Stat::correlation_id)) return SpanKind::runtime;
  }
  if (compiles_ && (!name.known || name.kind == SpanKind::framework)) return SpanKind::compile;
  if (name.known) return name.kind;
  return purpose_ == TrackPurpose::unknown || purpose_ == TrackPurpose::main ? SpanKind::annotation : SpanKind::framework;
}

void LineReader::thread_event(const KnownName& name) {
  if (name.allocates || name.releases) return allocation(name);
  if (name.captured_function && stats_.has(Stat::id)) into_.input_functions.insert(stats_.integer(Stat::id));
  if (name.region_stop) return region_stop(name);
  SpanFacts facts = facts_of(name);
  facts.kind = thread_kind(name);
  const SpanId span = builder_.add_span(track_, facts);
  if (name.region_start) open_regions_.push_back({span, facts.start});
  if (facts.kind == SpanKind::marker)
    builder_.add_marker(span, stats_.integer(Stat::step_num, name.step), MarkerFamily::step_num);
  else if (name.root_call || (stats_.any() && (stats_.has(Stat::root) || stats_.has(Stat::tf_function_call))))
    add_root(name, span, facts);
  if (facts.kind == SpanKind::collective) add_device_facts(span, facts.kind, CopyDirection::unknown, name.shown);
  if (stats_.any()) {
    note_groups_and_receipts(name, facts);
    add_links(span);
    if (stats_.has(Stat::run_id) && !stats_.has(Stat::hlo_op))
      builder_.add_flow_source(run_key(stats_.integer(Stat::device_ordinal, 0)), span, FlowKind::producer);
  }
}

// What TensorFlow says of communication on events that are none themselves. A tensor from another process is handed over by a thread
// that serves the network; one of the same process comes on any other.
void LineReader::note_groups_and_receipts(const KnownName& name, const SpanFacts& facts) {
  if (stats_.has(Stat::group_size) && stats_.has(Stat::group_key) && into_.group_sizes.size() < kMostGroups)
    into_.group_sizes[stats_.integer(Stat::group_key)] =
        static_cast<int32_t>(std::clamp<int64_t>(stats_.integer(Stat::group_size), kNone, 1 << 30));
  if (!stats_.has(Stat::kernel_type) || names_.text(stats_[Stat::kernel_type]).find("Recv") == std::string_view::npos) return;
  if (name.name.ends_with("::Start") && stats_.has(Stat::producer))
    into_.awaited[flow_key(stats_.integer(Stat::producer_type), stats_.integer(Stat::producer))] = facts.start;
  else if (name.name.ends_with("::Done") && stats_.has(Stat::consumer) && purpose_ == TrackPurpose::communication)
    into_.receipts.push_back({flow_key(stats_.integer(Stat::consumer_type), stats_.integer(Stat::consumer)), facts.start,
                              text_of(Stat::op_path), text_of(Stat::kernel_type)});
}

// A pool's thread says when it begins and ends to work; between them lies one span. One that was still at work when the recording
// ended keeps its beginning only.
void LineReader::region_stop(const KnownName& name) {
  const SpanFacts stop = facts_of(name);
  if (open_regions_.empty() || open_regions_.back().start > stop.start) {
    builder_.add_span(track_, stop);
    return;
  }
  if (region_text_ < 0) region_text_ = builder_.intern("ThreadpoolListener::Region");
  builder_.end_span(open_regions_.back().span, stop.end, region_text_);
  open_regions_.pop_back();
}

void LineReader::add_links(SpanId span) {
  if (stats_.has(Stat::producer))
    builder_.add_flow_source(flow_key(stats_.integer(Stat::producer_type), stats_.integer(Stat::producer)), span, FlowKind::producer);
  if (stats_.has(Stat::consumer))
    builder_.add_flow_target(flow_key(stats_.integer(Stat::consumer_type), stats_.integer(Stat::consumer)), span, FlowKind::producer);
}

uint64_t LineReader::run_key(int64_t device) const {
  return launch_key(device, stats_.integer(Stat::queue_id, 0), stats_.integer(Stat::run_id), stats_.integer(Stat::core_type, 0));
}

// Of calls of one name inside each other only the outermost may be a step.
void LineReader::add_root(const KnownName& name, SpanId span, const SpanFacts& facts) {
  if (purpose_ == TrackPurpose::input) return;
  int64_t& end = root_ends_.try_emplace(name.text, std::numeric_limits<int64_t>::min()).first->second;
  if (facts.start < end) return;
  end = facts.end;
  into_.roots.push_back({span, stats_.integer(Stat::id)});
}

void LineReader::allocation(const KnownName& name) {
  AllocationFacts facts;
  facts.time = times().start;
  facts.track = track_;
  facts.allocator = text_of(Stat::allocator_name);
  const auto device = reading_.device_of_ordinal.find(allocator_ordinal(names_.text(stats_[Stat::allocator_name])));
  if (stats_.has(Stat::allocator_name) && device != reading_.device_of_ordinal.end()) facts.device = device->second;
  const int64_t bytes = std::max<int64_t>(0, stats_.integer(Stat::allocation_bytes, stats_.integer(Stat::requested_bytes, 0)));
  facts.bytes = name.releases ? -bytes : bytes;
  facts.address = stats_.integer(Stat::addr);
  facts.allocated = stats_.integer(Stat::bytes_allocated);
  if (const int64_t reserved = stats_.integer(Stat::bytes_reserved); reserved > 0) facts.reserved = reserved;
  facts.op = text_of(Stat::tf_op);
  facts.shape = text_of(Stat::shape);
  if (const std::string_view type = type_name(static_cast<uint64_t>(stats_.integer(Stat::data_type, 0))); !type.empty())
    facts.dtype = builder_.intern(type);
  builder_.add_allocation(facts);
}

void LineReader::stream_event(const KnownName& name) {
  SpanFacts facts = facts_of(name);
  CopyDirection direction = name.direction;
  if (stats_.any() && facts.kind == SpanKind::kernel) {
    if (stats_.has(Stat::hlo_op)) hlo_kind(names_.text(stats_[Stat::hlo_op]), facts.kind, direction);
    if (stats_.has(Stat::hlo_category)) hlo_kind(names_.text(stats_[Stat::hlo_category]), facts.kind, direction);
  }
  if (plane_.kind == PlaneKind::tpu) {
    if (facts.kind == SpanKind::kernel) hlo_kind(name.shown, facts.kind, direction);
    if (facts.kind == SpanKind::copy || (facts.kind == SpanKind::kernel && hlo_type(name.shown) == "copy")) {
      if (const CopyDirection told = host_copy(name.name); told != CopyDirection::unknown) {
        facts.kind = SpanKind::copy;
        direction = told;
      }
    }
    if (facts.op < 0) facts.op = operation(name);
    // The operation itself is on the line of asynchronous ones; among the others its halves only start it and wait for it.
    if (plane_.has_asynchronous && is_half(name.shown) && !is_asynchronous(builder_.tables().tracks[static_cast<size_t>(track_)].name))
      facts.kind = SpanKind::sync;
  }
  const SpanId span = builder_.add_span(track_, facts);
  add_device_facts(span, facts.kind, direction, name.shown);
  if (stats_.any()) add_links(span);
}

void LineReader::add_device_facts(SpanId span, SpanKind kind, CopyDirection direction, std::string_view name) {
  if (kind == SpanKind::copy || kind == SpanKind::fill) {
    CopyFacts facts;
    facts.direction = direction;
    if (stats_.has(Stat::memcpy_details)) parse_copy(names_.text(stats_[Stat::memcpy_details]), facts);
    builder_.add_copy(span, facts);
  }
  if (stats_.has(Stat::kernel_details)) {
    KernelFacts facts = parse_kernel(names_.text(stats_[Stat::kernel_details]));
    if (stats_.has(Stat::occupancy)) {
      const double percent = stats_[Stat::occupancy].number();
      if (percent > 0 && percent <= 100) facts.occupancy = static_cast<float>(percent / 100);
    }
    facts.graph_node = stats_.integer(Stat::graph_node);
    builder_.add_kernel(span, facts);
  }
  if (kind == SpanKind::collective) {
    CollectiveFacts facts;
    // The instruction says what a kernel of any name is for.
    std::string_view known;
    if (stats_.has(Stat::hlo_op)) known = collective_name(names_.text(stats_[Stat::hlo_op]));
    if (known.empty()) known = collective_name(name);
    facts.name = builder_.intern(known.empty() ? name : known);
    if (stats_.has(Stat::group_key)) facts.group = builder_.intern(std::to_string(stats_.integer(Stat::group_key)));
    builder_.add_collective(span, facts);
  }
}

void LineReader::device_step(const KnownName& name) {
  SpanFacts facts = facts_of(name);
  facts.kind = SpanKind::marker;
  int64_t number = stats_.integer(Stat::step_num);
  if (number < 0 && !trailing_number(name.shown, number)) number = kNone;
  if (number >= 0 && number <= std::numeric_limits<int32_t>::max()) facts.step = static_cast<int32_t>(number);
  builder_.add_marker(builder_.add_span(track_, facts), number, MarkerFamily::device_step);
}

// The line of counters holds all of a device's; each gets a track of its own.
void LineReader::counter(const KnownName& name) {
  if (!stats_.has(Stat::counter_value) || !stats_[Stat::counter_value].is_number()) {
    SpanFacts facts = facts_of(name);
    facts.kind = SpanKind::other;
    builder_.add_span(track_, facts);
    return;
  }
  const auto [found, added] = counter_tracks_.try_emplace(name.text, kNone);
  if (added) {
    Track track;
    track.name = std::string(builder_.text(name.text));
    track.process = plane_.process;
    track.role = TrackRole::counter;
    track.device = plane_.device;
    found->second = builder_.add_track(std::move(track));
  }
  builder_.add_counter(found->second, times().start, stats_[Stat::counter_value].number());
}

// A compiled operation is named by its HLO and scoped by what the framework calls it; any other by "name:Type".
int32_t LineReader::operation(const KnownName& name) {
  Operation op;
  std::string_view path, type;
  if (stats_.has(Stat::tf_op)) split_path(names_.text(stats_[Stat::tf_op]), path, type);
  if (path.empty() && stats_.has(Stat::op_path)) path = names_.text(stats_[Stat::op_path]);
  if (stats_.has(Stat::hlo_op) || plane_.kind == PlaneKind::tpu) {
    const std::string_view hlo = stats_.has(Stat::hlo_op) ? names_.text(stats_[Stat::hlo_op]) : name.shown;
    op.name = builder_.intern(hlo);
    op.type = builder_.intern(hlo_type(hlo));
    op.scope = builder_.intern(path);
  } else {
    if (path.empty()) return name.op;
    op.name = builder_.intern(path);
    op.type = builder_.intern(type);
    op.scope = builder_.intern(scope_of(path));
  }
  if (stats_.has(Stat::hlo_module)) {
    std::string program(names_.text(stats_[Stat::hlo_module]));
    if (stats_.has(Stat::program_id)) program += "(" + std::to_string(stats_[Stat::program_id].integer()) + ")";
    op.program = builder_.intern(program);
  }
  op.source = text_of(Stat::source);
  op.category = text_of(Stat::hlo_category);
  if (stats_.has(Stat::flops)) op.flops = stats_[Stat::flops].number();
  if (stats_.has(Stat::bytes_accessed)) op.bytes = stats_[Stat::bytes_accessed].number();
  if (stats_.has(Stat::is_eager)) op.eager = stats_[Stat::is_eager].integer() != 0;
  return builder_.add_operation(op);
}

int32_t LineReader::text_of(Stat stat) {
  if (!stats_.has(stat)) return kNone;
  const std::string_view text = names_.text(stats_[stat]);
  return text.empty() || text == "(null)" ? kNone : builder_.intern(text);
}

}  // namespace stepscope::profile::xspace
