// The numbers of a TensorProto of floats or doubles, with its shape.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace stepscope {

struct TensorValues {
  std::vector<int64_t> shape;
  std::vector<double> values;  // as many as the shape says
};

// Fills `out` anew; false when the bytes are no tensor of numbers, when it holds another number of values than its shape says, or more
// than `most`. A list of one value stands for all of them, and an empty one for zeros.
bool tensor_values(std::string_view tensor, size_t most, TensorValues& out);

}  // namespace stepscope
