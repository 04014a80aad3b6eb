// Where the times of a recording are, and the shift to where they should be.
#include "profile/time_bounds.hpp"

namespace stepscope::profile {
namespace {

constexpr int64_t kFirstUnixTime = int64_t{1'000'000'000} * 1'000'000'000;  // 2001: a clock below it does not count since 1970
constexpr int64_t kLastUnixTime = int64_t{1} << 61;                         // 2043: the difference of any two is still a number

}  // namespace

TimeBounds TimeBounds::around_median(std::vector<int64_t>& times) {
  const auto middle = times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2);
  std::nth_element(times.begin(), middle, times.end());
  constexpr int64_t kHalf = kLongestRecording / 2;
  const int64_t low = std::max(*middle, std::numeric_limits<int64_t>::min() + kHalf) - kHalf;
  const int64_t high = std::min(*middle, std::numeric_limits<int64_t>::max() - kHalf) + kHalf;
  return {low, high};
}

void shift_times(Tables& tables, int64_t shift) {
  for (auto* times : {&tables.spans.start, &tables.spans.end, &tables.allocations.time, &tables.counters.time})
    for (int64_t& time : *times) time -= shift;
  tables.window_start -= shift;
  tables.window_end -= shift;
  const bool known = shift < kLastUnixTime && tables.base_ns < kLastUnixTime && tables.base_ns + shift >= kFirstUnixTime &&
                     tables.base_ns + shift < kLastUnixTime;
  tables.base_ns = known ? tables.base_ns + shift : 0;
}

void bring_near_zero(Tables& tables) {
  if (tables.base_ns < 0 || tables.base_ns >= kLastUnixTime) tables.base_ns = 0;
  const bool spans = !tables.spans.start.empty();
  TimeExtent extent;
  if (spans) extent.add(tables.window_start);
  for (const auto* times : {&tables.allocations.time, &tables.counters.time})
    for (const int64_t time : *times) extent.add(time);
  if (extent.first >= -kLongestRecording && (extent.first <= kLongestRecording || extent.first > extent.last)) return;
  shift_times(tables, spans ? tables.window_start : extent.first);
  if (!spans) tables.window_start = tables.window_end = 0;
}

}  // namespace stepscope::profile
