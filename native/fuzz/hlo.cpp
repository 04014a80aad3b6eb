// Fuzzes reading an HloProto: makes programs of all kinds of instructions, damages them, and checks what must hold of the module and
// its costs for any bytes. Arguments: seconds to run, and a seed.
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>

#include "profile/hlo_cost.hpp"
#include "profile/hlo_module.hpp"
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

constexpr const char* kOpcodes[] = {"parameter",
                                    "constant",
                                    "add",
                                    "tanh",
                                    "dot",
                                    "convolution",
                                    "reduce",
                                    "fusion",
                                    "while",
                                    "conditional",
                                    "call",
                                    "custom-call",
                                    "tuple",
                                    "bitcast",
                                    "dynamic-slice",
                                    "gather",
                                    "scatter",
                                    "sort",
                                    "fft",
                                    "cholesky",
                                    "all-reduce",
                                    "reduce-window",
                                    "slice",
                                    "select-and-scatter",
                                    "async-done",
                                    "map",
                                    "copy-start",
                                    "",
                                    "reduce-scatter",
                                    "dynamic-update-slice"};
constexpr const char* kTargets[] = {
    "__cublas$gemm", "__cudnn$convForward", "__cudnn$convBackwardInput", "__cudnn$convBackwardFilter", "Sharding", "mine", ""};
constexpr const char* kConfigs[] = {"{\"known_trip_count\":{\"n\":\"99999999999999999999\"}}",
                                    "{\"known_trip_count\":{\"n\":\"-5\"}}",
                                    "{\"known_trip_count\":{\"n\":\"",
                                    "{\"lhs_contracting_dimensions\":[\"1\",\"77\",",
                                    "{\"lhs_contracting_dimensions\":[1,-3]}",
                                    "\"lhs_contracting_dimensions\"",
                                    ""};

class Fuzzer {
 public:
  explicit Fuzzer(uint64_t seed) : random_(seed) {}

  void once() {
    std::string program = make_program();
    check(program);
    damage(program);
    check(program);
  }

 private:
  uint64_t below(uint64_t end) { return end ? random_() % end : 0; }
  bool chance(uint64_t one_in) { return below(one_in) == 0; }
  template <size_t N>
  std::string_view one_of(const char* const (&texts)[N]) {
    return texts[below(N)];
  }

  uint64_t some_number() {
    switch (below(12)) {
      case 0:
        return random_();
      case 1:
        return chance(2) ? UINT64_MAX : uint64_t{1} << 63;
      case 2:
        return random_() & 0xffffffff;
      default:
        return below(20);
    }
  }

  std::string some_numbers(uint64_t most) {
    std::string packed;
    for (uint64_t n = below(most + 1); n > 0; --n) wire::put_varint(packed, some_number());
    return packed;
  }

  std::string make_shape(int depth) {
    std::string shape;
    const bool tuple = depth < 20 && chance(6);
    wire::put_varint_field(shape, wire::HloShape::element_type, tuple ? 13 : chance(10) ? some_number() : 1 + below(34));
    if (tuple)
      for (uint64_t n = below(4); n > 0; --n) wire::put_bytes_field(shape, wire::HloShape::tuple_shapes, make_shape(depth + 1));
    wire::put_bytes_field(shape, wire::HloShape::dimensions, some_numbers(chance(20) ? 80 : 5));
    std::string layout, tile;
    wire::put_bytes_field(layout, wire::HloLayout::minor_to_major, some_numbers(5));
    wire::put_varint_field(layout, wire::HloLayout::element_size_in_bits, chance(3) ? some_number() : 0);
    wire::put_bytes_field(tile, wire::HloTile::dimensions, some_numbers(3));
    if (chance(3)) wire::put_bytes_field(layout, wire::HloLayout::tiles, tile);
    if (chance(2)) wire::put_bytes_field(shape, wire::HloShape::layout, layout);
    return shape;
  }

  std::string make_window() {
    std::string window;
    for (uint64_t n = below(4); n > 0; --n) {
      std::string dimension;
      for (uint32_t field = 1; field <= 6; ++field) wire::put_varint_field(dimension, field, some_number());
      wire::put_bytes_field(window, wire::HloWindow::dimensions, dimension);
    }
    return window;
  }

  std::string make_convolution() {
    std::string places;
    for (const uint32_t field : {3u, 4u, 7u, 8u, 9u, 10u}) wire::put_varint_field(places, field, some_number());
    for (const uint32_t field : {6u, 11u, 12u}) wire::put_bytes_field(places, field, some_numbers(4));
    return places;
  }

  std::string make_dot() {
    std::string places;
    for (uint32_t field = 1; field <= 4; ++field) wire::put_bytes_field(places, field, some_numbers(3));
    return places;
  }

