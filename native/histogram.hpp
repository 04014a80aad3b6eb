// Counts values into buckets: torch's, whose edges are each 1.1 times the one before it, and TensorFlow's, of equal width.
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

// Only the least and greatest value and the numbers of finite values, NaNs and infinities are filled in besides counts: so many
// buckets of equal width between those two. The last one holds its right edge, and everything when all values are equal.
Histogram count_evenly(std::span<const float> values, size_t buckets);
Histogram count_evenly(std::span<const double> values, size_t buckets);

}  // namespace stepscope
