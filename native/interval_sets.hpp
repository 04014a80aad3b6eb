// Sets of instants as sorted, disjoint intervals: union, difference, and how much of a set lies before given times.
#pragma once

#include <cstdint>
#include <span>

#include "large_memory.hpp"

namespace stepscope {

// Neither touching nor empty, in time order.
struct IntervalSet {
  LargeVector<int64_t> start;
  LargeVector<int64_t> end;
};

// Both columns of a set, or of intervals that are to become one.
struct IntervalColumns {
  std::span<const int64_t> start;
  std::span<const int64_t> end;
};

// Intervals of any order and overlap as a set; empty ones vanish. Fast where they come in runs of rising starts, as those of one
// track after another do. Throws std::invalid_argument when columns differ in length.
IntervalSet union_of(IntervalColumns given);

// The same of those whose label is wanted: wanted[label] is not 0. A negative label never is. Throws std::invalid_argument when
// columns differ in length or a label is beyond the table.
IntervalSet union_of_labels(IntervalColumns given, std::span<const int8_t> label, std::span<const uint8_t> wanted);

// What lies in the first and not in the second; both are sorted and disjoint. Throws std::invalid_argument when they are not.
IntervalSet difference_of(IntervalColumns these, IntervalColumns others);

// How much of the set, sorted and disjoint, lies before each time; fast where times rise. Throws std::invalid_argument as above.
LargeVector<int64_t> lengths_before(IntervalColumns these, std::span<const int64_t> time);

}  // namespace stepscope
