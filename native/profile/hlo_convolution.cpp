// Counts a convolution's multiplications dimension by dimension, in time that does not depend on the output's size.
#include "profile/hlo_convolution.hpp"

#include <algorithm>
#include <numeric>

namespace stepscope::profile::hlo {
namespace {

constexpr int64_t kLargest = int64_t{1} << 40;  // of any number here; beyond it nothing is real
constexpr int64_t kMostKernelPlaces = int64_t{1} << 14;
constexpr int64_t kMostDilation = 64;

int64_t dimension(const Shape& shape, int64_t place) {
  if (place < 0 || static_cast<uint64_t>(place) >= shape.dimensions.size()) return 0;
  return std::clamp<int64_t>(shape.dimensions[static_cast<size_t>(place)], 0, kLargest);
}

int64_t floor_divide(int64_t value, int64_t by) { return value / by - (value % by < 0 ? 1 : 0); }

// How many of the outputs [0, output) have `output * stride + offset` in [0, extent) and, where it is spread, on a number.
int64_t outputs_inside(int64_t offset, int64_t stride, int64_t extent, int64_t spread, int64_t output) {
  const int64_t first = std::max<int64_t>(0, -floor_divide(offset, stride));
  const int64_t last = std::min(output - 1, floor_divide(extent - 1 - offset, stride));
  if (last < first) return 0;
  const int64_t period = spread / std::gcd(stride, spread);
  for (int64_t at = first; at < first + period && at <= last; ++at)
    if ((at * stride + offset) % spread == 0) return (last - at) / period + 1;
  return 0;
}

}  // namespace

double valid_pairs(const WindowDimension& window, int64_t input, int64_t output) {
  const int64_t stride = std::clamp<int64_t>(window.stride, 1, 1 << 20),
                dilation = std::clamp<int64_t>(window.window_dilation, 1, 1 << 20);
  const int64_t spread = std::max<int64_t>(1, window.base_dilation), size = std::clamp<int64_t>(window.size, 0, kLargest);
  input = std::clamp<int64_t>(input, 0, kLargest);
  output = std::clamp<int64_t>(output, 0, kLargest);
  if (size > kMostKernelPlaces || spread > kMostDilation) return static_cast<double>(size) * static_cast<double>(output);
  const int64_t padding = std::clamp<int64_t>(window.padding_low, -kLargest, kLargest);
  const int64_t extent = input > 0 ? (input - 1) * spread + 1 : 0;
  double pairs = 0;
  for (int64_t place = 0; place < size; ++place)
    pairs += static_cast<double>(outputs_inside(place * dilation - padding, stride, extent, spread, output));
  return pairs;
}

double convolution_flops(const Instruction& instruction, const Shape& input, const Shape& output) {
  const ConvolutionDimensions& places = instruction.convolution;
  double products = static_cast<double>(dimension(input, places.input_feature)) / static_cast<double>(instruction.feature_groups);
  products *= static_cast<double>(dimension(output, places.output_feature));
  products *= static_cast<double>(dimension(input, places.input_batch)) / static_cast<double>(instruction.batch_groups);
  const size_t spatial = std::min(places.input_spatial.size(), places.output_spatial.size());
  for (size_t i = 0; i < spatial; ++i) {
    const WindowDimension window = i < instruction.window.size() ? instruction.window[i] : WindowDimension{};
    products *= valid_pairs(window, dimension(input, places.input_spatial[i]), dimension(output, places.output_spatial[i]));
  }
  return 2 * products;
}

}  // namespace stepscope::profile::hlo
