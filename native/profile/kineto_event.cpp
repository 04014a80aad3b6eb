// Reading of one event, with a table of the argument names we care for.
#include "profile/kineto_event.hpp"

#include <cstring>
#include <utility>

namespace stepscope::profile {
namespace {

constexpr std::pair<std::string_view, Arg> kArguments[] = {
    {"External id", Arg::external_id},
    {"external id", Arg::external_id},
    {"correlation", Arg::correlation},
    {"stream", Arg::stream},
    {"device", Arg::device},
    {"Input Dims", Arg::input_dims},
    {"Input type", Arg::input_types},
    {"Fwd thread id", Arg::forward_thread},
    {"grid", Arg::grid},
    {"block", Arg::block},
    {"registers per thread", Arg::registers},
    {"shared memory", Arg::shared_memory},
    {"blocks per SM", Arg::blocks_per_multiprocessor},
    {"est. achieved occupancy %", Arg::occupancy},
    {"graph node id", Arg::graph_node},
    {"bytes", Arg::bytes},
    {"size", Arg::bytes},
    {"Addr", Arg::address},
    {"Bytes", Arg::allocation_bytes},
    {"Total Allocated", Arg::total_allocated},
    {"Total Reserved", Arg::total_reserved},
    {"Device Type", Arg::device_type},
    {"Device Id", Arg::device_id},
    {"Collective name", Arg::collective},
    {"Process Group Name", Arg::group},
    {"Group size", Arg::group_size},
    {"Seq", Arg::sequence},
    {"In msg nelems", Arg::in_elements},
    {"Out msg nelems", Arg::out_elements},
    {"dtype", Arg::dtype},
    {"name", Arg::name},
    {"labels", Arg::labels},
    {"step_num", Arg::step_number},
    {"step", Arg::step},
    {"iteration", Arg::step},
    {"rank", Arg::rank},
    {"Process Group Ranks", Arg::group_ranks},
    {"Dst Rank", Arg::receiver},
    {"Src Rank", Arg::sender},
    {"kernel_backend", Arg::kernel_backend},
    {"tf_op", Arg::tf_op},
    {"wait_on_stream", Arg::waits_on_stream},
    {"wait_on_cuda_event_record_corr_id", Arg::waits_on_record},
    {"hlo_op", Arg::hlo_op},
    {"hlo_module", Arg::hlo_module},
    {"correlation_id", Arg::correlation_id},
    {"op", Arg::operation_type},
    {"stepscope kind", Arg::span_kind},
    {"stepscope purpose", Arg::thread_purpose},
};
static_assert(static_cast<size_t>(Arg::count) <= 64);

// Open addressing by length and first bytes; a miss is decided by one empty slot nearly always.
class ArgumentTable {
 public:
  ArgumentTable() {
    for (const auto& [text, arg] : kArguments) {
      char padded[40] = {};
      std::memcpy(padded, text.data(), text.size());
      size_t at = slot_of({padded, text.size()});
      while (!slots_[at].text.empty()) at = (at + 1) % kSlots;
      slots_[at] = {text, arg};
    }
  }

  // The key must be followed by eight readable bytes, as everything under a cursor is.
  Arg find(std::string_view key) const {
    for (size_t at = slot_of(key);; at = (at + 1) % kSlots) {
      if (slots_[at].text.empty()) return Arg::count;
      if (slots_[at].text == key) return slots_[at].arg;
    }
  }

 private:
  static constexpr size_t kSlots = 256;
  struct Slot {
    std::string_view text;
    Arg arg = Arg::count;
  };

  static size_t slot_of(std::string_view key) {
    uint64_t head = wire::little_endian<uint64_t>(key.data());
    if (key.size() < 8) head &= (uint64_t{1} << (8 * key.size())) - 1;
    return static_cast<size_t>(((head ^ key.size() << 56) * 0x9e3779b97f4a7c15u) >> 56);
  }

  std::array<Slot, kSlots> slots_;
};

const ArgumentTable kTable;

}  // namespace

void TraceEvent::read_arguments(JsonCursor& cursor) {
  if (cursor.next() != '{') {
    cursor.value();
    return;
  }
  const char* const first = cursor.at();
  cursor.object([&](std::string_view key) {
    const JsonValue value = cursor.value();
    const Arg arg = kTable.find(key);
    if (arg == Arg::count || !value) return;
    values_[static_cast<size_t>(arg)] = value;
    present_ |= uint64_t{1} << static_cast<unsigned>(arg);
  });
  arguments = {first, static_cast<size_t>(cursor.at() - first)};
}

bool TraceEvent::read(JsonCursor& cursor) {
  phase = category = name = process = thread = time = duration = id = {};
  arguments = {};
  present_ = 0;
  return cursor.object([&](std::string_view key) {
    JsonValue* into = nullptr;
    switch (key.size()) {
      case 2:
        into = key == "ph" ? &phase : key == "ts" ? &time : key == "id" ? &id : nullptr;
        break;
      case 3:
        into = key == "pid" ? &process : key == "tid" ? &thread : key == "dur" ? &duration : key == "cat" ? &category : nullptr;
        if (key == "id2" && !id) into = &id;
        break;
      case 4:
        if (key == "args") return read_arguments(cursor);
        into = key == "name" ? &name : nullptr;
        break;
      default:
        break;
    }
    const JsonValue value = cursor.value();
    if (into) *into = value;
  });
}

}  // namespace stepscope::profile
