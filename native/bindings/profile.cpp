// The tables of a profile for Python: columns as arrays that share the tables' memory, and a builder for what Python reads itself.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>

#include <stdexcept>

#include "crc32c.hpp"
#include "profile/span_builder.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace stepscope {
namespace {

using namespace profile;

// A column for reading only: profiles are kept and shared between requests.
template <class T>
void put(nb::dict& columns, const char* name, const Column<T>& column, nb::handle owner) {
  columns[name] = nb::ndarray<nb::numpy, const T, nb::ndim<1>>(column.data(), {column.size()}, owner);
}

nb::str to_text(std::string_view bytes) {
  return nb::steal<nb::str>(PyUnicode_DecodeUTF8(bytes.data(), static_cast<Py_ssize_t>(bytes.size()), "replace"));
}

nb::dict spans(nb::handle self) {
  Spans& s = nb::cast<Tables&>(self).spans;
  nb::dict d;
  put(d, "track", s.track, self);
  put(d, "start", s.start, self);
  put(d, "end", s.end, self);
  put(d, "name", s.name, self);
  put(d, "kind", s.kind, self);
  put(d, "depth", s.depth, self);
  put(d, "parent", s.parent, self);
  put(d, "cause", s.cause, self);
  put(d, "op", s.op, self);
  put(d, "shape", s.shape, self);
  put(d, "step", s.step, self);
  put(d, "source", s.source, self);
  return d;
}

nb::dict markers(nb::handle self) {
  Markers& m = nb::cast<Tables&>(self).markers;
  nb::dict d;
  put(d, "row", m.row, self);
  put(d, "number", m.number, self);
  put(d, "family", m.family, self);
  return d;
}

nb::dict kernels(nb::handle self) {
  Kernels& k = nb::cast<Tables&>(self).kernels;
  nb::dict d;
  put(d, "row", k.row, self);
  d["grid"] = nb::ndarray<nb::numpy, const int32_t, nb::ndim<2>>(k.grid.data(), {k.row.size(), 3}, self);
  d["block"] = nb::ndarray<nb::numpy, const int32_t, nb::ndim<2>>(k.block.data(), {k.row.size(), 3}, self);
  put(d, "registers", k.registers, self);
  put(d, "shared_memory", k.shared_memory, self);
  put(d, "occupancy", k.occupancy, self);
  put(d, "blocks_per_multiprocessor", k.blocks_per_multiprocessor, self);
  put(d, "graph_node", k.graph_node, self);
  return d;
}

nb::dict copies(nb::handle self) {
  Copies& c = nb::cast<Tables&>(self).copies;
  nb::dict d;
  put(d, "row", c.row, self);
  put(d, "direction", c.direction, self);
  put(d, "source_memory", c.source_memory, self);
  put(d, "target_memory", c.target_memory, self);
  put(d, "bytes", c.bytes, self);
  return d;
}

nb::dict collectives(nb::handle self) {
  Collectives& c = nb::cast<Tables&>(self).collectives;
  nb::dict d;
  put(d, "row", c.row, self);
  put(d, "name", c.name, self);
  put(d, "group", c.group, self);
  put(d, "group_size", c.group_size, self);
  put(d, "sequence", c.sequence, self);
  put(d, "in_bytes", c.in_bytes, self);
  put(d, "out_bytes", c.out_bytes, self);
  put(d, "dtype", c.dtype, self);
  put(d, "peer", c.peer, self);
  return d;
}

nb::dict allocations(nb::handle self) {
  Allocations& a = nb::cast<Tables&>(self).allocations;
  nb::dict d;
  put(d, "time", a.time, self);
  put(d, "row", a.row, self);
  put(d, "device", a.device, self);
  put(d, "allocator", a.allocator, self);
  put(d, "address", a.address, self);
  put(d, "bytes", a.bytes, self);
  put(d, "allocated", a.allocated, self);
  put(d, "reserved", a.reserved, self);
  put(d, "op", a.op, self);
  put(d, "shape", a.shape, self);
  put(d, "dtype", a.dtype, self);
  return d;
}

nb::dict flows(nb::handle self) {
  Flows& f = nb::cast<Tables&>(self).flows;
  nb::dict d;
  put(d, "source", f.source, self);
  put(d, "target", f.target, self);
  put(d, "kind", f.kind, self);
  return d;
}

nb::dict counters(nb::handle self) {
  Counters& c = nb::cast<Tables&>(self).counters;
  nb::dict d;
  put(d, "track", c.track, self);
  put(d, "time", c.time, self);
  put(d, "value", c.value, self);
  return d;
}

nb::dict aggregates(nb::handle self) {
  Aggregates& a = nb::cast<Tables&>(self).aggregates;
  nb::dict d;
  put(d, "name", a.name, self);
  put(d, "track", a.track, self);
  put(d, "occurrences", a.occurrences, self);
  put(d, "total_ns", a.total_ns, self);
  return d;
}

nb::list names(const Tables& tables) {
  nb::list all;
  for (size_t id = 0; id < tables.names.size(); ++id) all.append(to_text(tables.names[static_cast<int32_t>(id)]));
  return all;
}

nb::list tracks(const Tables& tables) {
  nb::list all;
  for (const Track& t : tables.tracks)
    all.append(nb::make_tuple(to_text(t.name), static_cast<int>(t.role), static_cast<int>(t.purpose), to_text(t.process), t.device,
                              t.number, t.first_row, t.last_row));
  return all;
}

nb::list devices(const Tables& tables) {
  nb::list all;
  for (const Device& d : tables.devices)
    all.append(nb::make_tuple(to_text(d.name), to_text(d.kind), d.ordinal, d.memory_bytes, d.multiprocessors, d.clock_hz,
                              d.memory_bandwidth, nb::make_tuple(d.capability_major, d.capability_minor), d.warp_size,
                              d.threads_per_multiprocessor, d.registers_per_multiprocessor, d.shared_memory_per_multiprocessor,
                              d.peak_flops, to_text(d.vendor)));
  return all;
}

nb::list ops(const Tables& tables) {
  nb::list all;
  const auto name = [&](int32_t id) { return to_text(tables.names[id]); };
  for (const Operation& op : tables.ops)
    all.append(nb::make_tuple(name(op.name), name(op.type), name(op.scope), name(op.program), name(op.source), name(op.category),
                              op.flops, op.bytes, op.eager < 0 ? nb::none() : nb::object(nb::bool_(op.eager == 1))));
  return all;
}

nb::list programs(const Tables& tables) {
  nb::list all;
  for (const Program& p : tables.programs) all.append(nb::make_tuple(to_text(p.name), p.program_id, p.offset, p.length));
  return all;
}

nb::list notes(const Tables& tables) {
  nb::list all;
  for (const Note& n : tables.notes) all.append(nb::make_tuple(to_text(n.level), to_text(n.code), to_text(n.text)));
  return all;
}

nb::dict environment(const Tables& tables) {
  nb::dict all;
  for (const auto& [key, value] : tables.environment) all[to_text(key)] = to_text(value);
  return all;
}

// A builder for readers in Python: it takes one span a call, so it is for what has thousands of them, not millions.
class PythonBuilder {
 public:
  int32_t intern(const std::string& text) { return builder_.intern(text); }

