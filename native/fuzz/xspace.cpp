// Fuzzes reading an XSpace file: makes files of all kinds of planes, lines, events and stats, damages them, and checks what must hold
// of the tables for any bytes. Arguments: seconds to run, and a seed.
#include "fuzz/damage.hpp"
#include "profile/xspace_reader.hpp"
#include "wire/fields.hpp"
#include "wire/writer.hpp"

namespace {

using namespace stepscope;
using namespace stepscope::profile;

constexpr const char* kPlanes[] = {"/host:CPU",           "/device:GPU:0",  "/device:GPU:1",    "/device:TPU:0 SparseCore 1",
                                   "/device:X",           "/host:metadata", "Task Environment", "#Chip1",
                                   "/host:python-tracer", "/device:",       "/device:CUSTOM:",  "/device:TPU:99999999999"};
constexpr const char* kLines[] = {"python", "Stream #1(Compute)", "Steps", "XLA Ops", "_counters_", "tf_data_x", "tf_Compute/1", ""};
constexpr const char* kEvents[] = {"MemoryAllocation",
                                   "MemoryDeallocation",
                                   "ThreadpoolListener::StartRegion",
                                   "ThreadpoolListener::StopRegion",
                                   "PjitFunction(f)",
                                   "a/b:MatMul",
                                   "MemcpyH2D",
                                   "ncclDevKernel_AllReduce",
                                   "Profiled batch 99999999999999999999",
                                   "InstantiatedCapturedFunction::Run",
                                   "jit_f(12",
                                   "17",
                                   "",
                                   ":"};
constexpr const char* kStats[] = {"step_num",
                                  "_r",
                                  "_pt",
                                  "_p",
                                  "_ct",
                                  "_c",
                                  "id",
                                  "hlo_op",
                                  "correlation_id",
                                  "tf_op",
                                  "kernel_details",
                                  "memcpy_details",
                                  "allocator_name",
                                  "counter_value",
                                  "program_id",
                                  "Hlo Proto",
                                  "hlo_module",
                                  "profile_start_time",
                                  "shape",
                                  "data_type",
                                  "allocation_bytes",
                                  "hlo_category",
                                  "profile_options",
                                  "clock_rate"};
constexpr const char* kTexts[] = {"regs:1 grid:1,2 block:,,, occ_pct:1e9 static_shared:99999999999999999999",
                                  "kind_src:pinned kind_dst: size:-5",
                                  "GPU_0_bfc",
                                  "GPU_",
                                  "all-reduce.1",
                                  "x/y:Z",
                                  "XlaModule:",
                                  "::",
                                  ""};

class Fuzzer : fuzz::Chooser {
 public:
  using Chooser::Chooser;

  void once() {
    std::string file = make_space();
    check(file);
    damage(file);
    check(file);
  }

 private:
  std::string make_stat() {
    std::string stat;
    wire::put_varint_field(stat, wire::XStat::metadata_id, chance(20) ? some_number() : below(std::size(kStats)));
    switch (below(5)) {
      case 0:
        wire::put_double_field(stat, wire::XStat::double_value, static_cast<double>(some_number()));
        break;
      case 1:
        wire::put_varint_field(stat, wire::XStat::uint64_value, some_number());
        break;
      case 2:
        wire::put_varint_field(stat, wire::XStat::int64_value, some_number());
        break;
      case 3:
        wire::put_bytes_field(stat, chance(2) ? wire::XStat::str_value : wire::XStat::bytes_value, one_of(kTexts));
        break;
      default:
        wire::put_varint_field(stat, wire::XStat::ref_value, below(std::size(kStats) + 10));
    }
    return stat;
  }

  std::string make_event() {
    std::string event;
    wire::put_varint_field(event, wire::XEvent::metadata_id, chance(20) ? some_number() : below(std::size(kEvents)));
    wire::put_varint_field(event, chance(10) ? wire::XEvent::num_occurrences : wire::XEvent::offset_ps,
                           some_number() * (chance(4) ? 1 : 1000));
    wire::put_varint_field(event, wire::XEvent::duration_ps, some_number() * (chance(4) ? 1 : 1000));
    for (uint64_t n = below(6); n > 0; --n) wire::put_bytes_field(event, wire::XEvent::stats, make_stat());
    return event;
  }

