// Sweeps over spans in time order: stacks of what is under way inside a track, next events between tracks; no nesting is assumed.
#include "intervals.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <functional>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <utility>

#include "tasks.hpp"

namespace stepscope {
namespace {

constexpr int32_t kNoRow = -1;
constexpr int64_t kWorthThreads = 200'000;  // rows
constexpr int64_t kNever = std::numeric_limits<int64_t>::max();

// The spans of one track that are under way, by precedence; the youngest of each precedence is on top and owns. What has ended is
// taken away when it comes up, so that a span costs the same however spans overlap.
class Running {
 public:
  void begin(int rank, int64_t start, int64_t end, int32_t row) {
    auto& stack = stacks_[rank];
    while (!stack.empty() && stack.back().first <= start) stack.pop_back();
    stack.push_back({end, row});
    ranks_ |= 1u << rank;
  }

  // End and row of the span that owns the time from `now` on, null when there is none.
  const std::pair<int64_t, int32_t>* owner(int64_t now) {
    while (ranks_ != 0) {
      const int rank = std::countr_zero(ranks_);
      auto& stack = stacks_[rank];
      while (!stack.empty() && stack.back().first <= now) stack.pop_back();
      if (!stack.empty()) return &stack.back();
      ranks_ &= ~(1u << rank);
    }
    return nullptr;
  }

 private:
  std::array<std::vector<std::pair<int64_t, int32_t>>, kMostLabels> stacks_;
  uint32_t ranks_ = 0;
};

// Calls emit(start, end, row) for every stretch in which one span owns the track; neighbours may name the same row.
template <class RankOf, class Emit>
void walk_track(std::span<const int64_t> start, std::span<const int64_t> end, const RankOf& rank_of, const Emit& emit) {
  Running running;
  int64_t now = std::numeric_limits<int64_t>::min();
  const auto advance = [&](int64_t until) {
    while (now < until) {
      const auto* owner = running.owner(now);
      if (owner == nullptr) break;
      const int64_t stop = std::min(owner->first, until);
      emit(now, stop, owner->second);
      now = stop;
    }
    now = std::max(now, until);
  };
  int64_t latest = std::numeric_limits<int64_t>::min();
  for (std::size_t row = 0; row < start.size(); ++row) {
    if (start[row] < latest) throw std::invalid_argument("The spans of a track must be in the order of their starts.");
    latest = start[row];
    const int rank = rank_of(row);
    if (rank < 0 || end[row] <= start[row]) continue;
    advance(start[row]);
    running.begin(rank, start[row], end[row], static_cast<int32_t>(row));
  }
  advance(kNever);
}

void check_same_length(std::size_t a, std::size_t b) {
  if (a != b) throw std::invalid_argument("The columns of a table must be of one length.");
}

// Adds a stretch of time to the steps it crosses, beginning at the step it is known to begin in.
class StepCutter {
 public:
  explicit StepCutter(std::span<const int64_t> bounds) : bounds_(bounds) {}

  std::size_t count() const { return bounds_.empty() ? 0 : bounds_.size() - 1; }

  // The first step, from `step` on, that ends after the time.
  std::size_t step_at(std::size_t step, int64_t time) const {
    while (step < count() && bounds_[step + 1] <= time) ++step;
    return step;
  }

  template <class Add>
  void cut(std::size_t step, int64_t start, int64_t end, const Add& add) const {
    for (step = step_at(step, start); step < count() && bounds_[step] < end; ++step) {
      const int64_t from = std::max(start, bounds_[step]), to = std::min(end, bounds_[step + 1]);
      if (from < to) add(step, from, to);
    }
  }

 private:
  std::span<const int64_t> bounds_;
};

// What is active at one instant, by label and track.
class Active {
 public:
  Active(int labels, std::size_t tracks)
      : words_((tracks + 63) / 64), bits_(labels * words_, 0), counts_(labels, 0), rows_(tracks, 0) {}

  // Whether the label was inactive before.
  bool add(int label, std::size_t track, int32_t row) {
    bits_[label * words_ + track / 64] |= uint64_t{1} << (track % 64);
    rows_[track] = row;
    labels_ |= 1u << label;
    return counts_[label]++ == 0;
  }

  // Whether the label is inactive now.
  bool remove(int label, std::size_t track) {
    bits_[label * words_ + track / 64] &= ~(uint64_t{1} << (track % 64));
    if (--counts_[label] > 0) return false;
    labels_ &= ~(1u << label);
    return true;
  }

  bool any() const { return labels_ != 0; }
  int label() const { return std::countr_zero(labels_); }