  int32_t add_track(const std::string& name, int role, int purpose, const std::string& process, int32_t device, int64_t number) {
    Track track;
    track.name = name;
    track.role = static_cast<TrackRole>(role);
    track.purpose = static_cast<TrackPurpose>(purpose);
    track.process = process;
    track.device = device;
    track.number = number;
    ++tracks_;
    spans_.emplace_back(0);
    return builder_.add_track(std::move(track));
  }

  nb::tuple add_span(int32_t track, int64_t start, int64_t end, const std::string& name, int kind, int64_t correlation, int32_t op,
                     const std::string& shape, int32_t step, int64_t source) {
    check_track(track);
    SpanFacts facts;
    facts.start = start;
    facts.end = end;
    facts.name = builder_.intern(name);
    facts.kind = static_cast<SpanKind>(kind);
    facts.correlation = correlation;
    facts.op = op;
    facts.shape = shape.empty() ? kNone : builder_.intern(shape);
    facts.step = step;
    facts.source = source;
    const SpanId id = builder_.add_span(track, facts);
    ++spans_[static_cast<size_t>(track)];
    return nb::make_tuple(id.track, id.index);
  }

  int32_t add_operation(const std::string& name, const std::string& type, const std::string& scope, const std::string& program,
                        const std::string& source, double flops) {
    Operation op;
    op.name = builder_.intern(name);
    op.type = builder_.intern(type);
    op.scope = builder_.intern(scope);
    op.program = builder_.intern(program);
    op.source = builder_.intern(source);
    op.flops = flops;
    return builder_.add_operation(op);
  }

  void add_marker(nb::tuple span, int64_t number, int family) {
    builder_.add_marker(checked(span), number, static_cast<MarkerFamily>(family));
  }

  void add_flow(nb::tuple source, nb::tuple target, int kind) {
    builder_.add_flow(checked(source), checked(target), static_cast<FlowKind>(kind));
  }

