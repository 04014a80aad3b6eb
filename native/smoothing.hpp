// Smooths a whole series, point for point; the answer depends on the data alone, never on what is drawn.
//
// Shared by all four: `out` has the length of `in` and may not overlap it; a value that is not finite comes back as it
// is and takes no part in its neighbours' answers; a series whose finite values are all equal comes back unchanged; a
// parameter out of range throws std::invalid_argument.
#pragma once

#include <cstddef>
#include <span>

namespace stepscope {

// Exponential moving average with TensorBoard's correction for the empty start: the mean of the values so far,
// weighted by weight^age. 0 <= weight <= 1; 1 is the plain mean of all values so far.
void smooth_ema(std::span<const double> in, double weight, std::span<double> out);

// Mean of `window` points around each point. An even window counts as the next odd one, and near an end the window
// shrinks on both sides alike. Each answer is summed from its own window only, in twice the precision of a double.
void smooth_mean(std::span<const double> in, std::size_t window, std::span<double> out);

// Median of the same windows as smooth_mean; of an even number of finite values, the mean of the middle two.
void smooth_median(std::span<const double> in, std::size_t window, std::span<double> out);

// Gaussian weights of standard deviation `sigma` points, cut at 4 sigma and divided by the weights that met a finite
// value. The weights are right to 2e-12 of the largest one, which is 1e-8 of the smallest; sigma must be positive.
void smooth_gaussian(std::span<const double> in, double sigma, std::span<double> out);

}  // namespace stepscope
