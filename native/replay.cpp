// One pass over events in the order of the recording: every link points back, so no queue is needed.
#include "replay.hpp"

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <tuple>
#include <utility>

#include "replay_links.hpp"

namespace stepscope {
namespace {

constexpr int64_t kMostResidualOfCalls = 30'000;

template <class T>
std::vector<T> copy_of(std::span<const T> column) {
  return {column.begin(), column.end()};
}

void check_scales(const RankScales& scales, std::size_t calls, std::size_t ops) {
  if (scales.host.size() != scales.host_start.size() || scales.host_end.size() != scales.host_start.size() ||
      scales.call.size() != calls || scales.op.size() != ops)
    throw std::invalid_argument("Scales must be as many as what they scale.");
  for (std::size_t i = 0; i < scales.host.size(); ++i)
    if (scales.host_end[i] < scales.host_start[i] || (i > 0 && scales.host_start[i] < scales.host_end[i - 1]))
      throw std::invalid_argument("The host's stretches must be apart and in order.");
}

}  // namespace

// The host's one timeline: between events it goes on as in the recording, each owned stretch scaled.
class ReplayPlan::HostClock {
 public:
  HostClock(const Rank& rank, const RankScales& scales)
      : scales_(scales), recorded_(rank.host_start), now_(static_cast<double>(rank.host_start)) {}

  // When the host comes to a time of the recording.
  double at(int64_t time) const {
    std::size_t segment = segment_;
    return now_ + scaled(time, segment);
  }

  void advance(int64_t time) {
    now_ += scaled(time, segment_);
    recorded_ = std::max(recorded_, time);
  }

  // The host comes to a time of the recording when somebody else says so, never before what it already did.
  void arrive(int64_t time, double now) {
    scaled(time, segment_);
    recorded_ = std::max(recorded_, time);
    now_ = std::max(now_, now);
  }

  double now() const { return now_; }

 private:
  // What the stretch from the last event to this time takes; moves the segment to the one that reaches beyond it.
  double scaled(int64_t time, std::size_t& segment) const {
    if (time <= recorded_) return 0;
    double sum = 0;
    int64_t at = recorded_;
    const auto &starts = scales_.host_start, &ends = scales_.host_end;
    for (; segment < starts.size() && starts[segment] < time; ++segment) {
      const int64_t from = std::max(at, starts[segment]), to = std::min(time, ends[segment]);
      if (to > from) {
        sum += static_cast<double>(from - at) + static_cast<double>(to - from) * scales_.host[segment];
        at = to;
      }
      if (ends[segment] > time) break;
    }
    return sum + static_cast<double>(time - at);
  }

