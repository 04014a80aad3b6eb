// The chain of work and waiting that the length of steps consists of, walked back from the last one's end, and how late the rest may come.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "replay.hpp"

namespace stepscope {

// Why time is on the path.
enum class PathKind : uint8_t {
  host = 0,      // the host goes on by itself
  op = 1,        // an operation of the device runs
  launch = 2,    // from a launch to the start of its operation
  gap = 3,       // between operations of one stream
  wait = 4,      // from the end of another stream's operation to the start of one that waited for it
  returns = 5,   // a call of the host returns after what it waited for
  unlinked = 6,  // before an operation of which nothing is known that it waited for
};

// Segments that follow one another and fill the steps that were asked for; of each step the earliest comes first.
struct PathSegments {
  std::vector<int32_t> step;  // place
  std::vector<int32_t> rank;  // on whose clock its times are, and whose columns `index` is of
  std::vector<uint8_t> kind;
  std::vector<int32_t> index;  // operation of op, gap, wait, launch and unlinked; call of returns; negative of host
  std::vector<int64_t> start;
  std::vector<int64_t> end;
};

// How much later something may end without moving the end of a step; kUnlimited where no step comes after it.
struct PathSlack {
  std::vector<int64_t> op;  // of each operation
  // Of whatever the host ends at a time: the value at the first `host_time` that is not before it. Ascending, and no two neighbours are alike.
  std::vector<int64_t> host_time;
  std::vector<int64_t> host;
};
constexpr int64_t kUnlimited = std::numeric_limits<int64_t>::max() / 4;  // so that sums of it and times stay numbers

// The step whose end an operation of each step must not move: the next one where a step's end is the device's and the path is the host's,
// which does not wait for it. Negative stays negative.
std::vector<int32_t> steps_not_to_move(const PathSegments& path, std::span<const int32_t> last_op, std::span<const int32_t> op_step);

class PathPlan {
 public:
  // Keeps views of the columns. Throws std::invalid_argument as a replay does.
  explicit PathPlan(std::span<const RankColumns> ranks);

  std::size_t ranks() const { return ranks_.size(); }

  // The path of a rank's steps, which goes on from each into the one before: a device that lags is on it only where something waits
  // for it. `last_op` is the operation that ends with a step, negative where the host does. At a collective that came late to nobody
  // but this rank's own start, the path goes on at the rank that was last. Throws std::invalid_argument.
  PathSegments paths(std::size_t rank, std::span<const int64_t> bounds, std::span<const int32_t> last_op) const;

  // How much later operations and the host may end without moving the end of a step. `op_step` is the place of the step whose end that
  // is for an operation, negative outside; `host_end` is when the host is done with each step, empty where steps are the device's own.
  PathSlack slack(std::size_t rank, std::span<const int64_t> bounds, std::span<const int32_t> op_step,
                  std::span<const int64_t> host_end) const;

 private:
  struct Rank {
    RankColumns columns;
    RankLinks links;
    std::vector<int32_t> waiting;  // calls that waited, by their ends
  };
  struct Meeting {
    int64_t latest_start;  // on the clock of all ranks
    int32_t rank, op;      // of who came last
  };

  class Walk;

  std::vector<Rank> ranks_;
  std::vector<Meeting> meetings_;
};

}  // namespace stepscope
