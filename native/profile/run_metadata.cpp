// Scans StepStats of a RunMetadata: nodes become spans on virtual threads, their allocations become allocations.
//
// TensorFlow tells no real threads here (every node says thread 0), so the nodes of a device are dealt out to as many lanes as ran
// beside each other: on a lane nothing overlaps, and no node seems to hold another. There are no causes: nothing tells what launched
// what.
#include "profile/run_metadata.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "profile/span_builder.hpp"
#include "profile/xspace_rules.hpp"
#include "wire/fields.hpp"
#include "wire/reader.hpp"

namespace stepscope::profile {
namespace {

using wire::Field;
using wire::Type;
using Walker = wire::FieldWalker<wire::MemorySpace>;

constexpr int64_t kMicro = 1000;
constexpr int64_t kLongestRel = int64_t{1} << 53;  // ns: a hundred days; what is longer is damage

struct Record {
  int64_t time = 0, bytes = 0;
};

struct Memory {
  std::string_view allocator;
  std::vector<Record> records;
};

struct Node {
  std::string_view name, label;
  int64_t start = 0, end = 0;
  int64_t source = kNone;
  std::string shapes;
  std::vector<Memory> memory;
};

struct DeviceNodes {
  std::string_view device;
  std::vector<Node> nodes;
};

// Times of a node: nanoseconds where the file has them, microseconds otherwise.
struct Times {
  int64_t all_start = 0, op_start = 0, op_end = 0, all_end = 0;
  bool seen = false;

  bool make_span(int64_t unit, Node& node) const {
    if (!seen || all_start <= 0 || all_start > (std::numeric_limits<int64_t>::max() - 2 * kLongestRel) / unit) return false;
    const int64_t last = op_end > 0 ? op_end : all_end;
    if (op_start < 0 || last < op_start || last > kLongestRel / unit) return false;
    node.start = (all_start + op_start) * unit;
    node.end = (all_start + last) * unit;
    return true;
  }
};

class Scanner {
 public:
  explicit Scanner(std::string_view bytes) : bytes_(bytes), space_(bytes) {}

  std::vector<DeviceNodes> devices() {
    std::vector<DeviceNodes> found;
    each(0, bytes_.size(), [&](const Field& f) {
      if (is_message(f, wire::RunMetadata::step_stats))
        inside(f, [&](const Field& stats) {
          if (is_message(stats, wire::StepStats::dev_stats)) found.push_back(device(stats));
        });
    });
    return found;
  }

  bool damaged() const { return damaged_; }

 private:
  static bool is_message(const Field& f, uint32_t id) { return f.id == id && f.type == Type::bytes; }

  template <class Use>
  void each(uint64_t begin, uint64_t end, Use use) {
    Walker walker(space_, begin, end);
    Field field;
    while (walker.next(field)) use(field);
    damaged_ |= !walker.ok();
  }

  template <class Use>
  void inside(const Field& f, Use use) {
    each(f.offset, f.offset + f.length, use);
  }

  std::string_view text(const Field& f) const { return bytes_.substr(static_cast<size_t>(f.offset), static_cast<size_t>(f.length)); }

  DeviceNodes device(const Field& message) {
    DeviceNodes found;
    inside(message, [&](const Field& f) {
      if (is_message(f, wire::DeviceStepStats::device)) found.device = text(f);
      if (!is_message(f, wire::DeviceStepStats::node_stats)) return;
      Node node;
      if (read_node(f, node)) found.nodes.push_back(std::move(node));
    });
    return found;
  }

  bool read_node(const Field& message, Node& node) {
    namespace N = wire::NodeExecStats;
    Times micros, nanos;
    node.source = static_cast<int64_t>(message.offset);
    inside(message, [&](const Field& f) {
      if (f.type == Type::varint) {
        read_time(f, micros, nanos);
      } else if (f.type == Type::bytes) {
        if (f.id == N::node_name) node.name = text(f);
        if (f.id == N::timeline_label) node.label = text(f);
        if (f.id == N::memory) node.memory.push_back(read_memory(f));
        if (f.id == N::output) append_shape(f, node.shapes);
      }
    });
    return !node.name.empty() && (nanos.make_span(1, node) || micros.make_span(kMicro, node));
  }

