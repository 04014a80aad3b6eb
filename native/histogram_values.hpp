// One summary value as a histogram: the buckets of every generation of writers, and what is computed from them.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <span>
#include <string_view>
#include <vector>

#include "tensor_values.hpp"

namespace stepscope {

// What came of reading a value. The numbers are known to Python (queries/histograms.py).
enum class HistogramState : uint8_t {
  good = 0,
  unreadable = 1,  // the file does not hold it any more
  damaged = 2,     // its bytes are no message, or of another tag, or their checksum is wrong
  no_histogram = 3,
  too_large = 4,
};

// Below the median, the median and above, as far as 1.5, 1 and 0.5 standard deviations lie in a normal distribution, and both ends: in
// hundredths of a percent, as TensorBoard counts, so that shares which fall on an edge fall to the same side.
inline constexpr std::array<double, 9> kLevels = {0, 668, 1587, 3085, 5000, 6915, 8413, 9332, 10000};

struct Buckets {
  std::vector<double> left, right, count;  // in their order; edges may be infinite, but never both of one bucket
  double low = std::numeric_limits<double>::quiet_NaN();
  double high = std::numeric_limits<double>::quiet_NaN();  // the ends of the whole, finite; NaN when there are no buckets
  double total = 0;
  uint32_t left_out = 0;  // buckets whose edges or counts are no numbers, or the wrong way round
};

// A reader of many values keeps its memory from one to the next.
class HistogramParser {
 public:
  // Reads the bytes of a Summary.Value of that tag (empty: any). Buckets without counts are left out unless `with_empty`; the ends of the
  // whole are those of all buckets. The outer empty buckets of the old message are no part of it, as its least and greatest value tell.
  HistogramState read(std::string_view value, std::string_view tag, bool with_empty, Buckets& out);

 private:
  HistogramState read_old(std::string_view message, bool with_empty, Buckets& out);
  HistogramState read_tensor(std::string_view tensor, bool with_empty, Buckets& out);

  std::vector<double> limits_, counts_;
  TensorValues tensor_;
};

// A bucket that is open to one side holds everything at its other end, as nobody knows more.
struct Edges {
  double left, right;
};
Edges finite_edges(double left, double right);

// The values below which the shares kLevels lie, straight lines being drawn through each bucket; NaN when nothing was counted.
std::array<double, 9> levels_of(const Buckets& buckets);

// Adds the counts to cells of equal width between low and high, each bucket spread evenly over its width. What is outside is left out.
void add_to_cells(const Buckets& buckets, double low, double high, std::span<double> cells);

}  // namespace stepscope
