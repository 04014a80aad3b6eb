// One event of a trace as slices of its text, with the arguments a profile's tables need.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "profile/json_cursor.hpp"

namespace stepscope::profile {

enum class Arg : uint8_t {
  external_id,
  correlation,
  stream,
  device,
  input_dims,
  input_types,
  forward_thread,
  grid,
  block,
  registers,
  shared_memory,
  blocks_per_multiprocessor,
  occupancy,
  graph_node,
  bytes,
  address,
  allocation_bytes,
  total_allocated,
  total_reserved,
  device_type,
  device_id,
  collective,
  group,
  group_size,
  sequence,
  in_elements,
  out_elements,
  dtype,
  name,
  labels,
  step_number,
  step,
  rank,
  group_ranks,
  receiver,
  sender,
  kernel_backend,
  tf_op,
  waits_on_stream,
  waits_on_record,
  hlo_op,
  hlo_module,
  correlation_id,
  operation_type,
  span_kind,
  thread_purpose,
  count,
};

struct TraceEvent {
  JsonValue phase, category, name, process, thread, time, duration, id;
  std::string_view arguments;  // whole, with its braces
  uint64_t offset = 0;

  const JsonValue* find(Arg arg) const {
    return present_ >> static_cast<unsigned>(arg) & 1 ? &values_[static_cast<size_t>(arg)] : nullptr;
  }
  bool has(Arg arg) const { return find(arg) != nullptr; }
  // A value that is never there when the argument is not.
  JsonValue get(Arg arg) const {
    const JsonValue* value = find(arg);
    return value ? *value : JsonValue{};
  }
  char phase_letter() const { return phase.kind == JsonKind::text && phase.raw.size() == 1 ? phase.raw[0] : '\0'; }

  // Reads the event at the cursor.
  bool read(JsonCursor& cursor);

 private:
  void read_arguments(JsonCursor& cursor);

  std::array<JsonValue, static_cast<size_t>(Arg::count)> values_;
  uint64_t present_ = 0;
};

}  // namespace stepscope::profile
