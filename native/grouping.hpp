// Groups of rows: their numbers, sums and extremes of whole numbers over them, and what occurs together; in one pass each.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "large_memory.hpp"

namespace stepscope {

struct GroupTotals {
  std::vector<int64_t> sum;
  std::vector<int64_t> least;  // INT64_MAX for an empty group
  std::vector<int64_t> most;   // INT64_MIN for an empty group
};

// Throws std::invalid_argument when columns differ in length or a group's number is not below `groups`.
GroupTotals group_totals(std::span<const int32_t> group, std::span<const int64_t> value, int32_t groups);

// The sum of each group's values, added in the order of the rows. Throws as group_totals does.
std::vector<double> group_sums(std::span<const int32_t> group, std::span<const double> value, int32_t groups);

// The place of the first row of each group, -1 for an empty one. Throws as group_totals does.
std::vector<int64_t> group_firsts(std::span<const int32_t> group, int32_t groups);

// The place of each group's largest value, of equal ones the last; -1 for an empty group. Throws as group_totals does.
std::vector<int64_t> group_largest(std::span<const int32_t> group, std::span<const int64_t> value, int32_t groups);

// How many different values each group has; those that never fall are not sorted. Throws as group_totals does.
std::vector<int64_t> group_distinct(std::span<const int32_t> group, std::span<const int64_t> value, int32_t groups);

struct DenseCodes {
  LargeVector<int32_t> code;
  int32_t groups = 0;
};

// Groups of equal codes, all in [0, space), numbered without gaps in the order of the codes.
// Throws std::invalid_argument when a code is outside.
DenseCodes dense_codes(std::span<const int64_t> given, int64_t space);

// For every kind, 0 to kinds - 1, and every name, 0 to names - 1, whether any row has both: 1 or 0, kind after kind. Looks at the rows
// [first[i], last[i]) for every i. Throws std::invalid_argument when columns differ in length or numbers or rows are outside.
std::vector<uint8_t> names_of_kinds(std::span<const int8_t> kind, std::span<const int32_t> name, std::span<const int64_t> first,
                                    std::span<const int64_t> last, int8_t kinds, int32_t names);

}  // namespace stepscope