  static void read_time(const Field& f, Times& micros, Times& nanos) {
    namespace N = wire::NodeExecStats;
    const auto value = static_cast<int64_t>(f.bits);
    const auto set = [&](Times& times, int64_t Times::* which) {
      times.*which = value;
      times.seen = true;
    };
    switch (f.id) {
      case N::all_start_micros:
        return set(micros, &Times::all_start);
      case N::op_start_rel_micros:
        return set(micros, &Times::op_start);
      case N::op_end_rel_micros:
        return set(micros, &Times::op_end);
      case N::all_end_rel_micros:
        return set(micros, &Times::all_end);
      case N::all_start_nanos:
        return set(nanos, &Times::all_start);
      case N::op_start_rel_nanos:
        return set(nanos, &Times::op_start);
      case N::op_end_rel_nanos:
        return set(nanos, &Times::op_end);
      case N::all_end_rel_nanos:
        return set(nanos, &Times::all_end);
      default:
        return;
    }
  }

  Memory read_memory(const Field& message) {
    Memory memory;
    inside(message, [&](const Field& f) {
      if (is_message(f, wire::AllocatorMemoryUsed::allocator_name)) memory.allocator = text(f);
      if (!is_message(f, wire::AllocatorMemoryUsed::allocation_records)) return;
      Record record;
      inside(f, [&](const Field& r) {
        if (r.id == wire::AllocationRecord::alloc_micros && r.bits < (uint64_t{1} << 53))
          record.time = static_cast<int64_t>(r.bits) * kMicro;
        if (r.id == wire::AllocationRecord::alloc_bytes) record.bytes = static_cast<int64_t>(r.bits);
      });
      if (record.bytes != 0) memory.records.push_back(record);
    });
    return memory;
  }

  // "[100,28,28,16]" for each output, as shapes are written elsewhere.
  void append_shape(const Field& output, std::string& shapes) {
    constexpr size_t kLongest = 512;
    inside(output, [&](const Field& f) {
      if (!is_message(f, wire::NodeOutput::tensor_description) || shapes.size() > kLongest) return;
      inside(f, [&](const Field& d) {
        if (!is_message(d, wire::TensorDescription::shape)) return;
        std::string one;
        inside(d, [&](const Field& dim) {
          if (!is_message(dim, wire::TensorShape::dim) || one.size() > kLongest) return;
          int64_t size = 0;
          inside(dim, [&](const Field& s) {
            if (s.id == wire::Dim::size && s.type == Type::varint) size = static_cast<int64_t>(s.bits);
          });
          one += (one.empty() ? "" : ",") + std::to_string(size);
        });
        shapes += (shapes.empty() ? "[" : ", [") + one + "]";
      });
    });
  }

