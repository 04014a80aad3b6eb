// How much arithmetic and memory traffic one execution of an instruction needs, by the rules of docs/profiles/hlo.md.
#pragma once

#include <cstdint>
#include <vector>

#include "profile/hlo_module.hpp"

namespace stepscope::profile::hlo {

// What is not certain about a cost; several may hold.
enum CostDoubt : uint8_t {
  kEstimated = 1,  // by a library call's shapes, not by its code
  kLoop = 2,       // holds a loop whose number of rounds is unknown, counted once
  kUnknown = 4,    // holds a library call of which nothing is known, counted as no arithmetic
};

struct Cost {
  double flops = 0, transcendentals = 0, bytes = 0;
  uint8_t doubts = 0;
  int32_t product = -1;  // the instruction, here or inside, with the most arithmetic that is a product or convolution
  double product_flops = 0;

  void add(const Cost& other, double times = 1);
};

// One for each instruction of the module.
std::vector<Cost> costs_of(const Module& module);

}  // namespace stepscope::profile::hlo