  std::string make_instruction(uint64_t id) {
    using namespace wire::HloInstruction;
    std::string it, three;
    wire::put_bytes_field(it, name, "i" + std::to_string(id));
    wire::put_bytes_field(it, opcode, one_of(kOpcodes));
    wire::put_bytes_field(it, shape, make_shape(0));
    wire::put_varint_field(it, wire::HloInstruction::id, id);
    wire::put_varint_field(it, parameter_number, some_number());
    wire::put_bytes_field(it, operand_ids, some_numbers(4));
    wire::put_bytes_field(it, called_computation_ids, some_numbers(2));
    for (uint32_t field = 1; field <= 3; ++field) wire::put_varint_field(three, field, some_number());
    if (chance(3)) wire::put_bytes_field(it, window, make_window());
    if (chance(3)) wire::put_bytes_field(it, convolution_dimension_numbers, make_convolution());
    if (chance(3)) wire::put_bytes_field(it, dot_dimension_numbers, make_dot());
    if (chance(3)) wire::put_varint_field(it, feature_group_count, some_number());
    if (chance(3)) wire::put_bytes_field(it, custom_call_target, one_of(kTargets));
    if (chance(3)) wire::put_bytes_field(it, backend_config, one_of(kConfigs));
    if (chance(4)) wire::put_bytes_field(it, slice_dimensions, three);
    if (chance(4)) wire::put_bytes_field(it, replica_groups, some_numbers(5));
    if (chance(4)) wire::put_bytes_field(it, literal, make_dot());
    std::string metadata;
    wire::put_varint_field(metadata, wire::HloOpMetadata::stack_frame_id, some_number());
    if (chance(2)) wire::put_bytes_field(it, wire::HloInstruction::metadata, metadata);
    return it;
  }

  std::string make_program() {
    std::string module, frames, whole;
    uint64_t number = 0;
    for (uint64_t computations = 1 + below(5); computations > 0; --computations) {
      std::string computation;
      wire::put_varint_field(computation, wire::HloComputation::id, below(20));
      wire::put_varint_field(computation, wire::HloComputation::root_id, some_number());
      for (uint64_t n = below(8); n > 0; --n)
        wire::put_bytes_field(computation, wire::HloComputation::instructions, make_instruction(number++));
      wire::put_bytes_field(module, wire::HloModuleProto::computations, computation);
    }
    wire::put_varint_field(module, wire::HloModuleProto::entry_computation_id, below(20));
    wire::put_bytes_field(frames, wire::HloStackFrames::file_names, "a.py");
    for (uint64_t n = below(4); n > 0; --n) {
      std::string pair;
      wire::put_varint_field(pair, 1, some_number());
      wire::put_varint_field(pair, 3, some_number());
      wire::put_bytes_field(frames, chance(2) ? wire::HloStackFrames::file_locations : wire::HloStackFrames::stack_frames, pair);
    }
    wire::put_bytes_field(module, wire::HloModuleProto::stack_frame_index, frames);
    wire::put_bytes_field(whole, wire::HloProto::hlo_module, module);
    return whole;
  }

  void damage(std::string& bytes) {
    for (uint64_t n = 1 + below(4); n > 0 && !bytes.empty(); --n) {
      const size_t at = below(bytes.size()), length = below(std::min<size_t>(bytes.size() - at, 40) + 1);
      switch (below(4)) {
        case 0:
          bytes[at] = static_cast<char>(random_());
          break;
        case 1:
          bytes.erase(at, length);
          break;
        case 2:
          bytes.insert(at, bytes.substr(below(bytes.size()), length));
          break;
        default:
          if (chance(4)) bytes.resize(at);
      }
    }
  }

  static void check(const std::string& bytes) {
    try {
      const hlo::Module module = hlo::read_module(bytes);
      check_places(module);
      const std::vector<hlo::Cost> costs = hlo::costs_of(module);
      HOLDS(costs.size() == module.instructions.size());
      for (const hlo::Cost& cost : costs) {
        HOLDS(std::isfinite(cost.flops) && cost.flops >= 0 && std::isfinite(cost.bytes) && cost.bytes >= 0);
        HOLDS(cost.product >= -1 && cost.product < static_cast<int32_t>(module.instructions.size()));
      }
      for (const hlo::Instruction& instruction : module.instructions) {
        HOLDS(hlo::attributes_of(module, instruction).size() < 64 * bytes.size() + 4096);
        HOLDS(!instruction.shape.text().empty());
      }
    } catch (const hlo::Unreadable&) {
    }
  }

  static void check_places(const hlo::Module& module) {
    const auto rows = static_cast<int32_t>(module.instructions.size()), computations = static_cast<int32_t>(module.computations.size());
    HOLDS(computations > 0 && module.entry >= 0 && module.entry < computations);
    int32_t next = 0;
    for (const hlo::Computation& computation : module.computations) {
      HOLDS(computation.first == next && computation.last >= next && computation.root < computation.last);
      HOLDS(computation.root == -1 || computation.root >= computation.first);
      next = computation.last;
    }
    HOLDS(next == rows);
    for (const hlo::Instruction& instruction : module.instructions) {
      for (const int32_t operand : instruction.operands) HOLDS(operand >= 0 && operand < rows);
      for (const int32_t called : instruction.called) HOLDS(called >= 0 && called < computations);
    }
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
  std::printf("%llu programs, nothing found\n", static_cast<unsigned long long>(rounds));
  return 0;
}
