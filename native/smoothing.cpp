// Exponential, mean, median and Gaussian smoothing in time that does not grow, or only as log, with the window.
#include "smoothing.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <stdexcept>
#include <system_error>
#include <thread>
#include <vector>

#include "sliding_median.hpp"

namespace stepscope {
namespace {

constexpr std::size_t kPointsPerThread = 1 << 18;
constexpr unsigned kMostThreads = 8;

// Sums of 10^7 values below this stay finite; larger series are halved this many times for the sum, and doubled back.
constexpr double kLargeValue = 1e290;
constexpr double kScaleDown = 0x1p-64;

void check_lengths(std::span<const double> in, std::span<double> out) {
  if (in.size() != out.size()) {
    throw std::invalid_argument("The smoothed series needs room for as many points as the series has.");
  }
}

struct Survey {
  bool constant = true;  // all finite values are equal, or there are none
  bool all_finite = true;
  double largest = 0;  // of the finite values' magnitudes
};

Survey survey(std::span<const double> in) {
  Survey seen;
  double first = 0;
  bool any = false;
  for (const double value : in) {
    if (!std::isfinite(value)) {
      seen.all_finite = false;
      continue;
    }
    if (!any) {
      first = value;
      any = true;
    }
    seen.constant &= value == first;
    seen.largest = std::max(seen.largest, std::abs(value));
  }
  return seen;
}

// Calls work(begin, end) for stretches of [0, count) that end on multiples of `grain`, on as many threads as pay.
template <class Work>
void in_parallel(std::size_t count, std::size_t grain, const Work& work) {
  const std::size_t pieces = (count + grain - 1) / grain;
  const std::size_t cores = std::clamp(std::thread::hardware_concurrency(), 1u, kMostThreads);
  const std::size_t wanted = std::min({count / kPointsPerThread + 1, pieces, cores});
  const auto edge = [&](std::size_t part) { return std::min(count, pieces * part / wanted * grain); };
  std::vector<std::thread> threads;
  std::size_t started = 1;
  try {
    for (; started < wanted; ++started) {
      threads.emplace_back([&work, begin = edge(started), end = edge(started + 1)] { work(begin, end); });
    }
  } catch (const std::system_error&) {
    // No more threads to be had: the rest is done here.
  }
  work(edge(0), edge(1));
  if (started < wanted) work(edge(started), edge(wanted));
  for (auto& thread : threads) thread.join();
}

// A sum kept as high + low, of about 106 bits.
struct LongSum {
  double high = 0;
  double low = 0;

  void add(double value) {
    const double sum = high + value;
    const double of_value = sum - high;
    low += (high - (sum - of_value)) + (value - of_value);
    high = sum;
  }
  double mean(const LongSum& other, std::size_t count) const {
    LongSum both = *this;
    both.add(other.high);
    return (both.high + (both.low + other.low)) / static_cast<double>(count);
  }
};

struct CountedSum {
  LongSum sum;
  std::size_t count = 0;

  void add(double value, double scale) {
    if (!std::isfinite(value)) return;
    sum.add(value * scale);
    ++count;
  }
};

// The Gaussian as a cosine series over a period of kPeriod sigmas. Within 4 sigma, what the next period adds is
// exp(-7.4^2/2) = 1.3e-12, and what the terms left out would add is exp(-7.7^2/2) = 1.2e-13.
constexpr std::size_t kCosines = 14;
constexpr double kPeriod = 11.4;
constexpr double kCut = 4.0;

// Below this reach a plain sum over the kernel is faster than the cosines.
constexpr std::size_t kDirectReach = 32;

// One phasor per cosine. Each holds the sum of the values seen, turned by their distance from the newest one.
class PhasorBank {
 public:
  PhasorBank(double sigma, std::size_t reach) {
    for (std::size_t k = 0; k < kCosines; ++k) {
      const double omega = 2 * std::numbers::pi * static_cast<double>(k) / (kPeriod * sigma);
      const double damping = 2 * std::numbers::pi * static_cast<double>(k) / kPeriod;
      const double area = std::sqrt(2 * std::numbers::pi) / kPeriod * (k == 0 ? 1 : 2);
      const double amount = area * std::exp(-damping * damping / 2);
      turn_cos_[k] = std::cos(omega);
      turn_sin_[k] = std::sin(omega);
      out_cos_[k] = amount * std::cos(omega * static_cast<double>(reach));
      out_sin_[k] = amount * std::sin(omega * static_cast<double>(reach));
    }
  }
  void clear() {
    re_.fill(0);
    im_.fill(0);
  }
  // Takes the next value, and returns the kernel-weighted sum of all seen, as felt `reach` points from the newest.
  double push(double value) {
    std::array<double, kCosines> felt;
    for (std::size_t k = 0; k < kCosines; ++k) {
      const double re = turn_cos_[k] * re_[k] - turn_sin_[k] * im_[k] + value;
      const double im = turn_sin_[k] * re_[k] + turn_cos_[k] * im_[k];
      re_[k] = re;
      im_[k] = im;
      felt[k] = out_cos_[k] * re + out_sin_[k] * im;
    }
    double sum = 0;
    for (std::size_t k = 0; k < kCosines; k += 2) sum += felt[k] + felt[k + 1];
    return sum;
  }

