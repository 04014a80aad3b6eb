// The one number inside a rank-0 TensorProto of any numeric type.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace stepscope {

// The value of a tensor with exactly one element of a numeric type; nothing for any other tensor or malformed bytes.
// int64 and uint64 above 2^53 are rounded to double.
std::optional<double> tensor_scalar(std::string_view tensor);

}  // namespace stepscope
