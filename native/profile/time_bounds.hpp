// The times of one recording lie close together and near zero. What lies far from the rest is damage: one such event would make the
// recording last for decades, sums of durations overflow, and the page's numbers inexact.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "profile/tables.hpp"

namespace stepscope::profile {

// Nanoseconds: a hundred days, up to which a double counts each of them.
constexpr int64_t kLongestRecording = int64_t{1} << 53;

// The first and the last of many times.
struct TimeExtent {
  int64_t first = std::numeric_limits<int64_t>::max(), last = std::numeric_limits<int64_t>::min();

  void add(int64_t time) {
    first = std::min(first, time);
    last = std::max(last, time);
  }
  void add(const TimeExtent& other) {
    first = std::min(first, other.first);
    last = std::max(last, other.last);
  }
  bool too_long() const {
    return first<last&& static_cast<uint64_t>(last) - static_cast<uint64_t>(first)> static_cast<uint64_t>(kLongestRecording);
  }
};

// The times that belong to one recording.
struct TimeBounds {
  int64_t low, high;

  // Half of the longest recording to either side of the median; `times` are reordered, and there is at least one.
  static TimeBounds around_median(std::vector<int64_t>& times);
  bool hold(int64_t time) const { return low <= time && time <= high; }
};

// Takes `shift` off all times, and adds it to the base where that gives a time since 2001; otherwise the base becomes unknown.
void shift_times(Tables& tables, int64_t shift);

// Counts times from the window's start where that lies far from zero, and makes a base that no calendar has unknown.
void bring_near_zero(Tables& tables);

}  // namespace stepscope::profile
