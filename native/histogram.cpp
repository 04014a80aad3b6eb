// Finds a value's bucket: torch's through a table over the leading bits of the number and one comparison, others by dividing.
#include "histogram.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace stepscope {
namespace {

// Sign, exponent and five bits of the fraction: a cell spans at most 1/32 of its numbers, edges lie 1/10 apart, so a cell holds
// at most one edge and one comparison finds the bucket.
constexpr int kCellShift = 52 - 5;
constexpr size_t kCells = size_t{1} << (64 - kCellShift);

size_t cell_of(double value) { return std::bit_cast<uint64_t>(value) >> kCellShift; }

// The least number in a cell: of negative ones, that is the one with all further bits set.
double least_of(size_t cell) {
  const bool negative = cell >= kCells / 2;
  return std::bit_cast<double>(((uint64_t{cell} + negative) << kCellShift) - negative);
}

class Buckets {
 public:
  Buckets() {
    std::vector<double> sizes;
    for (double edge = 1e-12; edge < 1e20; edge *= 1.1) sizes.push_back(edge);
    for (auto size = sizes.rbegin(); size != sizes.rend(); ++size) edges_.push_back(-*size);
    edges_.push_back(0);
    edges_.insert(edges_.end(), sizes.begin(), sizes.end());
    // What lies beyond the edges counts in the outermost buckets.
    ends_.assign(edges_.begin() + 1, edges_.end());
    ends_.back() = std::numeric_limits<double>::infinity();
    for (size_t cell = 0; cell < kCells; ++cell) {
      const double least = least_of(cell);
      if (std::isfinite(least))
        first_[cell] = static_cast<uint16_t>(std::upper_bound(ends_.begin(), ends_.end(), least) - ends_.begin());
    }
  }

  const std::vector<double>& edges() const { return edges_; }

  // Of a finite number; without branches on the value, which a processor could not foresee.
  size_t find(double value) const {
    const size_t bucket = first_[cell_of(value)];
    return bucket + (ends_[bucket] <= value);
  }

 private:
  std::vector<double> edges_;
  std::vector<double> ends_;                                        // of each bucket, which does not hold it
  std::vector<uint16_t> first_ = std::vector<uint16_t>(kCells, 0);  // per cell, the bucket of its least number
};

const Buckets& buckets() {
  static const Buckets made;
  return made;
}

// Sums run in lanes, because one sum could only grow by one value per few cycles.
constexpr size_t kLanes = 8;

struct Totals {
  double low[kLanes], high[kLanes], sum[kLanes]{}, squares[kLanes]{};

  Totals() {
    std::fill_n(low, kLanes, std::numeric_limits<double>::infinity());
    std::fill_n(high, kLanes, -std::numeric_limits<double>::infinity());
  }

  void add(size_t lane, double value) {
    low[lane] = std::min(low[lane], value);
    high[lane] = std::max(high[lane], value);
    sum[lane] += value;
    squares[lane] += value * value;
  }

  void tell(Histogram& to) const {
    if (to.finite == 0) return;
    to.min = *std::min_element(low, low + kLanes);
    to.max = *std::max_element(high, high + kLanes);
    for (size_t lane = 0; lane < kLanes; ++lane) {
      to.sum += sum[lane];
      to.sum_squares += squares[lane];
    }
  }
};

// A few values, of which any may be infinite or no number.
template <class T>
void count_some(std::span<const T> values, const Buckets& all, Histogram& found, Totals& totals) {
  for (const T each : values) {
    const auto value = static_cast<double>(each);
    if (!std::isfinite(value)) {
      ++(std::isnan(value) ? found.nan : found.infinite);
      continue;
    }
    totals.add(0, value);
    ++found.finite;
    ++found.counts[all.find(value)];
  }
}

template <class T>
Histogram count(std::span<const T> values) {
  const Buckets& all = buckets();
  Histogram found;
  found.counts.assign(all.edges().size() - 1, 0);
  Totals totals;
  // Neighbours often fall into one bucket, and adding to the same place twice has to wait; so they have counts of their own.
  std::vector<int64_t> others(found.counts.size(), 0);
  size_t at = 0;
  for (; at + kLanes <= values.size(); at += kLanes) {
    double block[kLanes];
    bool finite = true;
    for (size_t lane = 0; lane < kLanes; ++lane) {
      block[lane] = static_cast<double>(values[at + lane]);
      finite &= block[lane] - block[lane] == 0;
    }
    if (!finite) {
      count_some(values.subspan(at, kLanes), all, found, totals);
      continue;
    }
    for (size_t lane = 0; lane < kLanes; ++lane) totals.add(lane, block[lane]);
    for (size_t lane = 0; lane < kLanes; lane += 2) {
      ++found.counts[all.find(block[lane])];
      ++others[all.find(block[lane + 1])];
    }
    found.finite += kLanes;
  }
  count_some(values.subspan(at), all, found, totals);
  for (size_t place = 0; place < others.size(); ++place) found.counts[place] += others[place];
  totals.tell(found);
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
