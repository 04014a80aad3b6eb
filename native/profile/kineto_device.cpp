// Events of devices: runtime calls, kernels, copies, memory and communication.
#include <algorithm>
#include <cmath>

#include "profile/kineto_reader.hpp"

namespace stepscope::profile {
namespace {

bool holds(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

// Bytes of one element, by the names torch gives types; 0 when unknown.
int64_t element_bytes(std::string_view type) {
  std::string plain;
  for (const char c : type) plain += c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
  if (plain.starts_with("c10::")) plain.erase(0, 5);
  struct Size {
    std::string_view name;
    int64_t bytes;
  };
  static constexpr Size kSizes[] = {
      {"complexdouble", 16}, {"complex<double>", 16},
      {"double", 8},         {"long", 8},
      {"long int", 8},       {"int64", 8},
      {"float64", 8},        {"uint64", 8},
      {"complexfloat", 8},   {"complex<float>", 8},
      {"float", 4},          {"int", 4},
      {"int32", 4},          {"float32", 4},
      {"uint32", 4},         {"half", 2},
      {"bfloat16", 2},       {"short", 2},
      {"short int", 2},      {"int16", 2},
      {"float16", 2},        {"uint16", 2},
      {"byte", 1},           {"char", 1},
      {"signed char", 1},    {"bool", 1},
      {"int8", 1},           {"uint8", 1},
      {"unsigned char", 1},
  };
  for (const Size& size : kSizes)
    if (plain == size.name) return size.bytes;
  return plain.starts_with("float8") ? 1 : 0;
}

int64_t times_or_none(int64_t elements, int64_t bytes) {
  if (elements < 0 || bytes <= 0 || elements > (int64_t{1} << 58)) return kNone;
  return elements * bytes;
}

// Elements of one shape, which may hold shapes itself (a list of tensors).
double elements_of(JsonCursor& cursor, int depth) {
  double product = 1, sum = 0;
  bool nested = false;
  cursor.array([&] {
    if (cursor.next() == '[' && depth < 4) {
      nested = true;
      sum += elements_of(cursor, depth + 1);
    } else {
      product *= json_number(cursor.value(), 0);
    }
  });
  return nested ? sum : product;
}

// Bytes of all tensors among an operation's inputs; kNone when they cannot be told.
int64_t input_bytes(const JsonValue& dims, const JsonValue& types) {
  if (dims.kind != JsonKind::array || types.kind != JsonKind::array) return kNone;
  JsonCursor shapes(dims.raw), names(types.raw);
  std::vector<int64_t> sizes;
  names.array([&] { sizes.push_back(element_bytes(names.value().raw)); });
  double total = 0;
  size_t at = 0;
  shapes.array([&] {
    const int64_t size = at < sizes.size() ? sizes[at] : 0;
    ++at;
    if (shapes.next() == '[')
      total += elements_of(shapes, 0) * static_cast<double>(size);
    else
      shapes.value();
  });
  return total > 0 && total < 1e18 ? static_cast<int64_t>(total) : kNone;
}

bool read_triple(const JsonValue& value, int32_t (&into)[3]) {
  if (value.kind != JsonKind::array) return false;
  JsonCursor cursor(value.raw);
  size_t at = 0;
  cursor.array([&] {
    const int64_t number = json_integer(cursor.value(), 0);
    if (at < 3) into[at++] = static_cast<int32_t>(std::clamp<int64_t>(number, 0, std::numeric_limits<int32_t>::max()));
  });
  return at == 3;
}

float as_known(double number) { return std::isfinite(number) ? static_cast<float>(number) : std::numeric_limits<float>::quiet_NaN(); }

MemoryKind memory_of(std::string_view word) {
  if (holds(word, "Pageable")) return MemoryKind::pageable;
  if (holds(word, "Pinned")) return MemoryKind::pinned;
  if (holds(word, "Managed") || holds(word, "Unified")) return MemoryKind::managed;
  if (holds(word, "Array")) return MemoryKind::array;
  if (holds(word, "Device")) return MemoryKind::device;
  return MemoryKind::unknown;
}

MemoryKind memory_of_letter(char letter) {
  switch (letter) {
    case 'M':
      return MemoryKind::pageable;
    case 'H':
      return MemoryKind::pinned;
    case 'D':
      return MemoryKind::device;
    case 'S':
      return MemoryKind::managed;
    default:
      return MemoryKind::unknown;
  }
}

// "Memcpy HtoD (Pageable -> Device)"; XPU writes "H2D" with M for pageable, H for pinned and S for shared memory.
CopyFacts copy_facts(std::string_view name) {
  CopyFacts facts;
  if (const size_t arrow = name.find(" -> "); arrow != std::string_view::npos) {
    const size_t from = name.rfind('(', arrow);
    facts.source_memory =
        memory_of(name.substr(from == std::string_view::npos ? 0 : from, arrow - (from == std::string_view::npos ? 0 : from)));
    facts.target_memory = memory_of(name.substr(arrow + 4));
  }
  if (const size_t two = name.find('2'); two != std::string_view::npos && two > 0 && two + 1 < name.size()) {
    if (facts.source_memory == MemoryKind::unknown) facts.source_memory = memory_of_letter(name[two - 1]);
    if (facts.target_memory == MemoryKind::unknown) facts.target_memory = memory_of_letter(name[two + 1]);
  }
  const auto is = [&](std::string_view a, std::string_view b) { return holds(name, a) || holds(name, b); };
  if (is("HtoD", "HostToDevice") || is("H2D", "M2D"))
    facts.direction = CopyDirection::host_to_device;
  else if (is("DtoH", "DeviceToHost") || is("D2H", "D2M"))
    facts.direction = CopyDirection::device_to_host;
  else if (is("PtoP", "Peer"))
    facts.direction = CopyDirection::peer;
  else if (is("DtoD", "DeviceToDevice") || holds(name, "D2D"))
    facts.direction = CopyDirection::device_to_device;
  else if (is("HtoH", "HostToHost") || is("H2H", "M2M"))
    facts.direction = CopyDirection::host_to_host;
  return facts;
}

// The rank of the job that a place in a group stands for, where the ranks of the group are told; otherwise the place itself.
int32_t rank_at(int64_t place, const JsonValue& ranks) {
  int64_t rank = place, at = 0;
  if (ranks.kind == JsonKind::array || (ranks.kind == JsonKind::text && ranks.raw.starts_with('['))) {
    JsonCursor cursor(ranks.raw);
    cursor.array([&] {
      const int64_t one = json_integer(cursor.value(), kNone);
      if (at++ == place) rank = one;
    });
  }
  return static_cast<int32_t>(std::clamp<int64_t>(rank, kNone, 1 << 30));
}

}  // namespace

int32_t KinetoReader::stream_track() {
  const int32_t track = tracks_.find(event_.process, event_.thread, Place::stream);
  int64_t ordinal = json_integer(event_.get(Arg::device), kNone);
  if (ordinal < 0) ordinal = event_.process.kind == JsonKind::bare ? json_integer(event_.process, 0) : 0;
  tracks_.set_device(track, ordinal);
  if (event_.thread.kind == JsonKind::text)
    builder_.tables().tracks[static_cast<size_t>(track)].number = json_integer(event_.get(Arg::stream), kNone);
  return track;
}

void KinetoReader::add_runtime(const Timed& times) {
  const int32_t name = name_id();
  const int16_t rule = rules_.result(RuleScope::runtime, name, builder_.text(name));
  SpanFacts facts = facts_of(times, name, told_kind(rule == NameRules::kNoMatch ? SpanKind::runtime : static_cast<SpanKind>(rule)));
  const int64_t correlation = json_integer(event_.get(Arg::correlation), kNone);
  if (correlation > 0) {
    facts.correlation = correlation;
    if (builder_.text(name).find("EventRecord") != std::string_view::npos) links_.add_record(correlation, facts.start);
    KernelFacts launch;
    if (event_.has(Arg::grid) && read_triple(event_.get(Arg::grid), launch.grid)) {
      read_triple(event_.get(Arg::block), launch.block);
      launch.shared_memory = json_integer(event_.get(Arg::shared_memory), 0);
      links_.add_launch_facts(correlation, launch);
    }
    if (const JsonValue* bytes = event_.find(Arg::bytes)) links_.add_launch_bytes(correlation, json_integer(*bytes, kNone));
  }
  const int32_t track = tracks_.find(event_.process, event_.thread, Place::thread);
  KinetoTracks::Seen& seen = tracks_.seen(track);
  ++seen.calls;
  seen.launches += rules_.result(RuleScope::launch, name, builder_.text(name)) == 1;
  builder_.add_span(track, facts);
}

// The operation an external id names; older writers put the correlation there, which names none.
int64_t KinetoReader::external_id(int64_t correlation) const {
  const int64_t external = json_integer(event_.get(Arg::external_id), kNone);
  return external == correlation ? kNone : external;
}

void KinetoReader::add_kernel(const Timed& times) {
  const int32_t name = name_id();
  const std::string_view text = builder_.text(name);
  const int16_t rule = rules_.result(RuleScope::kernel, name, text);
  const bool described = event_.has(Arg::collective);
  SpanFacts facts = facts_of(times, name,
                             described                     ? SpanKind::collective
                             : rule == NameRules::kNoMatch ? SpanKind::kernel
                                                           : static_cast<SpanKind>(rule));
  KinetoLinks::Kernel kernel{};
  kernel.correlation = json_integer(event_.get(Arg::correlation), kNone);
  kernel.external = external_id(kernel.correlation);
  if (kernel.correlation > 0) {
    facts.correlation = kernel.correlation;
    links_.count_correlated();
  }
  facts.op = links_.await_operation(kernel.external);
  kernel.span = builder_.add_span(stream_track(), facts);
  kernel.has_grid = event_.has(Arg::grid) && read_triple(event_.get(Arg::grid), kernel.facts.grid);
  read_triple(event_.get(Arg::block), kernel.facts.block);
  kernel.facts.registers = static_cast<int32_t>(std::clamp<int64_t>(json_integer(event_.get(Arg::registers), 0), 0, 1 << 20));
  kernel.facts.shared_memory = json_integer(event_.get(Arg::shared_memory), 0);
  kernel.facts.occupancy = as_known(json_number(event_.get(Arg::occupancy), kUnknown) / 100);
  kernel.facts.blocks_per_multiprocessor = as_known(json_number(event_.get(Arg::blocks_per_multiprocessor), kUnknown));
  const int64_t node = json_integer(event_.get(Arg::graph_node), 0);
  kernel.facts.graph_node = node > 0 ? node : kNone;
  kernel.is_collective = facts.kind == SpanKind::collective;
  if (kernel.is_collective) kernel.collective = collective_facts(name);
  kernel.has_collective_facts = described;
  links_.add_kernel(kernel);
}

void KinetoReader::add_copy(const Timed& times, bool fill) {
  const int32_t name = name_id();
  SpanFacts facts = facts_of(times, name, fill ? SpanKind::fill : SpanKind::copy);
  KinetoLinks::Copy copy{};
  copy.correlation = json_integer(event_.get(Arg::correlation), kNone);
  if (copy.correlation > 0) {
    facts.correlation = copy.correlation;
    links_.count_correlated();
  }
  facts.op = links_.await_operation(external_id(copy.correlation));
  copy.span = builder_.add_span(stream_track(), facts);
  const std::string_view text = builder_.text(name);
  if (fill)
    copy.facts.target_memory = memory_of(text);
  else
    copy.facts = copy_facts(text);
  copy.facts.bytes = json_integer(event_.get(Arg::bytes), kNone);
  links_.add_copy(copy);
}

void KinetoReader::add_derived(const Timed& times, CategoryClass kind) {
  const int32_t name = name_id();
  SpanFacts facts = facts_of(times, name, SpanKind::other);
  Place place = Place::overhead;
  if (kind == CategoryClass::device_annotation) {
    place = Place::annotations;
    facts.kind = SpanKind::annotation;
  } else if (kind == CategoryClass::device_wait) {
    place = Place::waits;
    facts.kind = SpanKind::sync;
    const int64_t record = json_integer(event_.get(Arg::waits_on_record), kNone),
                  other = json_integer(event_.get(Arg::waits_on_stream), kNone);
    const int64_t stream = json_integer(event_.get(Arg::stream), kNone);
    if (record > 0 && other >= 0 && stream >= 0)
      links_.add_stream_wait({facts.start, record, tracks_.number_of(event_.process), stream, other});
  } else if (kind == CategoryClass::recording) {
    place = Place::recording;
  }
  const int32_t track = tracks_.find(event_.process, event_.thread, place);
  if (place == Place::annotations || place == Place::waits) {
    int64_t ordinal = json_integer(event_.get(Arg::device), kNone);
    if (ordinal < 0 && event_.process.kind == JsonKind::bare) ordinal = json_integer(event_.process, kNone);
    if (ordinal >= 0) tracks_.set_device(track, ordinal);
  }
  builder_.add_span(track, facts);
}

void KinetoReader::add_memory() {
  Timed times;
  if (!read_times(times)) return;
  is_kineto_ = true;
  AllocationFacts facts;
  facts.time = rounded(times.start);
  facts.track = tracks_.find(event_.process, event_.thread, Place::thread);
  facts.bytes = json_integer(event_.get(Arg::allocation_bytes), 0);
  facts.address = json_integer(event_.get(Arg::address), kNone);
  facts.allocated = json_integer(event_.get(Arg::total_allocated), kNone);
  facts.reserved = json_integer(event_.get(Arg::total_reserved), kNone);
  const int64_t type = json_integer(event_.get(Arg::device_type), 0), ordinal = json_integer(event_.get(Arg::device_id), kNone);
  if (type > 0 && ordinal >= 0) facts.device = tracks_.device_index(ordinal);
  builder_.add_allocation(facts);
}

CollectiveFacts KinetoReader::collective_facts(int32_t name) {
  CollectiveFacts facts;
  if (event_.has(Arg::collective)) {
    facts.name = intern(event_.get(Arg::collective));
    facts.group = intern(event_.get(Arg::group));
    facts.dtype = intern(event_.get(Arg::dtype));
    facts.group_size = static_cast<int32_t>(std::clamp<int64_t>(json_integer(event_.get(Arg::group_size), kNone), kNone, 1 << 30));
    facts.sequence = json_integer(event_.get(Arg::sequence), kNone);
    const int64_t size = element_bytes(event_.get(Arg::dtype).raw);
    facts.in_bytes = times_or_none(json_integer(event_.get(Arg::in_elements), kNone), size);
    facts.out_bytes = times_or_none(json_integer(event_.get(Arg::out_elements), kNone), size);
  } else if (event_.has(Arg::input_dims)) {
    facts.in_bytes = input_bytes(event_.get(Arg::input_dims), event_.get(Arg::input_types));
    if (const JsonValue types = event_.get(Arg::input_types); types.kind == JsonKind::array) {
      JsonCursor cursor(types.raw);
      bool first = true;
      cursor.array([&] {
        const JsonValue one = cursor.value();
        if (first) facts.dtype = intern(one);
        first = false;
      });
    }
  }
  // Different writers spell the same collective differently; what the rules call it is the common name.
  const std::string spelled(facts.name != kNone ? builder_.text(facts.name) : builder_.text(name));
  if (const NameRule* rule = rules_.find(RuleScope::collective, spelled)) facts.name = builder_.intern(rule->label);
  const std::string_view called = facts.name == kNone ? std::string_view() : builder_.text(facts.name);
  if (called == "send" || called == "recv") {
    const int64_t place = json_integer(event_.get(called == "send" ? Arg::receiver : Arg::sender), kNone);
    if (place >= 0) facts.peer = rank_at(place, event_.get(Arg::group_ranks));
  }
  return facts;
}

}  // namespace stepscope::profile