  int32_t row() const {
    const std::size_t from = label() * words_;
    std::size_t word = 0;
    while (bits_[from + word] == 0) ++word;
    return rows_[word * 64 + std::countr_zero(bits_[from + word])];
  }

 private:
  std::size_t words_;
  std::vector<uint64_t> bits_;
  std::vector<int32_t> counts_;
  std::vector<int32_t> rows_;
  uint32_t labels_ = 0;
};

// The next event of each track. A profile has few tracks, and to look at all of them is faster than a heap is.
class NextEvents {
 public:
  explicit NextEvents(std::size_t tracks) : time_(tracks, kNever) { heap_.reserve(tracks); }

  bool empty() const { return waiting_ == 0; }

  void set(std::size_t track, int64_t time) {
    ++waiting_;
    if (time_.size() <= kFewTracks) {
      time_[track] = std::min(time, kNever - 1);
      return;
    }
    heap_.push_back({time, track});
    std::push_heap(heap_.begin(), heap_.end(), std::greater<>());
  }

  // The earliest event; of several at one time, that of the first track.
  std::pair<int64_t, std::size_t> take() {
    --waiting_;
    if (time_.size() <= kFewTracks) {
      const auto first = std::min_element(time_.begin(), time_.end());
      return {std::exchange(*first, kNever), static_cast<std::size_t>(first - time_.begin())};
    }
    std::pop_heap(heap_.begin(), heap_.end(), std::greater<>());
    const auto earliest = heap_.back();
    heap_.pop_back();
    return earliest;
  }