  std::string_view bytes_;
  wire::MemorySpace space_;
  bool damaged_ = false;
};

// "[mklcpu 4.9MB 4.9MB] conv1/Relu = _MklNativeFusedConv2D(conv1/Reshape, …)": the type that really ran stands before the bracket.
std::string_view type_of(std::string_view label) {
  const size_t equals = label.find(" = ");
  if (equals == std::string_view::npos) return {};
  const std::string_view rest = label.substr(equals + 3);
  return rest.substr(0, rest.find('('));
}

std::string_view scope_of(std::string_view name) {
  const size_t slash = name.rfind('/');
  return slash == std::string_view::npos ? std::string_view{} : name.substr(0, slash);
}

constexpr NodeRule kThreadKinds[] = {
    {"IteratorGetNext", SpanKind::input}, {"QueueDequeue", SpanKind::input}, {"Collective", SpanKind::collective},
    {"_Send", SpanKind::collective},      {"_Recv", SpanKind::collective},   {"_HostSend", SpanKind::collective},
    {"_HostRecv", SpanKind::collective},  {"Nccl", SpanKind::collective},    {"Horovod", SpanKind::collective},
    {"RecvTensor", SpanKind::collective}, {"SaveV2", SpanKind::io},          {"RestoreV2", SpanKind::io},
    {"SaveSlices", SpanKind::io},
};
constexpr NodeRule kDeviceKinds[] = {
    {"memcpy", SpanKind::copy},
    {"memset", SpanKind::fill},
    {"nccl", SpanKind::collective},
};

// What a device's name says: "/job:…/device:GPU:0/stream:14" is the stream 14 of GPU 0.
struct Place {
  std::string process = "host";
  TrackRole role = TrackRole::thread;
  std::string kind;
  int32_t ordinal = 0;
  int64_t number = 0;
};

int64_t number_in(std::string_view text) {
  int64_t value = 0;
  for (const char c : text.substr(0, 9)) {
    if (c < '0' || c > '9') break;
    value = value * 10 + (c - '0');
  }
  return value;
}

std::string lower(std::string_view text) {
  std::string all(text);
  for (char& c : all)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return all;
}

Place place_of(std::string_view device) {
  Place place;
  const std::string name = lower(device);
  for (const char* kind : {"gpu", "tpu"}) {
    const size_t at = name.find(std::string(kind) + ":");
    if (at == std::string::npos) continue;
    place.kind = kind == std::string_view("gpu") ? "GPU" : "TPU";
    place.ordinal = static_cast<int32_t>(number_in(std::string_view(name).substr(at + 4)));
    const size_t stream = name.find("/stream:", at);
    const bool copies = name.find("/memcpy", at) != std::string::npos;
    if (stream != std::string::npos || copies) {
      // "stream:all" and "memcpy" repeat what the numbered streams hold.
      const bool all = copies || name.compare(stream + 8, 3, "all") == 0;
      place.role = all ? TrackRole::derived : TrackRole::stream;
      place.number = all ? 0 : number_in(std::string_view(name).substr(stream + 8));
      place.process = place.kind + " " + std::to_string(place.ordinal);
    }
    break;
  }
  return place;
}

class Reader {
 public:
  explicit Reader(const RunMetadataLimits& limits) : limits_(limits) {}

  Tables read(std::string_view bytes) {
    Scanner scanner(bytes);
    std::vector<DeviceNodes> devices = scanner.devices();
    find_base(devices);
    for (DeviceNodes& device : devices) add_device(device);
    if (builder_.size() == 0)
      throw NoRunMetadata("It contains no node statistics; run the session with trace_level=FULL_TRACE and save it again.");
    Tables& tables = builder_.tables();
    tables.framework = "TensorFlow";
    tables.base_ns = base_;
    if (scanner.damaged()) note("warning", "truncated", "The file is corrupt or truncated; only the readable content is shown.");
    if (stopped_) note("warning", "dropped_events", "The file has more nodes or names than the limit allows; the rest is skipped.");
    note("info", "no_causes", "TensorFlow 1 statistics record neither launches nor real threads.");
    Tables finished = builder_.finish();
    bring_near_zero(finished);
    return finished;
  }

 private:
  void note(const char* level, const char* code, const char* text) { builder_.tables().notes.push_back({level, code, text}); }

  void find_base(const std::vector<DeviceNodes>& devices) {
    base_ = std::numeric_limits<int64_t>::max();
    for (const DeviceNodes& device : devices)
      for (const Node& node : device.nodes) base_ = std::min(base_, node.start);
  }

  int32_t device_row(const Place& place) {
    if (place.kind.empty()) return kNone;
    auto& devices = builder_.tables().devices;
    for (size_t i = 0; i < devices.size(); ++i)
      if (devices[i].kind == place.kind && devices[i].ordinal == place.ordinal) return static_cast<int32_t>(i);
    Device device;
    device.kind = place.kind;
    device.ordinal = place.ordinal;
    devices.push_back(std::move(device));
    return static_cast<int32_t>(devices.size()) - 1;
  }

  void add_device(DeviceNodes& device) {
    const Place place = place_of(device.device);
    const int32_t row = device_row(place);
    std::stable_sort(device.nodes.begin(), device.nodes.end(), [](const Node& a, const Node& b) { return a.start < b.start; });
    std::multimap<int64_t, int32_t> free_from;  // end of the last node of a lane to its track
    for (const Node& node : device.nodes) {
      if (builder_.size() >= limits_.spans || builder_.tables().names.size() >= limits_.names) {
        stopped_ = true;
        return;
      }
      auto lane = free_from.upper_bound(node.start);  // the lane that became free last: as few lanes as possible
      int32_t track;
      if (lane == free_from.begin()) {
        track = add_lane(device, place, row, free_from.size());
      } else {
        track = (--lane)->second;
        free_from.erase(lane);
      }
      free_from.emplace(node.end, track);
      add_node(node, track, place, row);
    }
  }

