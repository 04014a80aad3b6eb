// Finds a value's bucket: torch's through a table over the leading bits of the number and one comparison, others by dividing.
#include "histogram.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace stepscope {
namespace {

// Exponent and five bits of the fraction: a cell spans at most 1/32 of its numbers, edges lie 1/10 apart, so a cell holds
// at most one edge and one comparison finds the bucket.
constexpr int kCellShift = 52 - 5;

uint64_t cell_of(double size) { return std::bit_cast<uint64_t>(size) >> kCellShift; }

class Buckets {
 public:
  Buckets() {
    for (double edge = 1e-12; edge < 1e20; edge *= 1.1) sizes_.push_back(edge);
    for (auto size = sizes_.rbegin(); size != sizes_.rend(); ++size) edges_.push_back(-*size);
    edges_.push_back(0);
    edges_.insert(edges_.end(), sizes_.begin(), sizes_.end());
    // One cell more at either end, for all that is smaller or larger than the edges.
    first_cell_ = cell_of(sizes_.front()) - 1;
    last_cell_ = cell_of(sizes_.back()) + 1;
    for (uint64_t cell = first_cell_; cell <= last_cell_; ++cell) {
      const auto low = std::bit_cast<double>(cell << kCellShift);
      below_.push_back(static_cast<uint16_t>(std::lower_bound(sizes_.begin(), sizes_.end(), low) - sizes_.begin()));
    }
    last_ = sizes_.size() - 1;
    sizes_.push_back(std::numeric_limits<double>::infinity());
  }

  const std::vector<double>& edges() const { return edges_; }

  // Without branches on the value, which a processor could not foresee.
  size_t find(double value) const {
    const double size = std::abs(value);
    const size_t negative = value < 0;
    const uint64_t cell = std::clamp(cell_of(size), first_cell_, last_cell_) - first_cell_;
    size_t passed = below_[cell];
    passed += sizes_[passed] < size;
    passed += (sizes_[passed] == size) & (negative ^ 1);
    passed = std::min(passed, last_);
    return negative ? last_ - passed : last_ + 1 + passed;
  }

 private:
  std::vector<double> sizes_;  // the positive edges, then infinity
  std::vector<double> edges_;
  size_t last_ = 0;  // of the positive edges
  uint64_t first_cell_ = 0;
  uint64_t last_cell_ = 0;
  std::vector<uint16_t> below_;  // per cell, how many positive edges are smaller than all of it
};

const Buckets& buckets() {
  static const Buckets made;
  return made;
}

template <class T>
Histogram count(std::span<const T> values) {
  const Buckets& all = buckets();
  Histogram found;
  found.counts.assign(all.edges().size() - 1, 0);
  double low = std::numeric_limits<double>::infinity();
  double high = -low;
  for (const T each : values) {
    const auto value = static_cast<double>(each);
    if (!std::isfinite(value)) {
      ++(std::isnan(value) ? found.nan : found.infinite);
      continue;
    }
    low = std::min(low, value);
    high = std::max(high, value);
    found.sum += value;
    found.sum_squares += value * value;
    ++found.finite;
    ++found.counts[all.find(value)];
  }
  if (found.finite > 0) {
    found.min = low;
    found.max = high;
  }
  return found;
}

template <class T>
Histogram count_even(std::span<const T> values, size_t buckets) {
  Histogram found;
  found.counts.assign(buckets, 0);
  double low = std::numeric_limits<double>::infinity();
  double high = -low;
  for (const T each : values) {
    const auto value = static_cast<double>(each);
    if (!std::isfinite(value)) {
      ++(std::isnan(value) ? found.nan : found.infinite);
      continue;
    }
    low = std::min(low, value);
    high = std::max(high, value);
    ++found.finite;
  }
  if (found.finite == 0) return found;
  found.min = low;
  found.max = high;
  if (buckets == 0) return found;
  // As TensorFlow divides, to the last bit; of numbers so far apart that their distance is infinite, by halves.
  const double scale = std::isfinite(high - low) ? 1.0 : 0.5;
  const double begin = low * scale;
  const double width = (high * scale - begin) / static_cast<double>(buckets);
  const auto last = static_cast<double>(buckets - 1);
  for (const T each : values) {
    const auto value = static_cast<double>(each);
    if (!std::isfinite(value)) continue;
    const double place = (value * scale - begin) / width;
    // Where all values are equal, and where they lie so close that the width is zero, place is no number or infinite.
    ++found.counts[place < last ? static_cast<size_t>(place) : buckets - 1];
  }
  return found;
}

}  // namespace

const std::vector<double>& default_edges() { return buckets().edges(); }

Histogram count_values(std::span<const float> values) { return count(values); }

Histogram count_values(std::span<const double> values) { return count(values); }

Histogram count_evenly(std::span<const float> values, size_t buckets) { return count_even(values, buckets); }

Histogram count_evenly(std::span<const double> values, size_t buckets) { return count_even(values, buckets); }

}  // namespace stepscope
