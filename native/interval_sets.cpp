// One pass each over sorted columns; unions sort by merging the runs that the columns consist of.
#include "interval_sets.hpp"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <stdexcept>
#include <utility>
#include <vector>

namespace stepscope {
namespace {

void check_same_length(size_t a, size_t b) {
  if (a != b) throw std::invalid_argument("The columns of a table must be of one length.");
}

void check_set(IntervalColumns given) {
  check_same_length(given.start.size(), given.end.size());
  int64_t latest = std::numeric_limits<int64_t>::min();
  for (size_t i = 0; i < given.start.size(); ++i) {
    if (given.start[i] < latest || given.end[i] < given.start[i]) {
      throw std::invalid_argument("The intervals of a set must be in time order and must not overlap.");
    }
    latest = given.end[i];
  }
}

// Adds an interval that begins no earlier than the last one did.
void extend(IntervalSet& set, int64_t start, int64_t end) {
  if (!set.start.empty() && start <= set.end.back()) {
    set.end.back() = std::max(set.end.back(), end);
    return;
  }
  set.start.push_back(start);
  set.end.push_back(end);
}

IntervalSet merged(const IntervalSet& one, const IntervalSet& other) {
  IntervalSet found;
  found.start.reserve(one.start.size() + other.start.size());
  found.end.reserve(one.start.size() + other.start.size());
  size_t i = 0, j = 0;
  while (i < one.start.size() || j < other.start.size()) {
    const bool first = j == other.start.size() || (i < one.start.size() && one.start[i] <= other.start[j]);
    if (first) {
      extend(found, one.start[i], one.end[i]);
      ++i;
    } else {
      extend(found, other.start[j], other.end[j]);
      ++j;
    }
  }
  return found;
}

// Collects intervals run by run. A run that is half as long as the one before it is merged with it, so that merging n intervals in
// any number of runs takes n log n steps and few runs take few.
class Runs {
 public:
  void add(int64_t start, int64_t end) {
    if (start < latest_) finish();
    latest_ = start;
    extend(run_, start, end);
  }

  IntervalSet all() && {
    finish();
    while (runs_.size() > 1) merge_last();
    return runs_.empty() ? IntervalSet{} : std::move(runs_.back());
  }

 private:
  void finish() {
    if (run_.start.empty()) return;
    runs_.push_back(std::exchange(run_, {}));
    while (runs_.size() > 1 && runs_[runs_.size() - 2].start.size() <= 2 * runs_.back().start.size()) merge_last();
  }

  void merge_last() {
    IntervalSet last = std::move(runs_.back());
    runs_.pop_back();
    runs_.back() = merged(runs_.back(), last);
  }

  std::vector<IntervalSet> runs_;
  IntervalSet run_;
  int64_t latest_ = std::numeric_limits<int64_t>::min();
};

}  // namespace

IntervalSet union_of(IntervalColumns given) {
  check_same_length(given.start.size(), given.end.size());
  Runs runs;
  for (size_t i = 0; i < given.start.size(); ++i) {
    if (given.end[i] > given.start[i]) runs.add(given.start[i], given.end[i]);
  }
  return std::move(runs).all();
}

IntervalSet union_of_labels(IntervalColumns given, std::span<const int8_t> label, std::span<const uint8_t> wanted) {
  check_same_length(given.start.size(), given.end.size());
  check_same_length(given.start.size(), label.size());
  Runs runs;
  for (size_t i = 0; i < given.start.size(); ++i) {
    if (label[i] < 0) continue;
    if (static_cast<size_t>(label[i]) >= wanted.size()) throw std::invalid_argument("A label is beyond the table of those wanted.");
    if (wanted[label[i]] != 0 && given.end[i] > given.start[i]) runs.add(given.start[i], given.end[i]);
  }
  return std::move(runs).all();
}

IntervalSet difference_of(IntervalColumns these, IntervalColumns others) {
  check_set(these);
  check_set(others);
  IntervalSet found;
  size_t next = 0;
  for (size_t i = 0; i < these.start.size(); ++i) {
    int64_t from = these.start[i];
    const int64_t until = these.end[i];
    while (next < others.start.size() && others.end[next] <= from) ++next;
    for (; from < until && next < others.start.size() && others.start[next] < until; ++next) {
      if (others.start[next] > from) extend(found, from, others.start[next]);
      from = std::max(from, others.end[next]);
      if (from >= until) break;  // it may reach into the next of these too
    }
    if (from < until) extend(found, from, until);
  }
  return found;
}

LargeVector<int64_t> lengths_before(IntervalColumns these, std::span<const int64_t> time) {
  check_set(these);
  const size_t count = these.start.size();
  // Unsigned, because sums of hostile numbers may wrap and must not be undefined.
  LargeVector<uint64_t> before(count + 1);
  before[0] = 0;
  for (size_t i = 0; i < count; ++i) {
    before[i + 1] = before[i] + (static_cast<uint64_t>(these.end[i]) - static_cast<uint64_t>(these.start[i]));
  }
  LargeVector<int64_t> found(time.size());
  size_t begun = 0;  // intervals that have begun at the time
  for (size_t i = 0; i < time.size(); ++i) {
    const auto at = these.start.begin();
    if (begun > 0 && these.start[begun - 1] > time[i]) {
      begun = static_cast<size_t>(std::upper_bound(at, at + begun, time[i]) - at);
    } else {
      size_t step = 1;
      size_t last = begun;
      while (last < count && these.start[last] <= time[i]) {
        begun = last + 1;
        last += step;
        step *= 2;
      }
      begun = static_cast<size_t>(std::upper_bound(at + begun, at + std::min(last, count), time[i]) - at);
    }
    uint64_t length = before[begun];
    if (begun > 0 && these.end[begun - 1] > time[i]) {
      length -= static_cast<uint64_t>(these.end[begun - 1]) - static_cast<uint64_t>(time[i]);
    }
    found[i] = static_cast<int64_t>(length);
  }
  return found;
}

}  // namespace stepscope
