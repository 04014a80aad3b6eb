// Counts values into the bucket edges that torch's and TensorFlow's histograms use: each 1.1 times the one before it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace stepscope {

struct Histogram {
  std::vector<int64_t> counts;  // one more edge than counts; all zero when no value is finite
  double min = 0;
  double max = 0;
  double sum = 0;
  double sum_squares = 0;
  int64_t finite = 0;
  int64_t nan = 0;
  int64_t infinite = 0;
};

// -1.1^n·1e-12 … -1e-12, 0, 1e-12 … 1.1^n·1e-12, up to almost 1e20.
const std::vector<double>& default_edges();

// A bucket holds its left edge and not its right one. Finite values beyond the edges go to the outermost buckets;
// NaN and infinities are counted apart, and are part of nothing else.
Histogram count_values(std::span<const float> values);
Histogram count_values(std::span<const double> values);

}  // namespace stepscope
