// Both passes over the links of a replay: backward along what held each node up, and backward over all nodes for their slack.
#include "critical_path.hpp"

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <tuple>

#include "replay_links.hpp"

namespace stepscope {
namespace {

constexpr int64_t kNever = std::numeric_limits<int64_t>::min();

std::size_t at(int32_t index) { return static_cast<std::size_t>(index); }

void check(bool right, const char* message) {
  if (!right) throw std::invalid_argument(message);
}

// A launch that seems to come after its operation cannot be believed.
int32_t launch_of(const RankColumns& c, std::size_t op) {
  const int32_t launch = c.op_launch[op];
  return launch >= 0 && c.call_start[at(launch)] <= c.op_start[op] ? launch : kNoNode;
}

int64_t latency_of(const RankColumns& c, const RankLinks& links, std::size_t op, int32_t launch) {
  return std::min(links.launch_latency, c.op_start[op] - c.call_start[at(launch)]);
}

int64_t gap_of(const RankColumns& c, const RankLinks& links, std::size_t op, int32_t before) {
  const int64_t gap = c.op_start[op] - c.op_end[at(before)];
  return c.op_launch[op] >= 0 ? std::min(links.stream_gap, gap) : gap;
}

// How much later the host may come to a time, found from the end of the recording to its start.
class HostSlack {
 public:
  void come_to(int64_t time) {
    if (time == time_) return;
    keep();
    time_ = time, ends_ = before_;
  }

  void tighten(int64_t to) {
    to = std::max<int64_t>(0, to);
    before_ = std::min(before_, to), ends_ = std::min(ends_, to);
  }

  // A call that waits ends here: whoever comes later to it waits less, but its own end has no more time than before.
  void wait(int64_t waited) { before_ = std::min(kUnlimited, before_ + waited); }

  PathSlack with(std::vector<int64_t> ops) && {
    keep();
    std::reverse(found_.host_time.begin(), found_.host_time.end());
    std::reverse(found_.host.begin(), found_.host.end());
    found_.op = std::move(ops);
    return std::move(found_);
  }

 private:
  void keep() {
    if (time_ == kNever) return;
    add(time_, ends_);
    if (before_ != ends_) add(time_ - 1, before_);
  }

  void add(int64_t time, int64_t slack) {
    if (!found_.host_time.empty() && found_.host_time.back() == time) {
      found_.host.back() = slack;
    } else if (found_.host.empty() || found_.host.back() != slack) {
      found_.host_time.push_back(time);
      found_.host.push_back(slack);
    }
  }

  PathSlack found_;
  int64_t time_ = kNever;
  int64_t ends_ = kUnlimited;    // of what ends at this time
  int64_t before_ = kUnlimited;  // of what ends before it
};

}  // namespace

PathPlan::PathPlan(std::span<const RankColumns> ranks) {
  std::size_t ops = 0;
  for (const RankColumns& columns : ranks) {
    Rank rank{columns, find_links(columns), {}};
    for (std::size_t call = 0; call < columns.call_start.size(); ++call)
      if (rank.links.call_waits_for[call] != kNoNode) rank.waiting.push_back(static_cast<int32_t>(call));
    std::stable_sort(rank.waiting.begin(), rank.waiting.end(),
                     [&](int32_t a, int32_t b) { return columns.call_end[at(a)] < columns.call_end[at(b)]; });
    ops += columns.op_start.size();
    ranks_.push_back(std::move(rank));
  }
  meetings_.assign(ops, {kNever, kNoNode, kNoNode});
  for (std::size_t number = 0; number < ranks_.size(); ++number) {
    const RankColumns& c = ranks_[number].columns;
    for (std::size_t op = 0; op < c.op_start.size(); ++op) {
      if (c.op_collective[op] < 0) continue;
      check(at(c.op_collective[op]) < ops, "Collectives must be numbered without gaps.");
      Meeting& meeting = meetings_[at(c.op_collective[op])];
      if (c.op_start[op] + c.clock > meeting.latest_start)
        meeting = {c.op_start[op] + c.clock, static_cast<int32_t>(number), static_cast<int32_t>(op)};
    }
  }
}

// The path of the whole recording, from its end to its start; a step has what lies between its bounds. Times are on the clock of all
// ranks; every segment begins where the next one is to end.
class PathPlan::Walk {
 public:
  Walk(const PathPlan& plan, std::size_t rank, std::span<const int64_t> bounds, std::span<const int32_t> last_op)
      : plan_(plan), home_(rank), rank_(rank), last_op_(last_op), left_(bounds.size()), step_(last_op.size() - 1) {
    for (const int64_t bound : bounds) bounds_.push_back(bound + plan.ranks_[rank].columns.clock);
    for (const Rank& each : plan.ranks_) {
      left_ += each.columns.op_start.size() + each.waiting.size() + 1;
      unseen_.push_back(each.waiting.size());
    }
    now_ = bounds_.back();
  }

