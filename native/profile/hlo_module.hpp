// A compiled XLA program as its HloProto tells it: computations and their instructions, with shapes and what they refer to.
#pragma once

#include <array>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace stepscope::profile::hlo {

// The bytes are no HloProto, or hold more than a program may; the text goes after the program's name.
class Unreadable : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// How much of one program is read; what a file cannot hold for real.
inline constexpr size_t kMostInstructions = size_t{1} << 21;
inline constexpr size_t kMostShapes = size_t{1} << 22;
inline constexpr size_t kMostDimensions = 64;
inline constexpr int kDeepestTuple = 16;

// XLA's numbers of element types.
enum class ElementType : uint8_t { invalid = 0, tuple = 13, opaque = 14, token = 17 };

struct Shape {
  ElementType type = ElementType::invalid;
  uint32_t bits = 0;          // of an element where the layout packs them, 0 otherwise
  uint32_t memory_space = 0;  // 0 is the device's main memory
  std::vector<int64_t> dimensions, minor_to_major;
  std::vector<std::vector<int64_t>> tiles;
  std::vector<Shape> parts;  // of a tuple

  double elements() const;  // of an array; the sum over a tuple's parts
  double bytes() const;
  std::string text() const;
};

std::string_view name_of(ElementType type);
double bytes_of(ElementType type);

struct WindowDimension {
  int64_t size = 1, stride = 1, padding_low = 0, padding_high = 0, window_dilation = 1, base_dilation = 1;
};

// Places of the dimensions of a convolution's input, kernel and output.
struct ConvolutionDimensions {
  int64_t input_batch = 0, input_feature = 0, kernel_input_feature = 0, kernel_output_feature = 0, output_batch = 0, output_feature = 0;
  std::vector<int64_t> input_spatial, kernel_spatial, output_spatial;
};

struct DotDimensions {
  std::vector<int64_t> lhs_contracting, rhs_contracting, lhs_batch, rhs_batch;
};

// Views point into the proto's bytes.
struct Instruction {
  std::string_view name, opcode, op_name, op_type, source_file, fusion_kind, custom_call_target, backend_config, direction;
  Shape shape;
  int64_t id = 0, parameter = 0, tuple_index = 0, source_line = 0, stack_frame = 0, channel = 0;
  int64_t feature_groups = 1, batch_groups = 1;
  std::vector<int64_t> dimensions, slice_sizes, operand_ids, called_ids;
  std::vector<std::array<int64_t, 3>> slices, padding;
  std::vector<WindowDimension> window;
  std::vector<std::vector<int64_t>> replica_groups;
  std::string literal;  // of a scalar constant
  ConvolutionDimensions convolution;
  DotDimensions dot;
  bool has_convolution = false, has_dot = false;
  std::vector<int32_t> operands, called;  // places in the module's instructions and computations
};

struct Computation {
  std::string_view name;
  int64_t id = 0, root_id = 0;
  int32_t first = 0, last = 0;  // its instructions are [first, last)
  int32_t root = -1;
};

struct Module {
  std::string_view name;
  int32_t entry = -1;
  std::vector<Computation> computations;
  std::vector<Instruction> instructions;
  bool damaged = false;  // what follows the damage is missing
};

// Reads a serialised HloProto; the views stay valid as long as the bytes. Raises Unreadable when there is no computation in them.
Module read_module(std::string_view bytes);

// What follows an instruction's operands in its text: dimensions, windows, what it calls.
std::string attributes_of(const Module& module, const Instruction& instruction);

}  // namespace stepscope::profile::hlo