  int32_t add_lane(const DeviceNodes& device, const Place& place, int32_t row, size_t lane) {
    Track track;
    track.name = std::string(device.device);
    if (place.role == TrackRole::thread) track.name += " lane " + std::to_string(lane + 1);
    track.process = place.process;
    track.role = place.role;
    track.purpose = place.role == TrackRole::thread ? TrackPurpose::executor : TrackPurpose::unknown;
    track.device = place.role == TrackRole::thread ? kNone : row;
    track.number = place.role == TrackRole::thread ? static_cast<int64_t>(lane) : place.number;
    return builder_.add_track(std::move(track));
  }

  void add_node(const Node& node, int32_t track, const Place& place, int32_t device) {
    const std::string_view type = type_of(node.label);
    Operation op;
    op.name = builder_.intern(node.name);
    op.type = builder_.intern(type);
    op.scope = builder_.intern(scope_of(node.name));
    op.program = op.source = op.category = builder_.intern("");
    op.eager = 0;
    SpanFacts facts;
    facts.start = node.start - base_;
    facts.end = node.end - base_;
    facts.name = op.name;
    facts.op = builder_.add_operation(op);
    facts.kind = kind_of(node, type, place);
    facts.shape = node.shapes.empty() ? kNone : builder_.intern(node.shapes);
    facts.source = node.source;
    const SpanId span = builder_.add_span(track, facts);
    if (facts.kind == SpanKind::copy) builder_.add_copy(span, {direction_of(node.label.empty() ? node.name : node.label)});
    if (facts.kind == SpanKind::collective) {
      std::string_view known = xspace::collective_name(type);
      if (known.empty()) known = xspace::collective_name(node.name);
      CollectiveFacts collective;
      collective.name = known.empty() ? op.name : builder_.intern(known);
      builder_.add_collective(span, collective);
    }
    add_allocations(node, track, device, op.name);
  }

  static SpanKind kind_of(const Node& node, std::string_view type, const Place& place) {
    if (place.role != TrackRole::thread) {
      const std::string label = lower(node.label.empty() ? node.name : node.label);
      for (const NodeRule& rule : kDeviceKinds)
        if (label.find(rule.text) != std::string::npos) return rule.kind;
      return SpanKind::kernel;
    }
    for (const NodeRule& rule : kThreadKinds)
      if (type.starts_with(rule.text) || node.name == rule.text) return rule.kind;
    return SpanKind::op;
  }

  static CopyDirection direction_of(std::string_view label) {
    const std::string text = lower(label);
    if (text.find("htod") != std::string::npos) return CopyDirection::host_to_device;
    if (text.find("dtoh") != std::string::npos) return CopyDirection::device_to_host;
    if (text.find("dtod") != std::string::npos) return CopyDirection::device_to_device;
    if (text.find("ptop") != std::string::npos) return CopyDirection::peer;
    return CopyDirection::unknown;
  }

  void add_allocations(const Node& node, int32_t track, int32_t device, int32_t op) {
    for (const Memory& memory : node.memory)
      for (const Record& record : memory.records) {
        AllocationFacts facts;
        facts.time = record.time - base_;
        facts.track = track;
        facts.device = device;
        facts.allocator = builder_.intern(memory.allocator);
        facts.bytes = record.bytes;
        facts.op = op;
        builder_.add_allocation(facts);
      }
  }

  const RunMetadataLimits limits_;
  SpanBuilder builder_;
  int64_t base_ = 0;
  bool stopped_ = false;
};

}  // namespace

std::span<const NodeRule> node_kinds_of_threads() { return kThreadKinds; }
std::span<const NodeRule> node_kinds_of_devices() { return kDeviceKinds; }

Tables read_run_metadata(std::string_view bytes, const RunMetadataLimits& limits) { return Reader(limits).read(bytes); }

}  // namespace stepscope::profile