  PathSegments whole() {
    int32_t op = last_op_.back() < 0 ? kNoNode : last_op_.back();
    // Each turn uses up a call or an operation, so that damaged links cannot keep it walking.
    while (now_ > bounds_.front() && left_-- > 0) op = op == kNoNode ? host() : operation(at(op));
    if (now_ > bounds_.front()) add(PathKind::unlinked, op, bounds_.front());
    const auto turn = [](auto& column) { std::reverse(column.begin(), column.end()); };
    turn(found_.step), turn(found_.rank), turn(found_.kind), turn(found_.index), turn(found_.start), turn(found_.end);
    return std::move(found_);
  }

 private:
  // A segment from `start` to now, cut at the bounds of steps; from then on it is `start`.
  void add(PathKind kind, int32_t index, int64_t start) {
    const int64_t clock = plan_.ranks_[rank_].columns.clock;
    start = std::max(start, bounds_.front());
    while (start < now_) {
      const int64_t from = std::max(start, begin_of_step());
      found_.step.push_back(static_cast<int32_t>(step_));
      found_.rank.push_back(static_cast<int32_t>(rank_));
      found_.kind.push_back(static_cast<uint8_t>(kind));
      found_.index.push_back(index);
      found_.start.push_back(from - clock);
      found_.end.push_back(now_ - clock);
      now_ = from;
    }
  }

  // Of the step that the time before now lies in.
  int64_t begin_of_step() {
    while (step_ > 0 && now_ <= bounds_[step_]) --step_;
    return bounds_[step_];
  }

  // Nothing is known of what came before: the step is filled, and the path goes on with what ended the one before it.
  int32_t lost(PathKind kind, int32_t op) {
    add(kind, op, begin_of_step());
    begin_of_step();
    rank_ = home_;
    return now_ > bounds_.front() && last_op_[step_] >= 0 ? last_op_[step_] : kNoNode;
  }

  // Back to the last call that waited for the device; what it waited for, or nothing when the host was on its own since the beginning.
  int32_t host() {
    const Rank& rank = plan_.ranks_[rank_];
    const RankColumns& c = rank.columns;
    std::size_t& unseen = unseen_[rank_];
    const int64_t now = now_ - c.clock;
    const auto end = std::upper_bound(rank.waiting.begin(), rank.waiting.begin() + static_cast<std::ptrdiff_t>(unseen), now,
                                      [&](int64_t time, int32_t call) { return time < c.call_end[at(call)]; });
    for (unseen = static_cast<std::size_t>(end - rank.waiting.begin()); unseen > 0;) {
      const int32_t call = rank.waiting[--unseen];
      const int32_t op = rank.links.call_waits_for[at(call)];
      if (c.op_end[at(op)] <= c.call_start[at(call)]) continue;  // it was done before anybody asked
      add(PathKind::host, kNoNode, c.call_end[at(call)] + c.clock);
      add(PathKind::returns, call, c.op_end[at(op)] + c.clock);
      return op;
    }
    add(PathKind::host, kNoNode, bounds_.front());
    return kNoNode;
  }