 private:
  static constexpr std::size_t kFewTracks = 16;
  std::vector<int64_t> time_;
  std::vector<std::pair<int64_t, std::size_t>> heap_;
  std::size_t waiting_ = 0;
};

void check_sweep(std::span<const LabelledTrack> tracks, std::span<const int64_t> bounds, int labels, std::span<const uint8_t> counted,
                 std::span<const double> exposed) {
  if (labels < 1 || labels > kMostLabels) throw std::invalid_argument("A sweep takes 1 to 32 labels.");
  if (!std::is_sorted(bounds.begin(), bounds.end())) throw std::invalid_argument("The bounds of steps must not go back.");
  check_same_length(counted.size(), bounds.empty() ? 0 : bounds.size() - 1);
  for (const LabelledTrack& track : tracks) {
    check_same_length(track.start.size(), track.end.size());
    check_same_length(track.start.size(), track.row.size());
    check_same_length(track.start.size(), track.label.size());
    int64_t latest = std::numeric_limits<int64_t>::min();
    for (std::size_t i = 0; i < track.start.size(); ++i) {
      if (track.start[i] < latest || track.end[i] < track.start[i]) {
        throw std::invalid_argument("The segments of a track must be in time order and must not overlap.");
      }
      latest = track.end[i];
      if (track.label[i] >= labels) throw std::invalid_argument("A segment's label is beyond the number of labels.");
      if (!exposed.empty() && (track.row[i] < 0 || static_cast<std::size_t>(track.row[i]) >= exposed.size())) {
        throw std::invalid_argument("A segment's row is beyond the end of the table.");
      }
    }
  }
}

// Goes over the tracks in time order: owned(step, from, to, label, row) for every stretch of a step that the lowest active label has, on
// the first track where it is active; covered(step, from, to, label) for every stretch in which a label is active at all.
template <class Owned, class Covered>
void sweep(std::span<const LabelledTrack> tracks, std::span<const int64_t> bounds, int labels, const Owned& owned,
           const Covered& covered) {
  const StepCutter steps(bounds);
  if (steps.count() == 0) return;

  NextEvents queue(tracks.size());
  std::vector<std::size_t> place(tracks.size(), 0);
  std::vector<uint8_t> inside(tracks.size(), 0);
  const auto skip_unlabelled = [&](std::size_t track) {
    const LabelledTrack& segments = tracks[track];
    std::size_t& at = place[track];
    while (at < segments.start.size() && (segments.label[at] < 0 || segments.end[at] <= bounds.front())) ++at;
    if (at < segments.start.size() && segments.start[at] < bounds.back()) queue.set(track, segments.start[at]);
  };
  for (std::size_t track = 0; track < tracks.size(); ++track) skip_unlabelled(track);

  Active active(labels, tracks.size());
  std::array<int64_t, kMostLabels> opened{};
  std::array<std::size_t, kMostLabels> opened_in{};
  std::size_t step = 0;
  int64_t now = bounds.front();
  while (!queue.empty()) {
    const auto [time, track] = queue.take();
    if (time > now) {
      if (active.any()) {
        const int label = active.label();
        const int32_t row = active.row();
        steps.cut(step, now, time, [&](std::size_t in, int64_t from, int64_t to) { owned(in, from, to, label, row); });
      }
      now = time;
      step = steps.step_at(step, now);
    }
    const LabelledTrack& segments = tracks[track];
    const std::size_t at = place[track];
    const int label = segments.label[at];
    if (!inside[track]) {
      inside[track] = 1;
      if (active.add(label, track, segments.row[at])) {
        opened[label] = time;
        opened_in[label] = step;
      }
      queue.set(track, segments.end[at]);
      continue;
    }
    inside[track] = 0;
    if (active.remove(label, track)) {
      steps.cut(opened_in[label], opened[label], time, [&](std::size_t in, int64_t from, int64_t to) { covered(in, from, to, label); });
    }
    ++place[track];
    skip_unlabelled(track);
  }
}

void check_order(std::span<const int8_t> precedence) {
  for (const int8_t rank : precedence) {
    if (rank < 0 || rank >= kMostLabels) throw std::invalid_argument("A precedence is a number from 0 to 31.");
  }
}

// A track's rows [first, last) of a table of so many.
std::pair<std::size_t, std::size_t> rows_of(int64_t first, int64_t last, std::size_t rows) {
  if (first < 0 || last < first || static_cast<std::size_t>(last) > rows) {
    throw std::invalid_argument("A track's rows lie beyond the end of the table.");
  }
  return {static_cast<std::size_t>(first), static_cast<std::size_t>(last - first)};
}

// Runs task(track) for each track, the longest first, on several threads where there are many rows.
template <class Task>
void for_each_track(std::span<const int64_t> first, std::span<const int64_t> last, const Task& task) {
  check_same_length(first.size(), last.size());
  std::vector<std::size_t> longest(first.size());
  std::iota(longest.begin(), longest.end(), std::size_t{0});
  const auto length = [&](std::size_t track) { return last[track] - first[track]; };
  std::stable_sort(longest.begin(), longest.end(), [&](std::size_t a, std::size_t b) { return length(a) > length(b); });
  int64_t rows = 0;
  for (const std::size_t track : longest) rows += std::max<int64_t>(0, length(track));
  for_each_task(longest.size(), rows >= kWorthThreads ? workers_of(0) : 1, [&](std::size_t one) { task(longest[one]); });
}

// Of tables in which every row's parent is on the way down to the row before it, as nested spans in the order of their starts are.
// False, and nothing is found, in any other.
bool inside_on_the_way(std::span<const int32_t> parent, std::span<const int32_t> key, std::vector<int32_t>& around,
                       LargeVector<uint8_t>& inside) {
  std::vector<int32_t> way;
  for (int32_t row = 0; row < static_cast<int32_t>(parent.size()); ++row) {
    while (!way.empty() && way.back() != parent[row]) {
      if (key[way.back()] >= 0) --around[key[way.back()]];
      way.pop_back();
    }
    if (way.empty() && parent[row] >= 0) return false;
    if (key[row] >= 0) inside[row] = around[key[row]]++ > 0;
    way.push_back(row);
  }
  return true;
}

}  // namespace

Segments owned_segments(std::span<const int64_t> start, std::span<const int64_t> end, std::span<const int8_t> label,
                        std::span<const int8_t> precedence) {
  check_same_length(start.size(), end.size());
  check_same_length(start.size(), label.size());
  check_order(precedence);
  Segments found;
  const auto rank_of = [&](std::size_t row) -> int {
    if (label[row] < 0) return -1;
    if (static_cast<std::size_t>(label[row]) >= precedence.size()) throw std::invalid_argument("Every label needs a precedence.");
    return precedence[label[row]];
  };
  walk_track(start, end, rank_of, [&](int64_t from, int64_t to, int32_t row) {
    if (!found.row.empty() && found.row.back() == row && found.end.back() == from) {
      found.end.back() = to;
      return;
    }
    found.start.push_back(from);
    found.end.push_back(to);
    found.row.push_back(row);
  });
  return found;
}

std::vector<LabelledSegments> segments_of_tracks(std::span<const int64_t> start, std::span<const int64_t> end,
                                                 std::span<const int8_t> label, std::span<const int64_t> first,
                                                 std::span<const int64_t> last, std::span<const std::span<const int8_t>> precedence) {
  check_same_length(start.size(), end.size());
  check_same_length(start.size(), label.size());
  check_same_length(first.size(), precedence.size());
  std::vector<LabelledSegments> found(first.size());
  for_each_track(first, last, [&](std::size_t track) {
    const auto [from, count] = rows_of(first[track], last[track], start.size());
    const auto labels = label.subspan(from, count);
    LabelledSegments& mine = found[track];
    static_cast<Segments&>(mine) = owned_segments(start.subspan(from, count), end.subspan(from, count), labels, precedence[track]);
    mine.label.reserve(mine.row.size());
    for (int32_t& row : mine.row) {
      mine.label.push_back(labels[static_cast<std::size_t>(row)]);
      row += static_cast<int32_t>(from);
    }
  });
  return found;
}

LargeVector<int64_t> self_times(std::span<const int64_t> start, std::span<const int64_t> end, std::span<const int8_t> label,
                                std::span<const int64_t> first, std::span<const int64_t> last) {
  check_same_length(start.size(), end.size());
  check_same_length(start.size(), label.size());
  LargeVector<int64_t> self(start.size(), 0);
  for_each_track(first, last, [&](std::size_t track) {
    const auto [from, count] = rows_of(first[track], last[track], start.size());
    const auto labels = label.subspan(from, count);
    int64_t* const into = self.data() + from;
    walk_track(
        start.subspan(from, count), end.subspan(from, count), [&](std::size_t row) { return labels[row] < 0 ? -1 : 0; },
        [&](int64_t begin, int64_t stop, int32_t row) { into[row] += stop - begin; });
  });
  return self;
}

LargeVector<uint8_t> inside_same_key(std::span<const int32_t> parent, std::span<const int32_t> key, int32_t keys) {
  check_same_length(parent.size(), key.size());
  const auto rows = static_cast<int32_t>(parent.size());
  for (int32_t row = 0; row < rows; ++row) {
    if (parent[row] >= row) throw std::invalid_argument("A parent must come before its children.");
    if (key[row] >= keys) throw std::invalid_argument("A key is beyond the number of keys.");
  }
  LargeVector<uint8_t> inside(parent.size(), 0);
  std::vector<int32_t> around(keys < 0 ? 0 : static_cast<std::size_t>(keys), 0);  // how many rows of the way down have the key
  if (inside_on_the_way(parent, key, around, inside)) return inside;
  std::fill(inside.begin(), inside.end(), uint8_t{0});
  std::fill(around.begin(), around.end(), 0);
  std::vector<int32_t> child(parent.size(), kNoRow);    // the first one
  std::vector<int32_t> sibling(parent.size(), kNoRow);  // the next one
  int32_t root = kNoRow;
  for (int32_t row = rows - 1; row >= 0; --row) {
    int32_t& first = parent[row] < 0 ? root : child[parent[row]];
    sibling[row] = std::exchange(first, row);
  }
  const auto leave = [&](int32_t row) {
    if (key[row] >= 0) --around[key[row]];
  };
  int32_t row = root;
  while (row != kNoRow) {
    if (key[row] >= 0) inside[row] = around[key[row]]++ > 0;
    if (child[row] != kNoRow) {
      row = child[row];
      continue;
    }
    leave(row);
    while (sibling[row] == kNoRow && parent[row] >= 0) {
      row = parent[row];
      leave(row);
    }
    row = sibling[row];
  }
  return inside;
}

StepSums sweep_steps(std::span<const LabelledTrack> tracks, std::span<const int64_t> bounds, int labels,
                     std::span<const uint8_t> counted, std::span<double> exposed) {
  check_sweep(tracks, bounds, labels, counted, exposed);
  const std::size_t steps = bounds.empty() ? 0 : bounds.size() - 1;
  StepSums sums;
  sums.taken.assign(steps * labels, 0);
  sums.covered.assign(steps * labels, 0);
  sweep(
      tracks, bounds, labels,
      [&](std::size_t in, int64_t from, int64_t to, int label, int32_t row) {
        sums.taken[in * labels + label] += to - from;
        if (!exposed.empty() && counted[in]) exposed[row] += static_cast<double>(to - from);
      },
      [&](std::size_t in, int64_t from, int64_t to, int label) { sums.covered[in * labels + label] += to - from; });
  return sums;
}

Pieces owned_pieces(std::span<const LabelledTrack> tracks, std::span<const int64_t> bounds, int labels,
                    std::span<const uint8_t> wanted) {
  check_sweep(tracks, bounds, labels, wanted, {});
  Pieces found;
  sweep(
      tracks, bounds, labels,
      [&](std::size_t in, int64_t from, int64_t to, int label, int32_t row) {
        if (!wanted[in]) return;
        found.step.push_back(static_cast<int64_t>(in));
        found.start.push_back(from);
        found.end.push_back(to);
        found.row.push_back(row);
        found.label.push_back(static_cast<int8_t>(label));
      },
      [](std::size_t, int64_t, int64_t, int) {});
  return found;
}

}  // namespace stepscope
