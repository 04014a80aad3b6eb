// Fuzzes replays and critical paths: makes columns of every shape, right and wrong, and checks what must hold for any of them.
// Arguments: seconds to run, and a seed.
#include "replay.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <stdexcept>
#include <vector>

#include "critical_path.hpp"

namespace {

using namespace stepscope;

#define HOLDS(condition)                                                                 \
  do {                                                                                   \
    if (!(condition)) {                                                                  \
      std::fprintf(stderr, "%s:%d does not hold: %s\n", __FILE__, __LINE__, #condition); \
      std::abort();                                                                      \
    }                                                                                    \
  } while (false)

// The columns of one rank, and the scales of one replay of it.
struct Made {
  std::vector<int64_t> call_start, call_end, op_start, op_end, moment, host_start, host_end;
  std::vector<int32_t> call_name, op_stream, op_launch, op_waits_for, op_collective;
  std::vector<uint8_t> call_kind;
  std::vector<double> host, call, op;
  int64_t clock = 0;

  RankColumns columns() const {
    return {call_start, call_end,  call_name,    call_kind,     op_start, op_end,
            op_stream,  op_launch, op_waits_for, op_collective, moment,   clock};
  }
  RankScales scales() const { return {host_start, host_end, host, call, op}; }
};

class Fuzzer {
 public:
  explicit Fuzzer(uint64_t seed) : random_(seed) {}

  void once() {
    std::vector<Made> ranks(1 + below(3));
    const bool together = ranks.size() > 1 && chance(2);
    const bool wrong = chance(4);
    for (Made& rank : ranks) make(rank, together);
    if (wrong) damage(ranks[below(ranks.size())]);
    std::vector<RankColumns> columns;
    std::vector<RankScales> scales;
    for (const Made& rank : ranks) {
      columns.push_back(rank.columns());
      scales.push_back(rank.scales());
    }
    try {
      const ReplayPlan plan(columns);
      for (const bool keep : {false, true}) check(ranks, plan.run(scales, keep), keep && !together && !wrong);
      const PathPlan paths(columns);
      for (size_t rank = 0; rank < ranks.size(); ++rank) check_paths(ranks[rank], paths, rank);
    } catch (const std::invalid_argument&) {
      HOLDS(wrong);
    }
  }

 private:
  size_t below(size_t limit) { return std::uniform_int_distribution<size_t>(0, limit - 1)(random_); }
  bool chance(size_t one_in) { return below(one_in) == 0; }
  int64_t length() { return chance(10) ? 0 : static_cast<int64_t>(below(chance(5) ? 1'000'000 : 40'000)); }

  void make(Made& rank, bool together) {
    rank.clock = chance(2) ? 0 : static_cast<int64_t>(below(1'000'000)) - 500'000;
    const size_t calls = below(60), ops = below(60), streams = 1 + below(3);
    int64_t at = static_cast<int64_t>(below(1'000)) - 500;
    for (size_t i = 0; i < calls; ++i, at += length()) {
      rank.call_start.push_back(at);
      rank.call_end.push_back(at + length());
      rank.call_name.push_back(static_cast<int32_t>(below(std::min<size_t>(calls, 4))));
      rank.call_kind.push_back(static_cast<uint8_t>(below(3)));
      rank.call.push_back(1);
    }
    at = 0;
    int32_t collective = 0;
    for (size_t i = 0; i < ops; ++i, at += length()) {
      rank.op_start.push_back(at);
      rank.op_end.push_back(at + length());
      rank.op_stream.push_back(static_cast<int32_t>(below(std::min(ops, streams))));
      rank.op_launch.push_back(calls == 0 || chance(5) ? kNoNode : static_cast<int32_t>(below(calls)));
      rank.op_waits_for.push_back(chance(50) ? static_cast<int32_t>(below(ops)) : kNoNode);
      rank.op_collective.push_back(together && chance(4) ? collective++ : kNoNode);
      rank.op.push_back(1);
    }
    at = 0;
    for (size_t i = below(8); i > 0; --i, at += length()) rank.moment.push_back(at);
    at = 0;
    for (size_t i = below(20); i > 0; --i) {
      rank.host_start.push_back(at += length());
      rank.host_end.push_back(at += length());
      rank.host.push_back(1);
    }
    if (chance(2)) return;
    for (auto* factors : {&rank.host, &rank.call, &rank.op})
      for (double& factor : *factors) factor = chance(3) ? 0 : static_cast<double>(below(30)) / 10;
  }

  // One thing wrong, or strange enough to seem so.
  void damage(Made& rank) {
    switch (below(7)) {
      case 0:
        rank.op_launch.push_back(0);
        break;
      case 1:
        if (!rank.op_launch.empty()) rank.op_launch[below(rank.op_launch.size())] = static_cast<int32_t>(below(1000));
        break;
      case 2:
        if (!rank.op_start.empty()) rank.op_start[below(rank.op_start.size())] = static_cast<int64_t>(random_());
        break;
      case 3:
        if (!rank.call_end.empty()) rank.call_end[below(rank.call_end.size())] = static_cast<int64_t>(random_());
        break;
      case 4:
        if (!rank.op_stream.empty()) rank.op_stream[below(rank.op_stream.size())] = static_cast<int32_t>(random_());
        break;
      case 5:
        if (!rank.host_end.empty()) rank.host_end[below(rank.host_end.size())] = static_cast<int64_t>(random_());
        break;
      default:
        rank.clock = static_cast<int64_t>(random_());
    }
  }

  void check(const std::vector<Made>& ranks, const std::vector<RankTimes>& times, bool is_recording) {
    HOLDS(times.size() == ranks.size());
    for (size_t number = 0; number < ranks.size(); ++number) {
      const Made& rank = ranks[number];
      HOLDS(times[number].op_start.size() == rank.op_start.size() && times[number].moment.size() == rank.moment.size());
      bool unscaled = true;
      for (const auto* factors : {&rank.host, &rank.call, &rank.op})
        for (const double factor : *factors) unscaled = unscaled && factor == 1;
      for (size_t op = 0; op < rank.op_start.size(); ++op) {
        HOLDS(std::isfinite(times[number].op_start[op]) && std::isfinite(times[number].op_end[op]));
        if (!is_recording || !unscaled) continue;
        HOLDS(std::abs(times[number].op_start[op] - static_cast<double>(rank.op_start[op])) < 1);
        HOLDS(std::abs(times[number].op_end[op] - static_cast<double>(rank.op_end[op])) < 1);
      }
    }
  }

  // Whatever ties the nodes, a path fills its step.
  void check_paths(const Made& rank, const PathPlan& plan, size_t number) {
    std::vector<int64_t> bounds{-1'000};
    std::vector<int32_t> last_op;
    for (size_t step = below(4); step > 0; --step) {
      const bool by_op = !rank.op_end.empty() && chance(2);
      const size_t op = by_op ? below(rank.op_end.size()) : 0;
      bounds.push_back(std::max(bounds.back(), by_op ? rank.op_end[op] : bounds.back() + length()));
      last_op.push_back(by_op ? static_cast<int32_t>(op) : kNoNode);
    }
    const PathSegments found = plan.paths(number, bounds, last_op);
    std::vector<int64_t> filled(last_op.size(), 0);
    for (size_t i = 0; i < found.step.size(); ++i) {
      HOLDS(found.end[i] > found.start[i]);
      filled[static_cast<size_t>(found.step[i])] += found.end[i] - found.start[i];
    }
    for (size_t step = 0; step < last_op.size(); ++step) HOLDS(filled[step] == bounds[step + 1] - bounds[step]);
    std::vector<int32_t> op_step(rank.op_start.size(), last_op.empty() ? kNoNode : 0);
    const PathSlack slack = plan.slack(number, bounds, op_step, chance(2) ? std::span<const int64_t>{} : std::span{bounds}.subspan(1));
    for (const auto* column : {&slack.op, &slack.host})
      for (const int64_t each : *column) HOLDS(each >= 0 && each <= kUnlimited);
    HOLDS(slack.host.size() == slack.host_time.size());
    for (size_t i = 1; i < slack.host_time.size(); ++i) HOLDS(slack.host_time[i - 1] < slack.host_time[i]);
  }

  std::mt19937_64 random_;
};

}  // namespace

int main(int count, char** arguments) {
  const double seconds = count > 1 ? std::atof(arguments[1]) : 5;
  const uint64_t seed = count > 2 ? std::strtoull(arguments[2], nullptr, 10) : 1;
  Fuzzer fuzzer(seed);
  const auto begin = std::chrono::steady_clock::now();
  uint64_t rounds = 0;
  for (; std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count() < seconds; ++rounds) fuzzer.once();
  std::printf("%llu replays\n", static_cast<unsigned long long>(rounds));
}