  // The operation itself, and back to what it waited for longest.
  int32_t operation(std::size_t op) {
    const Rank& rank = plan_.ranks_[rank_];
    const RankColumns& c = rank.columns;
    if (c.op_collective[op] >= 0) {
      const Meeting& meeting = plan_.meetings_[at(c.op_collective[op])];
      if (at(meeting.rank) != rank_ && meeting.latest_start < now_) {
        add(PathKind::op, static_cast<int32_t>(op), meeting.latest_start);
        rank_ = at(meeting.rank);
        return before_start(at(meeting.op));
      }
    }
    add(PathKind::op, static_cast<int32_t>(op), c.op_start[op] + c.clock);
    return before_start(op);
  }

  int32_t before_start(std::size_t op) {
    const Rank& rank = plan_.ranks_[rank_];
    const RankColumns& c = rank.columns;
    PathKind kind = PathKind::unlinked;
    int64_t allowed = kNever, since = kNever;
    int32_t next = kNoNode;
    const auto held = [&](PathKind why, int64_t when, int64_t from, int32_t other) {
      if (when <= allowed) return;
      std::tie(kind, allowed, since, next) = std::tuple(why, when, from, other);
    };
    const int32_t launch = launch_of(c, op), before = rank.links.op_before[op], cross = rank.links.op_cross[op];
    if (launch >= 0)
      held(PathKind::launch, c.call_start[at(launch)] + latency_of(c, rank.links, op, launch), c.call_start[at(launch)], kNoNode);
    if (before != kNoNode) held(PathKind::gap, c.op_end[at(before)] + gap_of(c, rank.links, op, before), c.op_end[at(before)], before);
    if (launch >= 0 && cross != kNoNode) held(PathKind::wait, c.op_end[at(cross)], c.op_end[at(cross)], cross);
    if (since == kNever) return lost(kind, static_cast<int32_t>(op));
    add(kind, static_cast<int32_t>(op), since + c.clock);
    return next;
  }

