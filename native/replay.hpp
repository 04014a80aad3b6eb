// Plays a recording again: a host clock per rank, device operations tied to what started them, and times scaled by levers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace stepscope {

constexpr int32_t kNoNode = -1;

// Whether a call of the host may wait for the device.
enum class CallKind : uint8_t {
  launch = 0,   // only starts work
  runtime = 1,  // may wait: it does when it takes far longer than its name usually does
  sync = 2,     // waits
};

// One rank's recording in nanoseconds. Calls, operations and moments are each in the order of their starts.
struct RankColumns {
  std::span<const int64_t> call_start;
  std::span<const int64_t> call_end;
  std::span<const int32_t> call_name;
  std::span<const uint8_t> call_kind;
  std::span<const int64_t> op_start;
  std::span<const int64_t> op_end;
  std::span<const int32_t> op_stream;
  std::span<const int32_t> op_launch;      // into calls, negative when unknown; one call may launch many
  std::span<const int32_t> op_waits_for;   // an operation of another stream, as recorded; where any is, none is guessed
  std::span<const int32_t> op_collective;  // the same number on every rank that takes part, negative outside collectives
  std::span<const int64_t> moment;         // times of the host that are asked for
  int64_t clock = 0;                       // what to add to be on the clock of all ranks
};

// What one replay changes: factors of time.
struct RankScales {
  // Stretches of the host's one timeline, apart and in order; what is not among them takes as long as it did.
  std::span<const int64_t> host_start;
  std::span<const int64_t> host_end;
  std::span<const double> host;
  std::span<const double> call;  // of calls that wait: 0 takes the call and its wait away
  std::span<const double> op;
};

// When things happen in a replay, on the rank's own clock.
struct RankTimes {
  std::vector<double> op_start;
  std::vector<double> op_end;
  std::vector<double> moment;
};

// What ties a rank's nodes, as found once from the recording.
struct RankLinks {
  int64_t launch_latency = 0;           // from a launch to its operation on an idle stream
  int64_t stream_gap = 0;               // between operations of a queue that is not empty
  std::vector<int32_t> op_before;       // the one before it on its stream
  std::vector<int32_t> op_cross;        // the one on another stream it waits for
  std::vector<int32_t> call_waits_for;  // operation whose end lets the call return
  std::vector<int64_t> call_least;      // what the call takes when there is nothing to wait for
};

class ReplayPlan {
 public:
  // Copies what it needs. Throws std::invalid_argument when columns differ in length, starts go back or a link leads nowhere.
  explicit ReplayPlan(std::span<const RankColumns> ranks);

  std::size_t ranks() const { return ranks_.size(); }
  const RankLinks& links(std::size_t rank) const { return ranks_.at(rank).links; }

  // With `keep` every residual of the recording stays, so that nothing scaled gives the recording; without it operations start as
  // soon as what they wait for allows, and calls return soon after. Throws std::invalid_argument when scales are of other lengths.
  std::vector<RankTimes> run(std::span<const RankScales> scales, bool keep) const;

 private:
  enum class Step : uint8_t { call_start = 0, op_start = 1, call_end = 2, moment = 3 };

  struct Event {
    int64_t time;
    int32_t rank;
    int32_t index;
    Step step;
  };

  struct Rank {
    int64_t clock = 0;
    int64_t host_start = std::numeric_limits<int64_t>::max();  // where the host's timeline begins
    std::vector<int64_t> call_start, call_end;
    std::vector<int64_t> op_start, op_end;
    std::vector<int32_t> op_launch, op_collective;
    std::vector<int64_t> op_latency, op_gap;  // at most what was observed
    std::vector<int64_t> moment;
    RankLinks links;
  };

  struct Collective {
    int32_t members = 0;
    int64_t latest_start;  // on the clock of all ranks
  };

  class HostClock;
  class Run;

  static Rank copied(const RankColumns& columns);
  void find_events();
  void find_collectives();

  std::vector<Rank> ranks_;
  std::vector<Event> events_;
  std::vector<Collective> collectives_;
};

}  // namespace stepscope
