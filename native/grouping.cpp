// One pass over columns; numpy's way of doing it takes ten times as long.
#include "grouping.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <stdexcept>

namespace stepscope {

namespace {

// The number of groups, for tables with a place for each.
std::size_t checked(std::size_t rows, std::size_t values, int32_t groups) {
  if (rows != values) throw std::invalid_argument("The columns of a table must be of one length.");
  if (groups < 0) throw std::invalid_argument("The number of groups cannot be negative.");
  return static_cast<std::size_t>(groups);
}

int32_t checked_group(int32_t group, int32_t groups) {
  if (group < 0 || group >= groups) throw std::invalid_argument("A group's number is beyond the number of groups.");
  return group;
}

}  // namespace

GroupTotals group_totals(std::span<const int32_t> group, std::span<const int64_t> value, int32_t groups) {
  const std::size_t count = checked(group.size(), value.size(), groups);
  GroupTotals found;
  found.sum.assign(count, 0);
  found.least.assign(count, std::numeric_limits<int64_t>::max());
  found.most.assign(count, std::numeric_limits<int64_t>::min());
  for (std::size_t row = 0; row < group.size(); ++row) {
    const int32_t at = checked_group(group[row], groups);
    // Unsigned, because sums of hostile numbers may wrap and must not be undefined.
    found.sum[at] = static_cast<int64_t>(static_cast<uint64_t>(found.sum[at]) + static_cast<uint64_t>(value[row]));
    found.least[at] = std::min(found.least[at], value[row]);
    found.most[at] = std::max(found.most[at], value[row]);
  }
  return found;
}

std::vector<double> group_sums(std::span<const int32_t> group, std::span<const double> value, int32_t groups) {
  std::vector<double> found(checked(group.size(), value.size(), groups), 0.0);
  for (std::size_t row = 0; row < group.size(); ++row) found[checked_group(group[row], groups)] += value[row];
  return found;
}

std::vector<int64_t> group_firsts(std::span<const int32_t> group, int32_t groups) {
  std::vector<int64_t> found(checked(0, 0, groups), -1);
  for (std::size_t row = group.size(); row-- > 0;) found[checked_group(group[row], groups)] = static_cast<int64_t>(row);
  return found;
}

std::vector<int64_t> group_largest(std::span<const int32_t> group, std::span<const int64_t> value, int32_t groups) {
  std::vector<int64_t> found(checked(group.size(), value.size(), groups), -1);
  for (std::size_t row = 0; row < group.size(); ++row) {
    int64_t& place = found[checked_group(group[row], groups)];
    if (place < 0 || value[row] >= value[place]) place = static_cast<int64_t>(row);
  }
  return found;
}

std::vector<int64_t> group_distinct(std::span<const int32_t> group, std::span<const int64_t> value, int32_t groups) {
  std::vector<std::size_t> next(checked(group.size(), value.size(), groups) + 1, 0);
  for (const int32_t one : group) ++next[static_cast<std::size_t>(checked_group(one, groups)) + 1];
  std::partial_sum(next.begin(), next.end(), next.begin());
  const std::vector<std::size_t> bounds = next;
  LargeVector<int64_t> of_group(value.size());  // group after group
  for (std::size_t row = 0; row < group.size(); ++row) of_group[next[group[row]]++] = value[row];
  std::vector<int64_t> found(static_cast<std::size_t>(groups));
  for (std::size_t one = 0; one < found.size(); ++one) {
    const auto first = of_group.begin() + bounds[one], last = of_group.begin() + bounds[one + 1];
    if (!std::is_sorted(first, last)) std::sort(first, last);
    found[one] = std::unique(first, last) - first;
  }
  return found;
}

DenseCodes dense_codes(std::span<const int64_t> given, int64_t space) {
  if (space < 0) throw std::invalid_argument("The number of codes cannot be negative.");
  LargeVector<int32_t> number(static_cast<std::size_t>(space), -1);
  for (const int64_t code : given) {
    if (code < 0 || code >= space) throw std::invalid_argument("A code is beyond the number of codes.");
    number[code] = 0;
  }
  DenseCodes found;
  for (int32_t& one : number) {
    if (one == 0) one = found.groups++;
  }
  found.code.resize(given.size());
  for (std::size_t row = 0; row < given.size(); ++row) found.code[row] = number[given[row]];
  return found;
}

std::vector<uint8_t> names_of_kinds(std::span<const int8_t> kind, std::span<const int32_t> name, std::span<const int64_t> first,
                                    std::span<const int64_t> last, int8_t kinds, int32_t names) {
  if (kind.size() != name.size() || first.size() != last.size()) {
    throw std::invalid_argument("The columns of a table must be of one length.");
  }
  if (kinds < 0 || names < 0) throw std::invalid_argument("The numbers of kinds and names cannot be negative.");
  std::vector<uint8_t> found(static_cast<std::size_t>(kinds) * static_cast<std::size_t>(names), 0);
  for (std::size_t part = 0; part < first.size(); ++part) {
    if (first[part] < 0 || last[part] < first[part] || static_cast<std::size_t>(last[part]) > kind.size()) {
      throw std::invalid_argument("A track's rows lie beyond the end of the table.");
    }
    for (int64_t row = first[part]; row < last[part]; ++row) {
      if (kind[row] < 0 || kind[row] >= kinds || name[row] < 0 || name[row] >= names) {
        throw std::invalid_argument("A row's kind or name is beyond their number.");
      }
      found[static_cast<std::size_t>(kind[row]) * static_cast<std::size_t>(names) + static_cast<std::size_t>(name[row])] = 1;
    }
  }
  return found;
}

}  // namespace stepscope