  const PathPlan& plan_;
  std::size_t home_, rank_;
  std::vector<int64_t> bounds_;
  std::span<const int32_t> last_op_;
  std::size_t left_, step_;
  int64_t now_ = 0;
  std::vector<std::size_t> unseen_;  // of the calls that waited, per rank: the path never comes to one twice
  PathSegments found_;
};

PathSegments PathPlan::paths(std::size_t rank, std::span<const int64_t> bounds, std::span<const int32_t> last_op) const {
  check(rank < ranks_.size(), "There is no such rank.");
  check(bounds.size() == last_op.size() + 1 && std::is_sorted(bounds.begin(), bounds.end()), "Steps must touch and be in order.");
  const RankColumns& c = ranks_[rank].columns;
  for (const int32_t op : last_op) check(op < static_cast<int64_t>(c.op_start.size()), "What ends a step must be an operation.");
  return last_op.empty() ? PathSegments{} : Walk(*this, rank, bounds, last_op).whole();
}

std::vector<int32_t> steps_not_to_move(const PathSegments& path, std::span<const int32_t> last_op, std::span<const int32_t> op_step) {
  std::vector<uint8_t> lags(last_op.size(), 0);
  for (std::size_t i = 0; i < path.step.size(); ++i)  // the last segment of a step tells
    lags[at(path.step[i])] = last_op[at(path.step[i])] >= 0 && path.kind[i] == static_cast<uint8_t>(PathKind::host);
  if (!lags.empty()) lags.back() = 0;
  std::vector<int32_t> found(op_step.begin(), op_step.end());
  for (int32_t& step : found)
    if (step >= 0 && at(step) < lags.size() && lags[at(step)] != 0) ++step;
  return found;
}

PathSlack PathPlan::slack(std::size_t rank, std::span<const int64_t> bounds, std::span<const int32_t> op_step,
                          std::span<const int64_t> host_end) const {
  check(rank < ranks_.size(), "There is no such rank.");
  const auto& [c, links, waiting] = ranks_[rank];
  const std::size_t ops = c.op_start.size(), steps = bounds.empty() ? 0 : bounds.size() - 1;
  check(op_step.size() == ops, "Every operation needs its step.");
  check(host_end.empty() || host_end.size() == steps, "The host ends every step or none.");
  std::vector<int64_t> slack(ops, kUnlimited);
  for (std::size_t op = 0; op < ops; ++op) {
    check(op_step[op] < static_cast<int64_t>(steps), "There is no such step.");
    if (op_step[op] >= 0) slack[op] = std::max<int64_t>(0, bounds[at(op_step[op]) + 1] - c.op_end[op]);
  }
  enum class Node : uint8_t { call_start, op_start, call_end, host_end, bound };
  std::vector<std::tuple<int64_t, Node, int32_t>> nodes;
  std::vector<uint8_t> waits(c.call_start.size(), 0);
  for (const int32_t call : waiting) waits[at(call)] = 1;
  std::vector<std::vector<int32_t>> launched(c.call_start.size());
  for (std::size_t op = 0; op < ops; ++op) {
    nodes.emplace_back(c.op_start[op], Node::op_start, static_cast<int32_t>(op));
    if (const int32_t launch = launch_of(c, op); launch >= 0) launched[at(launch)].push_back(static_cast<int32_t>(op));
  }
  for (std::size_t call = 0; call < c.call_start.size(); ++call) {
    if (waits[call]) nodes.emplace_back(c.call_end[call], Node::call_end, static_cast<int32_t>(call));
    if (waits[call] || !launched[call].empty()) nodes.emplace_back(c.call_start[call], Node::call_start, static_cast<int32_t>(call));
  }
  for (std::size_t bound = 1; bound < bounds.size(); ++bound)
    nodes.emplace_back(bounds[bound], Node::bound, static_cast<int32_t>(bound));
  for (std::size_t step = 0; step < host_end.size(); ++step)
    nodes.emplace_back(host_end[step], Node::host_end, static_cast<int32_t>(step));
  std::sort(nodes.begin(), nodes.end());
  int64_t host = kUnlimited;  // how much later the host may come here, if it must be on time at the end of every step
  HostSlack shown;            // the same, if it must not make a step longer
  const auto tighten = [](int64_t& mine, int64_t to) { mine = std::min(mine, std::max<int64_t>(0, to)); };
  for (auto node = nodes.rbegin(); node != nodes.rend(); ++node) {
    const std::size_t index = at(std::get<2>(*node));
    shown.come_to(std::get<0>(*node));
    switch (std::get<1>(*node)) {
      case Node::bound:
        host = 0;
        break;
      case Node::host_end:
        shown.tighten(bounds[index + 1] - host_end[index]);
        break;
      case Node::call_end: {
        const std::size_t op = at(links.call_waits_for[index]);
        const int64_t alone = c.call_start[index] + links.call_least[index];
        tighten(slack[op], host + std::max<int64_t>(0, alone - c.op_end[op]));
        host = std::min(kUnlimited, host + std::max<int64_t>(0, c.op_end[op] - alone));
        shown.wait(std::max<int64_t>(0, c.op_end[op] - alone));
        break;
      }
      case Node::op_start: {
        const int32_t before = links.op_before[index], cross = links.op_cross[index];
        if (before != kNoNode)
          tighten(slack[at(before)], slack[index] + c.op_start[index] - c.op_end[at(before)] - gap_of(c, links, index, before));
        if (cross != kNoNode && launch_of(c, index) >= 0)
          tighten(slack[at(cross)], slack[index] + c.op_start[index] - c.op_end[at(cross)]);
        break;
      }
      case Node::call_start:
        for (const int32_t op : launched[index]) {
          const int64_t latency = latency_of(c, links, at(op), static_cast<int32_t>(index));
          const int64_t spare = slack[at(op)] + c.op_start[at(op)] - c.call_start[index] - latency;
          tighten(host, spare);
          shown.tighten(spare);
        }
        break;
    }
  }
  return std::move(shown).with(std::move(slack));
}

}  // namespace stepscope
