// The rules by which names of an XSpace file become kinds, roles and purposes. They are tables, in the order they are tried, and the
// only place where such names are known.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "profile/tables.hpp"

namespace stepscope::profile::xspace {

// `call` is a prefix that an upper-case letter must follow: "cu" means cuLaunchKernel, not "custom". `frame` is a file and a function
// of Python's tracer, which writes "$file.py:12 function".
enum class Match : uint8_t { exact, prefix, suffix, contains, call, frame };

struct KindRule {
  Match match;
  std::string_view text;
  SpanKind kind;
};

struct CopyRule {
  Match match;
  std::string_view text;
  SpanKind kind;
  CopyDirection direction;
};

struct RoleRule {
  Match match;
  std::string_view text;
  TrackRole role;
};

struct PurposeRule {
  Match match;
  std::string_view text;
  TrackPurpose purpose;
};

struct CollectiveRule {
  std::string_view text, name;
};

enum class PlaneKind : uint8_t { host, gpu, tpu, device, derived, metadata, environment };

// Stats that are read while a file is loaded; every other one is read when somebody asks for it.
enum class Stat : uint8_t {
  other,
  step_num,
  root,
  producer_type,
  producer,
  consumer_type,
  consumer,
  id,
  correlation_id,
  tf_op,
  op_path,
  hlo_op,
  hlo_module,
  program_id,
  hlo_category,
  flops,
  bytes_accessed,
  source,
  shape,
  is_eager,
  kernel_details,
  memcpy_details,
  occupancy,
  graph_node,
  tf_function_call,
  input_stage,
  allocator_name,
  allocation_bytes,
  requested_bytes,
  bytes_allocated,
  bytes_reserved,
  addr,
  data_type,
  group_key,
  group_size,
  kernel_type,
  rendezvous_key,
  counter_value,
  run_id,
  queue_id,
  device_ordinal,
  core_type,
  hlo_proto,
  profile_start_time,
  profile_stop_time,
  profile_options,
  count_,
};
inline constexpr size_t kStats = static_cast<size_t>(Stat::count_);

bool matches(Match match, std::string_view text, std::string_view name);

Stat stat_of(std::string_view name);
PlaneKind plane_kind(std::string_view name);

// The tables themselves, for whoever lists them.
std::span<const KindRule> host_kinds();
std::span<const CopyRule> device_kinds();
std::span<const CopyRule> hlo_kinds();

// A host event's kind by its name alone; false when no rule knows it.
bool host_kind(std::string_view name, SpanKind& kind);
// The kind of what lies on a stream; never "other" but for what is known to be none.
SpanKind device_kind(std::string_view name, CopyDirection& direction);
// The kind of a compiled operation by its HLO name or category, which tells collectives and copies; false when it is neither.
// Where a copy of a TPU goes, by the memory spaces in its HLO text: space 5 is the host's memory. Unknown when none of them is.
CopyDirection host_copy(std::string_view hlo);
// Whether a line holds a TPU's asynchronous operations, each from its start to its end.
bool is_asynchronous(std::string_view line);
// Whether an operation only begins or ends an asynchronous one: `copy-start.3`, `all-reduce-done`.
bool is_half(std::string_view hlo);
bool hlo_kind(std::string_view hlo, SpanKind& kind, CopyDirection& direction);
// The operation's type: its name without the number behind the last dot.
std::string_view hlo_type(std::string_view hlo);
// Whether the key under which TensorFlow sends a tensor names two processes: "/job:a/task:0/device:CPU:0;…;/job:b/task:0/…".
bool crosses_hosts(std::string_view key);
// "allreduce", "allgather", …, or empty.
std::string_view collective_name(std::string_view name);

TrackRole line_role(PlaneKind plane, std::string_view name);
TrackPurpose thread_purpose(std::string_view name);
// Threads on which everything is compilation.
bool compiles(std::string_view thread);

// "name:Type" as TensorFlow names executions of operations; false for anything else.
bool split_operation(std::string_view text, std::string_view& name, std::string_view& type);
// The same of a stat that is known to name an operation: the name may hold anything, and "XlaModule:" has no type.
void split_path(std::string_view text, std::string_view& path, std::string_view& type);

}  // namespace stepscope::profile::xspace