  const RankScales& scales_;
  std::size_t segment_ = 0;
  int64_t recorded_;
  double now_;
};

ReplayPlan::ReplayPlan(std::span<const RankColumns> ranks) {
  ranks_.reserve(ranks.size());
  for (const auto& columns : ranks) ranks_.push_back(copied(columns));
  find_collectives();
  find_events();
}

ReplayPlan::Rank ReplayPlan::copied(const RankColumns& columns) {
  Rank rank;
  rank.links = find_links(columns);
  rank.clock = columns.clock;
  rank.call_start = copy_of(columns.call_start);
  rank.call_end = copy_of(columns.call_end);
  rank.op_start = copy_of(columns.op_start);
  rank.op_end = copy_of(columns.op_end);
  rank.op_launch = copy_of(columns.op_launch);
  rank.op_collective = copy_of(columns.op_collective);
  rank.moment = copy_of(columns.moment);
  for (const auto* times : {&rank.call_start, &rank.moment})
    if (!times->empty()) rank.host_start = std::min(rank.host_start, times->front());
  const std::size_t ops = rank.op_start.size();
  rank.op_latency.assign(ops, 0);
  rank.op_gap.assign(ops, 0);
  for (std::size_t op = 0; op < ops; ++op) {
    const int64_t start = rank.op_start[op];
    // Clocks that disagree make an operation start before its launch; such a launch cannot be believed.
    if (rank.op_launch[op] >= 0 && rank.call_start[static_cast<std::size_t>(rank.op_launch[op])] > start) rank.op_launch[op] = kNoNode;
    const int32_t launch = rank.op_launch[op], before = rank.links.op_before[op];
    if (launch >= 0)
      rank.op_latency[op] = std::min(rank.links.launch_latency, start - rank.call_start[static_cast<std::size_t>(launch)]);
    if (before == kNoNode) continue;
    const int64_t gap = start - rank.op_end[static_cast<std::size_t>(before)];
    rank.op_gap[op] = launch >= 0 ? std::min(rank.links.stream_gap, gap) : gap;
  }
  return rank;
}

void ReplayPlan::find_collectives() {
  for (const auto& rank : ranks_) {
    for (std::size_t op = 0; op < rank.op_start.size(); ++op) {
      if (rank.op_collective[op] < 0) continue;
      const auto number = static_cast<std::size_t>(rank.op_collective[op]);
      if (number > std::size_t{1} << 30) throw std::invalid_argument("Collectives must be numbered without gaps.");
      if (number >= collectives_.size()) collectives_.resize(number + 1, {0, std::numeric_limits<int64_t>::min()});
      auto& collective = collectives_[number];
      ++collective.members;
      collective.latest_start = std::max(collective.latest_start, rank.op_start[op] + rank.clock);
    }
  }
}

void ReplayPlan::find_events() {
  const auto earlier = [](const Event& a, const Event& b) { return std::tie(a.time, a.step) < std::tie(b.time, b.step); };
  for (std::size_t number = 0; number < ranks_.size(); ++number) {
    const Rank& rank = ranks_[number];
    const auto first = static_cast<std::ptrdiff_t>(events_.size());
    // Each kind is in order already, but for the ends of calls, of which few wait.
    const auto add = [&](Step step, const std::vector<int64_t>& times, const auto& wanted) {
      const auto old = static_cast<std::ptrdiff_t>(events_.size());
      for (std::size_t i = 0; i < times.size(); ++i)
        if (wanted(i)) events_.push_back({times[i] + rank.clock, static_cast<int32_t>(number), static_cast<int32_t>(i), step});
      if (step == Step::call_end) std::stable_sort(events_.begin() + old, events_.end(), earlier);
      std::inplace_merge(events_.begin() + first, events_.begin() + old, events_.end(), earlier);
    };
    std::vector<uint8_t> launches(rank.call_start.size(), 0);
    for (const int32_t launch : rank.op_launch)
      if (launch >= 0) launches[static_cast<std::size_t>(launch)] = 1;
    const auto waits = [&](std::size_t i) { return rank.links.call_waits_for[i] != kNoNode; };
    const auto all = [](std::size_t) { return true; };
    add(Step::call_start, rank.call_start, [&](std::size_t i) { return launches[i] != 0 || waits(i); });
    add(Step::op_start, rank.op_start, all);
    add(Step::call_end, rank.call_end, waits);
    add(Step::moment, rank.moment, all);
  }
  if (ranks_.size() > 1) std::stable_sort(events_.begin(), events_.end(), earlier);
}

std::vector<RankTimes> ReplayPlan::run(std::span<const RankScales> scales, bool keep) const {
  if (scales.size() != ranks_.size()) throw std::invalid_argument("Every rank needs its scales.");
  std::vector<RankTimes> times(ranks_.size());
  std::vector<HostClock> clocks;
  std::vector<std::vector<double>> calls(ranks_.size());
  for (std::size_t number = 0; number < ranks_.size(); ++number) {
    const Rank& rank = ranks_[number];
    const auto& scale = scales[number];
    check_scales(scale, rank.call_start.size(), rank.op_start.size());
    times[number].op_start.assign(rank.op_start.size(), 0);
    times[number].op_end.assign(rank.op_start.size(), 0);
    times[number].moment.assign(rank.moment.size(), 0);
    calls[number].assign(rank.call_start.size(), 0);
    clocks.emplace_back(rank, scale);
  }
  struct Meeting {
    int32_t missing;
    double latest;
    std::vector<std::pair<int32_t, int32_t>> members;
  };
  std::vector<Meeting> meetings(collectives_.size());
  for (std::size_t i = 0; i < meetings.size(); ++i) meetings[i] = {collectives_[i].members, std::numeric_limits<double>::lowest(), {}};

  const auto start_op = [&](std::size_t number, std::size_t op) {
    const Rank& rank = ranks_[number];
    RankTimes& now = times[number];
    const RankLinks& links = rank.links;
    const int32_t launch = rank.op_launch[op], before = links.op_before[op], cross = launch >= 0 ? links.op_cross[op] : kNoNode;
    double start = std::numeric_limits<double>::lowest();
    int64_t recorded = std::numeric_limits<int64_t>::min();
    const auto after = [&](double moment, int64_t then) {
      start = std::max(start, moment);
      recorded = std::max(recorded, then);
    };
    if (launch >= 0) {
      const auto call = static_cast<std::size_t>(launch);
      after(calls[number][call] + static_cast<double>(rank.op_latency[op]), rank.call_start[call] + rank.op_latency[op]);
    }
    if (before != kNoNode) {
      const auto other = static_cast<std::size_t>(before);
      after(now.op_end[other] + static_cast<double>(rank.op_gap[op]), rank.op_end[other] + rank.op_gap[op]);
    }
    if (cross != kNoNode) {
      const auto other = static_cast<std::size_t>(cross);
      after(now.op_end[other], rank.op_end[other]);
    }
    if (recorded == std::numeric_limits<int64_t>::min())
      start = static_cast<double>(rank.op_start[op]);
    else if (keep)
      start += static_cast<double>(rank.op_start[op] - recorded);
    const double length = static_cast<double>(rank.op_end[op] - rank.op_start[op]) * scales[number].op[op];
    now.op_start[op] = start;
    now.op_end[op] = start + length;
    if (rank.op_collective[op] < 0) return;
    Meeting& meeting = meetings[static_cast<std::size_t>(rank.op_collective[op])];
    meeting.latest = std::max(meeting.latest, start + static_cast<double>(rank.clock));
    meeting.members.emplace_back(static_cast<int32_t>(number), static_cast<int32_t>(op));
    if (--meeting.missing > 0 || meeting.members.size() < 2) return;
    const int64_t together = collectives_[static_cast<std::size_t>(rank.op_collective[op])].latest_start;
    for (const auto& [other, row] : meeting.members) {
      const Rank& its = ranks_[static_cast<std::size_t>(other)];
      const auto at = static_cast<std::size_t>(row);
      const double transfer = static_cast<double>(std::max<int64_t>(0, its.op_end[at] + its.clock - together));
      times[static_cast<std::size_t>(other)].op_end[at] =
          meeting.latest - static_cast<double>(its.clock) + transfer * scales[static_cast<std::size_t>(other)].op[at];
    }
  };

  for (const Event& event : events_) {
    const auto number = static_cast<std::size_t>(event.rank);
    const auto index = static_cast<std::size_t>(event.index);
    const Rank& rank = ranks_[number];
    HostClock& clock = clocks[number];
    switch (event.step) {
      case Step::call_start:
        clock.advance(rank.call_start[index]);
        calls[number][index] = clock.now();
        break;
      case Step::op_start:
        start_op(number, index);
        break;
      case Step::call_end: {
        const auto waited = static_cast<std::size_t>(rank.links.call_waits_for[index]);
        const int64_t least = rank.links.call_least[index];
        const int64_t recorded = std::max(rank.call_start[index] + least, rank.op_end[waited]);
        const int64_t observed = rank.call_end[index] - recorded;
        const int64_t residual = keep ? observed : std::min(observed, kMostResidualOfCalls);
        const double start = calls[number][index];
        const double end = std::max(start + static_cast<double>(least), times[number].op_end[waited]) + static_cast<double>(residual);
        clock.arrive(rank.call_end[index], start + (end - start) * scales[number].call[index]);
        break;
      }
      case Step::moment:
        times[number].moment[index] = clock.at(rank.moment[index]);
        break;
    }
  }
  return times;
}

}  // namespace stepscope
