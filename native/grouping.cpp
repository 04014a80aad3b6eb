// One pass over two columns; numpy's way of doing it takes ten times as long.
#include "grouping.hpp"

#include <algorithm>
#include <limits>
#include <stdexcept>

namespace stepscope {

GroupTotals group_totals(std::span<const int32_t> group, std::span<const int64_t> value, int32_t groups) {
  if (group.size() != value.size()) throw std::invalid_argument("The columns of a table must be of one length.");
  if (groups < 0) throw std::invalid_argument("The number of groups cannot be negative.");
  const auto count = static_cast<std::size_t>(groups);
  GroupTotals found;
  found.sum.assign(count, 0);
  found.least.assign(count, std::numeric_limits<int64_t>::max());
  found.most.assign(count, std::numeric_limits<int64_t>::min());
  for (std::size_t row = 0; row < group.size(); ++row) {
    const int32_t at = group[row];
    if (at < 0 || at >= groups) throw std::invalid_argument("A group's number is beyond the number of groups.");
    // Unsigned, because sums of hostile numbers may wrap and must not be undefined.
    found.sum[at] = static_cast<int64_t>(static_cast<uint64_t>(found.sum[at]) + static_cast<uint64_t>(value[row]));
    found.least[at] = std::min(found.least[at], value[row]);
    found.most[at] = std::max(found.most[at], value[row]);
  }
  return found;
}

}  // namespace stepscope