  std::string make_plane() {
    std::string plane;
    wire::put_bytes_field(plane, wire::XPlane::name, one_of(kPlanes));
    for (uint64_t lines = below(4); lines > 0; --lines) {
      std::string line;
      wire::put_varint_field(line, wire::XLine::id, some_number());
      wire::put_bytes_field(line, wire::XLine::name, one_of(kLines));
      wire::put_varint_field(line, wire::XLine::timestamp_ns, some_number());
      for (uint64_t events = below(40); events > 0; --events) wire::put_bytes_field(line, wire::XLine::events, make_event());
      wire::put_bytes_field(plane, wire::XPlane::lines, line);
    }
    for (uint64_t id = 0; id < std::size(kEvents); ++id) {
      std::string metadata;
      wire::put_bytes_field(metadata, wire::XEventMetadata::name, kEvents[id]);
      if (chance(4)) wire::put_bytes_field(metadata, wire::XEventMetadata::display_name, one_of(kEvents));
      if (chance(4)) wire::put_bytes_field(metadata, wire::XEventMetadata::stats, make_stat());
      put_entry(plane, wire::XPlane::event_metadata, id, metadata);
    }
    for (uint64_t id = 0; id < std::size(kStats); ++id) {
      std::string metadata;
      wire::put_bytes_field(metadata, wire::XStatMetadata::name, kStats[id]);
      put_entry(plane, wire::XPlane::stat_metadata, chance(30) ? some_number() : id, metadata);
    }
    for (uint64_t n = below(4); n > 0; --n) wire::put_bytes_field(plane, wire::XPlane::stats, make_stat());
    return plane;
  }

  static void put_entry(std::string& plane, uint32_t field, uint64_t key, const std::string& value) {
    std::string entry;
    wire::put_varint_field(entry, wire::XMetadataEntry::key, key);
    wire::put_bytes_field(entry, wire::XMetadataEntry::value, value);
    wire::put_bytes_field(plane, field, entry);
  }

  std::string make_space() {
    std::string space;
    for (uint64_t planes = 1 + below(4); planes > 0; --planes) wire::put_bytes_field(space, wire::XSpace::planes, make_plane());
    if (chance(3)) wire::put_bytes_field(space, wire::XSpace::errors, "error");
    wire::put_bytes_field(space, wire::XSpace::hostnames, "host");
    return space;
  }

  void check(const std::string& file) {
    try {
      const bool limited = chance(2);
      const uint64_t most_spans = limited ? below(20) : 1000000, most_names = limited ? below(10) : 1000000;
      const Tables tables =
          xspace::read_xspace(file, most_spans, most_names, {.threads = 1 + below(3), .stretch_events = 1 + below(99)});
      fuzz::check_tables(tables);
      if (!limited) check_same(tables, xspace::read_xspace(file, most_spans, most_names, {.threads = 1}));
      const size_t rows = tables.spans.start.size();
      for (int n = 0; n < 3 && rows > 0; ++n) read_again(file, static_cast<uint64_t>(tables.spans.source[below(rows)]));
      read_again(file, below(file.size() + 10));
    } catch (const xspace::Unreadable&) {
    }
  }

  // However the work was divided, the tables are the same.
  static void check_same(const Tables& a, const Tables& b) {
    HOLDS(a.spans.start == b.spans.start && a.spans.end == b.spans.end && a.spans.source == b.spans.source);
    HOLDS(a.spans.track == b.spans.track && a.spans.name == b.spans.name && a.spans.op == b.spans.op && a.spans.shape == b.spans.shape);
    HOLDS(a.spans.parent == b.spans.parent && a.spans.cause == b.spans.cause && a.spans.kind == b.spans.kind);
    HOLDS(a.markers.row == b.markers.row && a.flows.source == b.flows.source && a.flows.target == b.flows.target);
    HOLDS(a.collectives.row == b.collectives.row && a.collectives.name == b.collectives.name && a.kernels.row == b.kernels.row);
    HOLDS(a.allocations.row == b.allocations.row && a.allocations.allocator == b.allocations.allocator);
    HOLDS(a.counters.track == b.counters.track && a.aggregates.name == b.aggregates.name && a.aggregates.track == b.aggregates.track);
    HOLDS(a.tracks.size() == b.tracks.size() && a.names.size() == b.names.size() && a.ops.size() == b.ops.size());
    for (size_t id = 0; id < a.names.size(); ++id) HOLDS(a.names[static_cast<int32_t>(id)] == b.names[static_cast<int32_t>(id)]);
  }

  static void read_again(const std::string& file, uint64_t source) {
    try {
      xspace::read_arguments(file, source);
    } catch (const xspace::Unreadable&) {
    }
  }
};

}  // namespace

int main(int count, char** arguments) { return fuzz::run<Fuzzer>(count, arguments); }
