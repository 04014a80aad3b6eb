// Multiplications of a convolution that count: those with numbers that are there, not with padding or the holes of dilation.
#pragma once

#include "profile/hlo_module.hpp"

namespace stepscope::profile::hlo {

// Pairs of a place in the kernel and a place in the output, along one dimension, that meet an input.
double valid_pairs(const WindowDimension& window, int64_t input, int64_t output);

// Two for each multiplication and addition. `input`, `kernel` and `output` are those of the forward convolution.
double convolution_flops(const Instruction& instruction, const Shape& input, const Shape& output);

}  // namespace stepscope::profile::hlo
