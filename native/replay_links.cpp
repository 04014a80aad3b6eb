// Finds the links of a replay in a few passes over sorted columns; what a recording does not say is guessed from coincidence.
#include "replay_links.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace stepscope {
namespace {

constexpr int64_t kNearby = 25'000;    // another stream's end this close before a late start is its reason
constexpr int64_t kLongCall = 20'000;  // a call must last this long, and three times its usual length, to have waited
constexpr int64_t kUsualLengths = 3;
constexpr int64_t kReturnsWithin = 30'000;  // a call that waited returns this soon after, or within a tenth of its length
constexpr int64_t kReturnsWithinShare = 10;
constexpr int64_t kFarthest = int64_t{1} << 61;  // so that no sum of two times overflows
constexpr int kLooksBack = 4096;                 // bounds the search where thousands of operations end together

void check(bool right, const char* message) {
  if (!right) throw std::invalid_argument(message);
}

void check_times(std::span<const int64_t> times) {
  const auto [least, most] = std::minmax_element(times.begin(), times.end());
  check(times.empty() || (*least > -kFarthest && *most < kFarthest), "Times must be within 70 years of 0.");
}

void check_columns(const RankColumns& c) {
  const auto calls = c.call_start.size(), ops = c.op_start.size();
  check(c.call_end.size() == calls && c.call_name.size() == calls && c.call_kind.size() == calls && c.op_end.size() == ops &&
            c.op_stream.size() == ops && c.op_launch.size() == ops && c.op_waits_for.size() == ops && c.op_collective.size() == ops,
        "The columns of a table must be of one length.");
  check(std::is_sorted(c.call_start.begin(), c.call_start.end()) && std::is_sorted(c.op_start.begin(), c.op_start.end()) &&
            std::is_sorted(c.moment.begin(), c.moment.end()),
        "Calls, operations and moments must be in the order of their starts.");
  for (const auto times : {c.call_start, c.call_end, c.op_start, c.op_end, c.moment, std::span<const int64_t>(&c.clock, 1)})
    check_times(times);
  for (std::size_t i = 0; i < calls; ++i) {
    check(c.call_end[i] >= c.call_start[i], "A call must not end before it starts.");
    check(c.call_name[i] >= 0 && c.call_kind[i] <= static_cast<uint8_t>(CallKind::sync), "A call must have a name and a kind.");
  }
  for (std::size_t i = 0; i < ops; ++i) {
    check(c.op_end[i] >= c.op_start[i], "An operation must not end before it starts.");
    check(c.op_stream[i] >= 0, "An operation must have a stream.");
    check(c.op_launch[i] < static_cast<int64_t>(calls), "A launch must be among the calls.");
    check(c.op_waits_for[i] < static_cast<int64_t>(ops), "What an operation waits for must be an operation.");
  }
}

// The value below which a tenth of them lies; 0 of none.
int64_t low_tenth(std::vector<int64_t>& values) {
  if (values.empty()) return 0;
  const auto at = values.begin() + static_cast<std::ptrdiff_t>((values.size() - 1) / 10);
  std::nth_element(values.begin(), at, values.end());
  return *at;
}

int64_t launch_time(const RankColumns& c, std::size_t op) {
  return c.op_launch[op] >= 0 ? c.call_start[static_cast<std::size_t>(c.op_launch[op])] : c.op_start[op];
}

std::vector<int32_t> before_on_stream(const RankColumns& c) {
  std::vector<int32_t> before(c.op_start.size(), kNoNode);
  const auto streams = c.op_stream.empty() ? 0 : *std::max_element(c.op_stream.begin(), c.op_stream.end()) + 1;
  check(static_cast<std::size_t>(streams) <= c.op_start.size(), "Streams must be numbered without gaps.");
  std::vector<int32_t> last(static_cast<std::size_t>(streams), kNoNode);
  for (std::size_t op = 0; op < before.size(); ++op) {
    auto& at = last[static_cast<std::size_t>(c.op_stream[op])];
    before[op] = std::exchange(at, static_cast<int32_t>(op));
  }
  return before;
}

// The latency of launches on streams that had nothing to do, and the gap on those that had.
void measure(const RankColumns& c, RankLinks& links) {
  std::vector<int64_t> latencies, gaps;
  for (std::size_t op = 0; op < c.op_start.size(); ++op) {
    if (c.op_launch[op] < 0) continue;
    const int32_t before = links.op_before[op];
    const int64_t launched = launch_time(c, op);
    if (c.op_start[op] < launched) continue;
    if (before == kNoNode || c.op_end[static_cast<std::size_t>(before)] <= launched)
      latencies.push_back(c.op_start[op] - launched);
    else
      gaps.push_back(c.op_start[op] - c.op_end[static_cast<std::size_t>(before)]);
  }
  links.launch_latency = low_tenth(latencies);
  links.stream_gap = low_tenth(gaps);
}

std::vector<int32_t> by_end(const RankColumns& c) {
  std::vector<std::pair<int64_t, int32_t>> ends(c.op_end.size());
  for (std::size_t op = 0; op < ends.size(); ++op) ends[op] = {c.op_end[op], static_cast<int32_t>(op)};
  if (!std::is_sorted(ends.begin(), ends.end())) std::sort(ends.begin(), ends.end());
  std::vector<int32_t> order(ends.size());
  std::transform(ends.begin(), ends.end(), order.begin(), [](const auto& each) { return each.second; });
  return order;
}

// The operation that ended last in [from, to] and that the condition accepts.
template <class Accepts>
int32_t latest_ended(const RankColumns& c, const std::vector<int32_t>& order, int64_t from, int64_t to, const Accepts& accepts) {
  auto at = std::upper_bound(order.begin(), order.end(), to,
                             [&](int64_t time, int32_t op) { return time < c.op_end[static_cast<std::size_t>(op)]; });
  for (int looked = 0; at != order.begin() && looked < kLooksBack; ++looked) {
    const auto op = static_cast<std::size_t>(*--at);
    if (c.op_end[op] < from) break;
    if (accepts(op)) return static_cast<int32_t>(op);
  }
  return kNoNode;
}

void find_cross(const RankColumns& c, const std::vector<int32_t>& order, RankLinks& links) {
  links.op_cross.assign(c.op_start.size(), kNoNode);
  const bool recorded = std::any_of(c.op_waits_for.begin(), c.op_waits_for.end(), [](int32_t op) { return op >= 0; });
  if (recorded) {
    for (std::size_t op = 0; op < c.op_start.size(); ++op)
      if (c.op_waits_for[op] < static_cast<int64_t>(op)) links.op_cross[op] = c.op_waits_for[op];
    return;
  }
  for (std::size_t op = 0; op < c.op_start.size(); ++op) {
    if (c.op_launch[op] < 0) continue;
    const int64_t start = c.op_start[op], launched = launch_time(c, op);
    int64_t allowed = launched + links.launch_latency;
    if (const int32_t before = links.op_before[op]; before != kNoNode)
      allowed = std::max(allowed, c.op_end[static_cast<std::size_t>(before)] + links.stream_gap);
    if (start - allowed <= kNearby) continue;
    links.op_cross[op] = latest_ended(c, order, start - kNearby, start, [&](std::size_t other) {
      return other < op && c.op_stream[other] != c.op_stream[op] && launch_time(c, other) < launched;
    });
  }
}

// The median length of each name's calls.
std::vector<int64_t> usual_lengths(const RankColumns& c) {
  int32_t names = 0;
  for (const int32_t name : c.call_name) names = std::max(names, name + 1);
  check(static_cast<std::size_t>(names) <= c.call_name.size(), "Names of calls must be numbered without gaps.");
  std::vector<std::vector<int64_t>> lengths(static_cast<std::size_t>(names));
  for (std::size_t call = 0; call < c.call_start.size(); ++call)
    lengths[static_cast<std::size_t>(c.call_name[call])].push_back(c.call_end[call] - c.call_start[call]);
  std::vector<int64_t> usual(lengths.size(), 0);
  for (std::size_t name = 0; name < lengths.size(); ++name) {
    auto& of_name = lengths[name];
    if (of_name.empty()) continue;
    const auto middle = of_name.begin() + static_cast<std::ptrdiff_t>(of_name.size() / 2);
    std::nth_element(of_name.begin(), middle, of_name.end());
    usual[name] = *middle;
  }
  return usual;
}

void find_waits(const RankColumns& c, const std::vector<int32_t>& order, RankLinks& links) {
  const auto usual = usual_lengths(c);
  links.call_waits_for.assign(c.call_start.size(), kNoNode);
  links.call_least.assign(c.call_start.size(), 0);
  for (std::size_t call = 0; call < c.call_start.size(); ++call) {
    const auto kind = static_cast<CallKind>(c.call_kind[call]);
    const int64_t start = c.call_start[call], end = c.call_end[call], length = end - start;
    const int64_t usually = usual[static_cast<std::size_t>(c.call_name[call])];
    const bool waits = kind == CallKind::sync || (kind == CallKind::runtime && length > std::max(kLongCall, kUsualLengths * usually));
    if (!waits) continue;
    const int64_t within = std::max(kReturnsWithin, length / kReturnsWithinShare);
    const int32_t found =
        latest_ended(c, order, std::max(start, end - within), end, [&](std::size_t op) { return launch_time(c, op) <= start; });
    links.call_waits_for[call] = found;
    if (found == kNoNode) continue;
    links.call_least[call] = std::min(usually, end - c.op_end[static_cast<std::size_t>(found)]);
  }
}

}  // namespace

RankLinks find_links(const RankColumns& columns) {
  check_columns(columns);
  RankLinks links;
  links.op_before = before_on_stream(columns);
  measure(columns, links);
  const auto order = by_end(columns);
  find_cross(columns, order, links);
  find_waits(columns, order, links);
  return links;
}

}  // namespace stepscope
