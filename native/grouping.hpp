// Sums and extremes of whole numbers over numbered groups, in one pass.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace stepscope {

struct GroupTotals {
  std::vector<int64_t> sum;
  std::vector<int64_t> least;  // INT64_MAX for an empty group
  std::vector<int64_t> most;   // INT64_MIN for an empty group
};

// Throws std::invalid_argument when columns differ in length or a group's number is not below `groups`.
GroupTotals group_totals(std::span<const int32_t> group, std::span<const int64_t> value, int32_t groups);

}  // namespace stepscope