  void pair_flow(uint64_t key, nb::tuple span, bool is_source, int kind) {
    if (is_source)
      builder_.add_flow_source(key, checked(span), static_cast<FlowKind>(kind));
    else
      builder_.add_flow_target(key, checked(span), static_cast<FlowKind>(kind));
  }

  void add_allocation(int32_t track, int64_t time, int64_t bytes, const std::string& allocator, int32_t device) {
    check_track(track);
    AllocationFacts facts;
    facts.track = track;
    facts.time = time;
    facts.bytes = bytes;
    facts.allocator = builder_.intern(allocator);
    facts.device = device;
    builder_.add_allocation(facts);
  }

  void add_counter(int32_t track, int64_t time, double value) {
    check_track(track);
    builder_.add_counter(track, time, value);
  }

  Tables finish() {
    tracks_ = 0;
    spans_.clear();
    nb::gil_scoped_release unlocked;
    Tables finished = builder_.finish();
    bring_near_zero(finished);
    return finished;
  }

 private:
  void check_track(int32_t track) const {
    if (track < 0 || track >= tracks_) throw nb::value_error("There is no such track: add_track gives their numbers.");
  }

  SpanId checked(nb::tuple span) const {
    const SpanId id{nb::cast<int32_t>(span[0]), nb::cast<uint32_t>(span[1])};
    check_track(id.track);
    if (id.index >= spans_[static_cast<size_t>(id.track)]) throw nb::value_error("There is no such span: add_span gives their ids.");
    return id;
  }

  SpanBuilder builder_;
  int32_t tracks_ = 0;
  std::vector<uint32_t> spans_;
};

uint32_t column_checksum(const nb::ndarray<const uint8_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>& bytes) {
  nb::gil_scoped_release unlocked;
  return crc32c(bytes.data(), bytes.size());
}

}  // namespace

void bind_profile(nb::module_& m) {
  m.def("column_checksum", &column_checksum, "bytes"_a);
  nb::class_<Tables>(m, "ProfileTables")
      .def_prop_ro("spans", &spans)
      .def_prop_ro("markers", &markers)
      .def_prop_ro("kernels", &kernels)
      .def_prop_ro("copies", &copies)
      .def_prop_ro("collectives", &collectives)
      .def_prop_ro("allocations", &allocations)
      .def_prop_ro("flows", &flows)
      .def_prop_ro("counters", &counters)
      .def_prop_ro("aggregates", &aggregates)
      .def_prop_ro("names", &names)
      .def_prop_ro("tracks", &tracks)
      .def_prop_ro("devices", &devices)
      .def_prop_ro("ops", &ops)
      .def_prop_ro("programs", &programs)
      .def_prop_ro("notes", &notes)
      .def_prop_ro("environment", &environment)
      .def_prop_ro("host", [](const Tables& t) { return to_text(t.host); })
      .def_prop_ro("framework", [](const Tables& t) { return to_text(t.framework); })
      .def_ro("rank", &Tables::rank)
      .def_ro("world_size", &Tables::world_size)
      .def_ro("base_ns", &Tables::base_ns)
      .def_prop_ro("window", [](const Tables& t) { return nb::make_tuple(t.window_start, t.window_end); });
  nb::class_<PythonBuilder>(m, "ProfileBuilder")
      .def(nb::init<>())
      .def("intern", &PythonBuilder::intern, "text"_a)
      .def("add_track", &PythonBuilder::add_track, "name"_a, "role"_a, "purpose"_a = 0, "process"_a = "host", "device"_a = -1,
           "number"_a = 0)
      .def("add_span", &PythonBuilder::add_span, "track"_a, "start"_a, "end"_a, "name"_a, "kind"_a = 0, "correlation"_a = -1,
           "op"_a = -1, "shape"_a = "", "step"_a = -1, "source"_a = -1)
      .def("add_operation", &PythonBuilder::add_operation, "name"_a, "type"_a = "", "scope"_a = "", "program"_a = "", "source"_a = "",
           "flops"_a = kUnknown)
      .def("add_marker", &PythonBuilder::add_marker, "span"_a, "number"_a, "family"_a)
      .def("add_flow", &PythonBuilder::add_flow, "source"_a, "target"_a, "kind"_a = 0)
      .def("pair_flow", &PythonBuilder::pair_flow, "key"_a, "span"_a, "is_source"_a, "kind"_a = 0)
      .def("add_allocation", &PythonBuilder::add_allocation, "track"_a, "time"_a, "bytes"_a, "allocator"_a = "", "device"_a = -1)
      .def("add_counter", &PythonBuilder::add_counter, "track"_a, "time"_a, "value"_a)
      .def("finish", &PythonBuilder::finish);
}

}  // namespace stepscope