 private:
  std::array<double, kCosines> turn_cos_, turn_sin_, out_cos_, out_sin_, re_{}, im_{};
};

// out[i] = sum of kernel(i - j) * load(j) over |i - j| <= reach, with load(j) = 0 outside of [0, n).
//
// A window of 2 reach + 1 points lies across one border of blocks of that length: its part left of the border is
// gathered by walking the left block backwards, its part right of it by walking the right block forwards. So an
// answer holds nothing but its own window, and no error is carried further than one block.
// Blocks that are not wanted(begin, end) keep what `out` has.
template <class Load, class Wanted>
void convolve_by_cosines(std::size_t n, double sigma, std::size_t reach, const Load& load, const Wanted& wanted,
                         std::span<double> out) {
  const std::size_t block = 2 * reach + 1;
  in_parallel(n, block, [&](std::size_t begin, std::size_t end) {
    PhasorBank bank(sigma, reach);
    for (std::size_t first = begin; first < end; first += block) {
      // Windows of the answers first + k start at first - reach + k, and the border is at first + reach + 1.
      const std::size_t stop = std::min(end, first + block);
      if (!wanted(first, stop)) continue;
      const std::size_t border = first + reach + 1;
      bank.clear();
      for (std::size_t k = block; k-- > 0;) {
        const bool inside = first + k >= reach && first + k - reach < n;
        const double felt = bank.push(inside ? load(first + k - reach) : 0.0);
        if (first + k < stop) out[first + k] = felt;
      }
      bank.clear();
      for (std::size_t k = 1; first + k < stop; ++k) {
        const std::size_t newest = border + k - 1;
        out[first + k] += bank.push(newest < n ? load(newest) : 0.0);
      }
    }
  });
}

template <class Load, class Wanted>
void convolve_directly(std::size_t n, std::span<const double> kernel, const Load& load, const Wanted& wanted, std::span<double> out) {
  constexpr std::size_t kBlock = 1024;
  const std::size_t reach = kernel.size() - 1;
  in_parallel(n, kBlock, [&](std::size_t begin, std::size_t end) {
    std::array<double, kBlock + 2 * kDirectReach> near;
    std::array<double, kBlock> sum;
    for (std::size_t first = begin; first < end; first += kBlock) {
      const std::size_t length = std::min(end - first, kBlock);
      if (!wanted(first, first + length)) continue;
      for (std::size_t k = 0; k < length + 2 * reach; ++k) {
        const bool inside = first + k >= reach && first + k - reach < n;
        near[k] = inside ? load(first + k - reach) : 0.0;
      }
      for (std::size_t k = 0; k < length; ++k) sum[k] = kernel[0] * near[k + reach];
      for (std::size_t t = 1; t <= reach; ++t) {
        const double* before = near.data() + reach - t;
        const double* after = near.data() + reach + t;
        for (std::size_t k = 0; k < length; ++k) sum[k] += kernel[t] * (before[k] + after[k]);
      }
      std::copy_n(sum.begin(), length, out.begin() + static_cast<std::ptrdiff_t>(first));
    }
  });
}

template <class Load, class Wanted>
void convolve(std::size_t n, double sigma, std::span<const double> kernel, const Load& load, const Wanted& wanted,
              std::span<double> out) {
  if (kernel.size() - 1 <= kDirectReach) {
    convolve_directly(n, kernel, load, wanted, out);
  } else {
    convolve_by_cosines(n, sigma, kernel.size() - 1, load, wanted, out);
  }
}

// The sum of the kernel's weights that each point's finite neighbours have; 0 where no value nearby is missing.
std::vector<double> weights_near_gaps(std::span<const double> in, double sigma, std::span<const double> kernel) {
  const std::size_t reach = kernel.size() - 1;
  std::vector<double> weight(in.size());
  const auto is_finite = [&](std::size_t i) { return std::isfinite(in[i]) ? 1.0 : 0.0; };
  const auto near_gap = [&](std::size_t begin, std::size_t end) {
    const std::size_t from = begin - std::min(begin, reach);
    const std::size_t to = std::min(in.size(), end + reach);
    return !std::all_of(in.begin() + static_cast<std::ptrdiff_t>(from), in.begin() + static_cast<std::ptrdiff_t>(to),
                        [](double value) { return std::isfinite(value); });
  };
  convolve(in.size(), sigma, kernel, is_finite, near_gap, weight);
  return weight;
}

}  // namespace

void smooth_ema(std::span<const double> in, double weight, std::span<double> out) {
  check_lengths(in, out);
  if (!(weight >= 0 && weight <= 1)) throw std::invalid_argument("Give an EMA weight from 0 to 1.");
  // The usual form divided by 1 - weight^n, written as one step on the way from the mean to the value, counted from the
  // end that weighs more. So a constant stays exactly what it is, and a rounding error fades as the value it came from.
  double mean = 0;
  double total = 0;
  for (std::size_t i = 0; i < in.size(); ++i) {
    const double value = in[i];
    if (!std::isfinite(value)) {
      out[i] = value;
      continue;
    }
    const double kept = weight * total;
    total = kept + 1;
    const double way = value - mean;
    if (!std::isfinite(way)) {
      mean = mean * (kept / total) + value / total;
    } else if (kept > 1) {
      mean += way / total;
    } else {
      mean = value - way * (kept / total);
    }
    out[i] = mean;
  }
}

void smooth_mean(std::span<const double> in, std::size_t window, std::span<double> out) {
  check_lengths(in, out);
  const std::size_t n = in.size();
  const std::size_t half = n == 0 ? 0 : std::min(window / 2, (n - 1) / 2);
  const Survey seen = survey(in);
  if (half == 0 || seen.constant) {
    std::copy(in.begin(), in.end(), out.begin());
    return;
  }
  const double scale = seen.largest > kLargeValue ? kScaleDown : 1.0;
  const auto answer = [&](std::size_t i, const CountedSum& left, const CountedSum& right) {
    out[i] = std::isfinite(in[i]) ? left.sum.mean(right.sum, left.count + right.count) / scale : in[i];
  };
  CountedSum from_start;
  CountedSum from_end;
  for (std::size_t i = 0; i < half; ++i) {
    if (i > 0) from_start.add(in[2 * i - 1], scale);
    from_start.add(in[2 * i], scale);
    answer(i, from_start, {});
    if (i > 0) from_end.add(in[n - 2 * i], scale);
    from_end.add(in[n - 1 - 2 * i], scale);
    answer(n - 1 - i, from_end, {});
  }
  // Each window lies across one border of blocks of its own length: the tail of one block and the head of the next.
  const std::size_t block = 2 * half + 1;
  const std::size_t starts = n - block + 1;
  in_parallel(starts, block, [&](std::size_t begin, std::size_t end) {
    std::vector<CountedSum> tail(block);
    for (std::size_t first = begin; first < end; first += block) {
      CountedSum sum;
      for (std::size_t k = block; k-- > 0;) {
        sum.add(in[first + k], scale);
        tail[k] = sum;
      }
      CountedSum head;
      for (std::size_t k = 0; k < block && first + k < end; ++k) {
        if (k > 0) head.add(in[first + block + k - 1], scale);
        answer(first + k + half, tail[k], head);
      }
    }
  });
}

void smooth_median(std::span<const double> in, std::size_t window, std::span<double> out) {
  check_lengths(in, out);
  const std::size_t n = in.size();
  if (n > 0xfffffff0) throw std::invalid_argument("Take fewer than 4 billion points for a median.");
  const std::size_t half = n == 0 ? 0 : std::min(window / 2, (n - 1) / 2);
  if (half == 0 || survey(in).constant) {
    std::copy(in.begin(), in.end(), out.begin());
    return;
  }
  // Longer stretches rank fewer points twice; shorter ones stay in the processor's cache.
  const std::size_t stretch = std::max<std::size_t>(512, 8 * half);
  in_parallel(n, stretch, [&](std::size_t begin, std::size_t end) {
    MedianStretch medians(in, half, out);
    for (std::size_t first = begin; first < end; first += stretch) medians.run(first, std::min(end, first + stretch));
  });
}

void smooth_gaussian(std::span<const double> in, double sigma, std::span<double> out) {
  check_lengths(in, out);
  if (!(sigma > 0)) throw std::invalid_argument("Give a Gaussian a sigma above 0 points.");
  const std::size_t n = in.size();
  const Survey seen = survey(in);
  if (n < 2 || seen.constant) {
    std::copy(in.begin(), in.end(), out.begin());
    return;
  }
  const double last = static_cast<double>(n - 1);
  const auto reach = static_cast<std::size_t>(std::min(last, std::floor(kCut * sigma)));
  std::vector<double> kernel(reach + 1);
  for (std::size_t t = 0; t <= reach; ++t) {
    const double at = static_cast<double>(t) / sigma;
    kernel[t] = std::exp(-at * at / 2);
  }
  const double scale = seen.largest > kLargeValue ? kScaleDown : 1.0;
  const auto finite_value = [&](std::size_t i) { return std::isfinite(in[i]) ? in[i] * scale : 0.0; };
  convolve(n, sigma, kernel, finite_value, [](std::size_t, std::size_t) { return true; }, out);

  std::vector<double> weight_to(reach + 1);
  double sum = 0;
  for (std::size_t t = 0; t <= reach; ++t) weight_to[t] = sum += kernel[t];
  const std::vector<double> gaps = seen.all_finite ? std::vector<double>{} : weights_near_gaps(in, sigma, kernel);
  for (std::size_t i = 0; i < n; ++i) {
    const double known = gaps.empty() ? 0 : gaps[i];
    const double inside = weight_to[std::min(reach, i)] + weight_to[std::min(reach, n - 1 - i)] - kernel[0];
    const double weight = known > 0 ? known : inside;
    out[i] = std::isfinite(in[i]) ? out[i] / (weight * scale) : in[i];
  }
}

}  // namespace stepscope
