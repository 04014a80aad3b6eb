// Fuzzes reading a RunMetadata: makes ones with all kinds of devices and nodes, damages them, and checks what must hold of the tables
// for any bytes. Arguments: seconds to run, and a seed.
#include "profile/run_metadata.hpp"

#include "fuzz/damage.hpp"
#include "wire/fields.hpp"
#include "wire/writer.hpp"

namespace {

using namespace stepscope;

constexpr const char* kDevices[] = {"/job:localhost/replica:0/task:0/device:CPU:0",
                                    "/job:localhost/replica:0/task:0/device:GPU:0/stream:all",
                                    "/job:localhost/replica:0/task:0/device:GPU:0/stream:7",
                                    "/job:localhost/replica:0/task:0/device:GPU:0/memcpy",
                                    "/device:GPU:99999999999/stream:",
                                    "/gpu:0",
                                    ""};
constexpr const char* kLabels[] = {"a = MatMul(b, c)",
                                   "[cpu 1B 1B] s/b = _FusedMatMul(a, a)",
                                   "MEMCPYHtoD",
                                   "MEMCPYDtoD",
                                   "x =",
                                   "= IteratorGetNext()",
                                   "edge_1_b = _HostSend",
                                   "",
                                   "((("};

class Fuzzer : fuzz::Chooser {
 public:
  using Chooser::Chooser;

  void once() {
    std::string file = make_file();
    check(file);
    damage(file);
    check(file);
  }

 private:
  std::string make_node() {
    namespace N = wire::NodeExecStats;
    constexpr uint64_t kEpoch = 1'700'000'000'000'000;
    std::string node;
    wire::put_bytes_field(node, N::node_name, one_of(kLabels));
    wire::put_varint_field(node, N::all_start_micros, (chance(8) ? 0 : kEpoch) + some_number());
    for (const uint32_t field : {N::op_start_rel_micros, N::op_end_rel_micros, N::all_end_rel_micros})
      if (!chance(4)) wire::put_varint_field(node, field, some_number());
    if (chance(3))
      for (const uint32_t field : {N::all_start_nanos, N::op_start_rel_nanos, N::op_end_rel_nanos, N::all_end_rel_nanos})
        wire::put_varint_field(node, field, some_number() * (chance(2) ? 1 : 1000));
    wire::put_bytes_field(node, N::timeline_label, one_of(kLabels));
    for (uint64_t n = below(3); n > 0; --n) {
      std::string memory;
      for (uint32_t field = 1; field < 6; ++field) wire::put_varint_field(memory, field, some_number());
      std::string record;
      wire::put_varint_field(record, wire::AllocationRecord::alloc_micros, kEpoch + some_number());
      wire::put_varint_field(record, wire::AllocationRecord::alloc_bytes, some_number());
      wire::put_bytes_field(memory, wire::AllocatorMemoryUsed::allocation_records, record);
      wire::put_bytes_field(node, chance(2) ? N::memory : N::output, memory);
    }
    return node;
  }

  std::string make_file() {
    std::string steps;
    for (uint64_t devices = 1 + below(4); devices > 0; --devices) {
      std::string device;
      wire::put_bytes_field(device, wire::DeviceStepStats::device, one_of(kDevices));
      for (uint64_t nodes = below(20); nodes > 0; --nodes)
        wire::put_bytes_field(device, wire::DeviceStepStats::node_stats, make_node());
      wire::put_bytes_field(steps, wire::StepStats::dev_stats, device);
    }
    std::string file;
    wire::put_bytes_field(file, wire::RunMetadata::step_stats, steps);
    return file;
  }

  void check(const std::string& file) {
    try {
      fuzz::check_tables(profile::read_run_metadata(file, {chance(4) ? below(20) : 1000000, chance(4) ? below(10) : 1000000}));
    } catch (const profile::NoRunMetadata&) {
    }
  }
};

}  // namespace

int main(int count, char** arguments) { return fuzz::run<Fuzzer>(count, arguments); }
