// Fuzzes reading an XSpace file: makes files of all kinds of planes, lines, events and stats, damages them, and checks what must hold
// of the tables for any bytes. Arguments: seconds to run, and a seed.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>

#include "profile/span_builder.hpp"
#include "profile/xspace_reader.hpp"
#include "wire/fields.hpp"
#include "wire/writer.hpp"

namespace {

using namespace stepscope;
using namespace stepscope::profile;

#define HOLDS(condition)                                                                 \
  do {                                                                                   \
    if (!(condition)) {                                                                  \
      std::fprintf(stderr, "%s:%d does not hold: %s\n", __FILE__, __LINE__, #condition); \
      std::abort();                                                                      \
    }                                                                                    \
  } while (false)

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

class Fuzzer {
 public:
  explicit Fuzzer(uint64_t seed) : random_(seed) {}

  void once() {
    std::string file = make_space();
    check(file);
    damage(file);
    check(file);
  }

 private:
  uint64_t below(uint64_t end) { return end ? random_() % end : 0; }
  bool chance(uint64_t one_in) { return below(one_in) == 0; }
  template <size_t N>
  std::string_view one_of(const char* const (&texts)[N]) {
    return texts[below(N)];
  }

  uint64_t some_number() {
    switch (below(8)) {
      case 0:
        return random_();
      case 1:
        return chance(2) ? UINT64_MAX : uint64_t{1} << 63;
      case 2:
        return random_() & 0xffffffff;
      default:
        return below(60);
    }
  }

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

  void damage(std::string& bytes) {
    for (uint64_t n = 1 + below(4); n > 0 && !bytes.empty(); --n) {
      const size_t at = below(bytes.size()), length = below(std::min<size_t>(bytes.size() - at, 40) + 1);
      switch (below(5)) {
        case 0:
          bytes[at] = static_cast<char>(bytes[at] ^ (1 << below(8)));
          break;
        case 1:
          bytes[at] = static_cast<char>(random_());
          break;
        case 2:
          bytes.erase(at, length);
          break;
        case 3:
          bytes.insert(at, bytes.substr(below(bytes.size()), length));
          break;
        default:
          bytes.resize(at);
      }
    }
  }

  void check(const std::string& file) {
    try {
      const Tables tables = xspace::read_xspace(file, chance(4) ? below(20) : 1000000, chance(4) ? below(10) : 1000000);
      check_spans(tables);
      check_rows(tables);
      const size_t rows = tables.spans.start.size();
      for (int n = 0; n < 3 && rows > 0; ++n) read_again(file, static_cast<uint64_t>(tables.spans.source[below(rows)]));
      read_again(file, below(file.size() + 10));
    } catch (const xspace::Unreadable&) {
    }
  }

  static void read_again(const std::string& file, uint64_t source) {
    try {
      xspace::read_arguments(file, source);
    } catch (const xspace::Unreadable&) {
    }
  }

  static void check_spans(const Tables& t) {
    const Spans& s = t.spans;
    const size_t rows = s.start.size();
    int64_t next = 0;
    for (size_t track = 0; track < t.tracks.size(); ++track) {
      HOLDS(t.tracks[track].first_row == next && t.tracks[track].last_row >= next);
      next = t.tracks[track].last_row;
      HOLDS(t.tracks[track].device < static_cast<int32_t>(t.devices.size()));
      for (auto row = static_cast<size_t>(t.tracks[track].first_row); row < static_cast<size_t>(next); ++row)
        HOLDS(s.track[row] == static_cast<int32_t>(track));
    }
    HOLDS(next == static_cast<int64_t>(rows));
    for (size_t row = 0; row < rows; ++row) {
      HOLDS(s.end[row] >= s.start[row]);
      HOLDS(s.name[row] >= 0 && static_cast<size_t>(s.name[row]) < t.names.size());
      HOLDS(s.op[row] < static_cast<int32_t>(t.ops.size()) && s.shape[row] < static_cast<int32_t>(t.names.size()));
      HOLDS(s.cause[row] < static_cast<int32_t>(rows) && s.depth[row] >= 0);
      HOLDS(s.start[row] >= t.window_start && s.end[row] <= t.window_end);
      if (row > 0 && s.track[row] == s.track[row - 1]) {
        HOLDS(s.start[row - 1] <= s.start[row]);
        HOLDS(s.start[row - 1] < s.start[row] || s.end[row - 1] >= s.end[row]);
      }
      if (s.parent[row] < 0) continue;
      const auto parent = static_cast<size_t>(s.parent[row]);
      HOLDS(parent < row && s.track[parent] == s.track[row] && s.depth[parent] < s.depth[row]);
      HOLDS(s.start[parent] <= s.start[row] && s.end[parent] >= s.end[row]);
    }
  }

  static void check_rows(const Tables& t) {
    const auto rows = static_cast<int32_t>(t.spans.start.size());
    const auto inside = [&](const Column<int32_t>& column, int32_t least) {
      for (const int32_t row : column) HOLDS(row >= least && row < rows);
    };
    inside(t.markers.row, 0);
    inside(t.kernels.row, 0);
    inside(t.copies.row, 0);
    inside(t.collectives.row, 0);
    inside(t.flows.source, 0);
    inside(t.flows.target, 0);
    inside(t.allocations.row, kNone);
    HOLDS(t.kernels.grid.size() == 3 * t.kernels.row.size() && t.kernels.block.size() == 3 * t.kernels.row.size());
    for (const int32_t track : t.counters.track) HOLDS(track >= 0 && static_cast<size_t>(track) < t.tracks.size());
    for (const int32_t device : t.allocations.device) HOLDS(device < static_cast<int32_t>(t.devices.size()));
  }

  std::mt19937_64 random_;
};

}  // namespace

int main(int count, char** arguments) {
  if (count != 3) {
    std::fprintf(stderr, "Give the seconds to run and a seed.\n");
    return 2;
  }
  Fuzzer fuzzer(std::strtoull(arguments[2], nullptr, 10));
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(std::strtoull(arguments[1], nullptr, 10));
  uint64_t rounds = 0;
  for (; std::chrono::steady_clock::now() < end; ++rounds) fuzzer.once();
  std::printf("%llu files, nothing found\n", static_cast<unsigned long long>(rounds));
  return 0;
}
