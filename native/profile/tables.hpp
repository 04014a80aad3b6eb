// The tables a profile becomes, column by column; what each column means is said in model/profile.py, whose numbers these are.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "large_memory.hpp"
#include "profile/text_pool.hpp"

namespace stepscope::profile {

inline constexpr int32_t kNone = -1;
inline constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

enum class TrackRole : int8_t { thread = 0, stream = 1, derived = 2, marker = 3, counter = 4 };

enum class TrackPurpose : int8_t {
  unknown = 0,
  main = 1,
  backward = 2,
  executor = 3,
  input = 4,
  communication = 5,
  other = 6,
};

enum class SpanKind : int8_t {
  other = 0,
  op = 1,
  kernel = 2,
  copy = 3,
  fill = 4,
  runtime = 5,
  sync = 6,
  alloc = 7,
  collective = 8,
  input = 9,
  compile = 10,
  gc = 11,
  io = 12,
  annotation = 13,
  python = 14,
  framework = 15,
  marker = 16,
};

enum class MarkerFamily : int8_t {
  profiler_step = 0,
  step_num = 1,
  step_annotation = 2,
  device_step = 3,
  loop_mark = 4,
  root_call = 5,
  kernel_period = 6,
  window = 7,
};

enum class CopyDirection : int8_t {
  unknown = 0,
  host_to_device = 1,
  device_to_host = 2,
  device_to_device = 3,
  peer = 4,
  host_to_host = 5,
};

enum class MemoryKind : int8_t { unknown = 0, pageable = 1, pinned = 2, device = 3, managed = 4, array = 5 };

enum class FlowKind : int8_t { producer = 0, backward = 1, stream_wait = 2 };

template <class T>
using Column = LargeVector<T>;

struct Spans {
  Column<int32_t> track, name, parent, cause, op, shape, step;
  Column<int64_t> start, end, source;
  Column<int16_t> depth;
  Column<int8_t> kind;
};

struct Track {
  std::string name, process;
  TrackRole role = TrackRole::thread;
  TrackPurpose purpose = TrackPurpose::unknown;
  int32_t device = kNone;
  int64_t number = 0;
  int64_t first_row = 0, last_row = 0;
};

struct Device {
  std::string name, kind, vendor;
  int32_t ordinal = 0;
  int64_t memory_bytes = 0, multiprocessors = 0;
  double clock_hz = 0, memory_bandwidth = 0, peak_flops = 0;
  int32_t capability_major = 0, capability_minor = 0;
  int64_t warp_size = 0, threads_per_multiprocessor = 0, registers_per_multiprocessor = 0, shared_memory_per_multiprocessor = 0;
};

// Everything but the numbers is a name of the pool; `eager` is 0, 1, or -1 when nobody can tell.
struct Operation {
  int32_t name = kNone, type = kNone, scope = kNone, program = kNone, source = kNone, category = kNone;
  double flops = kUnknown, bytes = kUnknown;
  int8_t eager = -1;
};

struct Markers {
  Column<int32_t> row;
  Column<int64_t> number;
  Column<int8_t> family;
};

struct Kernels {
  Column<int32_t> row, grid, block, registers;  // grid and block have three numbers a row
  Column<int64_t> shared_memory, graph_node;
  Column<float> occupancy, blocks_per_multiprocessor;
};

struct Copies {
  Column<int32_t> row;
  Column<int8_t> direction, source_memory, target_memory;
  Column<int64_t> bytes;
};

struct Collectives {
  Column<int32_t> row, name, group, group_size, dtype, peer;
  Column<int64_t> sequence, in_bytes, out_bytes;
};

struct Allocations {
  Column<int64_t> time, address, bytes, allocated, reserved;
  Column<int32_t> row, device, allocator, op, shape, dtype;
};

struct Flows {
  Column<int32_t> source, target;
  Column<int8_t> kind;
};

struct Counters {
  Column<int32_t> track;
  Column<int64_t> time;
  Column<double> value;
};

struct Aggregates {
  Column<int32_t> name, track;
  Column<int64_t> occurrences, total_ns;
};

struct Program {
  std::string name;
  int64_t program_id = 0;
  uint64_t offset = 0, length = 0;
};

struct Note {
  std::string level, code, text;
};

// What a reader hands over: one process's recording.
struct Tables {
  std::string host, framework;
  int64_t rank = kNone, world_size = kNone, base_ns = 0;
  int64_t window_start = 0, window_end = 0;
  std::vector<std::pair<std::string, std::string>> environment;
  TextPool names;
  std::vector<Track> tracks;
  std::vector<Device> devices;
  std::vector<Operation> ops;
  std::vector<Program> programs;
  Spans spans;
  Markers markers;
  Kernels kernels;
  Copies copies;
  Collectives collectives;
  Allocations allocations;
  Flows flows;
  Counters counters;
  Aggregates aggregates;
  std::vector<Note> notes;
};

}  // namespace stepscope::profile
