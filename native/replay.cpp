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
  std::size_t ops = 0;
  for (const auto& rank : ranks_) ops += rank.op_start.size();
  collectives_.assign(ops, {0, std::numeric_limits<int64_t>::min()});
  for (const auto& rank : ranks_) {
    for (std::size_t op = 0; op < rank.op_start.size(); ++op) {
      if (rank.op_collective[op] < 0) continue;
      const auto number = static_cast<std::size_t>(rank.op_collective[op]);
      if (number >= collectives_.size()) throw std::invalid_argument("Collectives must be numbered without gaps.");
      auto& collective = collectives_[number];
      ++collective.members;
      collective.latest_start = std::max(collective.latest_start, rank.op_start[op] + rank.clock);
    }
  }
  while (!collectives_.empty() && collectives_.back().members == 0) collectives_.pop_back();
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

// One replay under way: when each call began, and who has come to each collective.
class ReplayPlan::Run {
 public:
  Run(const ReplayPlan& plan, std::span<const RankScales> scales, bool keep) : plan_(plan), scales_(scales), keep_(keep) {
    const std::size_t ranks = plan.ranks_.size();
    times_.resize(ranks);
    calls_.resize(ranks);
    clocks_.reserve(ranks);
    for (std::size_t number = 0; number < ranks; ++number) {
      const Rank& rank = plan.ranks_[number];
      check_scales(scales[number], rank.call_start.size(), rank.op_start.size());
      times_[number].op_start.assign(rank.op_start.size(), 0);
      times_[number].op_end.assign(rank.op_start.size(), 0);
      times_[number].moment.assign(rank.moment.size(), 0);
      calls_[number].assign(rank.call_start.size(), 0);
      clocks_.emplace_back(rank, scales[number]);
    }
    meetings_.reserve(plan.collectives_.size());
    for (const auto& collective : plan.collectives_) meetings_.push_back({collective.members, kBefore, {}});
  }

  std::vector<RankTimes> times() && { return std::move(times_); }

  void play(const Event& event) {
    const auto number = static_cast<std::size_t>(event.rank);
    const auto index = static_cast<std::size_t>(event.index);
    const Rank& rank = plan_.ranks_[number];
    switch (event.step) {
      case Step::call_start:
        clocks_[number].advance(rank.call_start[index]);
        calls_[number][index] = clocks_[number].now();
        break;
      case Step::op_start:
        start_op(number, index);
        if (rank.op_collective[index] >= 0) join(number, index);
        break;
      case Step::call_end:
        end_call(number, index);
        break;
      case Step::moment:
        times_[number].moment[index] = clocks_[number].at(rank.moment[index]);
        break;
    }
  }

 private:
  static constexpr double kBefore = std::numeric_limits<double>::lowest();

  // Those who have come to a collective.
  struct Meeting {
    int32_t missing;
    double latest;
    std::vector<std::pair<std::size_t, std::size_t>> members;  // rank and operation
  };

  void start_op(std::size_t number, std::size_t op) {
    const Rank& rank = plan_.ranks_[number];
    RankTimes& times = times_[number];
    double start = kBefore;
    int64_t allowed = std::numeric_limits<int64_t>::min();  // the same in the recording
    const auto after = [&](double moment, int64_t recorded) {
      start = std::max(start, moment);
      allowed = std::max(allowed, recorded);
    };
    if (rank.op_launch[op] >= 0) {
      const auto call = static_cast<std::size_t>(rank.op_launch[op]);
      after(calls_[number][call] + static_cast<double>(rank.op_latency[op]), rank.call_start[call] + rank.op_latency[op]);
    }
    if (rank.links.op_before[op] != kNoNode) {
      const auto other = static_cast<std::size_t>(rank.links.op_before[op]);
      after(times.op_end[other] + static_cast<double>(rank.op_gap[op]), rank.op_end[other] + rank.op_gap[op]);
    }
    if (rank.op_launch[op] >= 0 && rank.links.op_cross[op] != kNoNode) {
      const auto other = static_cast<std::size_t>(rank.links.op_cross[op]);
      after(times.op_end[other], rank.op_end[other]);
    }
    if (start == kBefore)
      start = static_cast<double>(rank.op_start[op]);
    else if (keep_)
      start += static_cast<double>(rank.op_start[op] - allowed);
    times.op_start[op] = start;
    times.op_end[op] = start + static_cast<double>(rank.op_end[op] - rank.op_start[op]) * scales_[number].op[op];
  }

  // With the last rank the data moves; until then the recorded duration stands in for what nobody can know.
  void join(std::size_t number, std::size_t op) {
    const auto which = static_cast<std::size_t>(plan_.ranks_[number].op_collective[op]);
    Meeting& meeting = meetings_[which];
    meeting.latest = std::max(meeting.latest, times_[number].op_start[op] + static_cast<double>(plan_.ranks_[number].clock));
    meeting.members.emplace_back(number, op);
    if (--meeting.missing > 0 || meeting.members.size() < 2) return;
    for (const auto& [other, its_op] : meeting.members) {
      const Rank& rank = plan_.ranks_[other];
      const int64_t transfer = std::max<int64_t>(0, rank.op_end[its_op] + rank.clock - plan_.collectives_[which].latest_start);
      times_[other].op_end[its_op] =
          meeting.latest - static_cast<double>(rank.clock) + static_cast<double>(transfer) * scales_[other].op[its_op];
    }
  }

  void end_call(std::size_t number, std::size_t call) {
    const Rank& rank = plan_.ranks_[number];
    const auto waited = static_cast<std::size_t>(rank.links.call_waits_for[call]);
    const int64_t least = rank.links.call_least[call];
    const int64_t observed = rank.call_end[call] - std::max(rank.call_start[call] + least, rank.op_end[waited]);
    const int64_t residual = keep_ ? observed : std::min(observed, kMostResidualOfCalls);
    const double start = calls_[number][call];
    const double end = std::max(start + static_cast<double>(least), times_[number].op_end[waited]) + static_cast<double>(residual);
    clocks_[number].arrive(rank.call_end[call], start + (end - start) * scales_[number].call[call]);
  }

  const ReplayPlan& plan_;
  std::span<const RankScales> scales_;
  bool keep_;
  std::vector<RankTimes> times_;
  std::vector<std::vector<double>> calls_;
  std::vector<HostClock> clocks_;
  std::vector<Meeting> meetings_;
};

std::vector<RankTimes> ReplayPlan::run(std::span<const RankScales> scales, bool keep) const {
  if (scales.size() != ranks_.size()) throw std::invalid_argument("Every rank needs its scales.");
  Run run(*this, scales, keep);
  for (const Event& event : events_) run.play(event);
  return std::move(run).times();
}

}  // namespace stepscope
