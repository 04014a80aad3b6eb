// What the fuzz drivers share: choices from a seed, damage to good files, what must hold of the tables of any profile, and the loop.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>
#include <string_view>

#include "profile/tables.hpp"

#define HOLDS(condition)                                                                 \
  do {                                                                                   \
    if (!(condition)) {                                                                  \
      std::fprintf(stderr, "%s:%d does not hold: %s\n", __FILE__, __LINE__, #condition); \
      std::abort();                                                                      \
    }                                                                                    \
  } while (false)

namespace stepscope::fuzz {

class Chooser {
 public:
  explicit Chooser(uint64_t seed) : random_(seed) {}

 protected:
  uint64_t below(uint64_t end) { return end ? random_() % end : 0; }
  bool chance(uint64_t one_in) { return below(one_in) == 0; }
  template <size_t n>
  std::string_view one_of(const char* const (&texts)[n]) {
    return texts[below(n)];
  }

  // Mostly small, sometimes at the ends of what fits.
  uint64_t some_number() {
    switch (below(8)) {
      case 0:
        return random_();
      case 1:
        return chance(2) ? UINT64_MAX : uint64_t{1} << 63;
      case 2:
        return random_() & 0xffffffff;
      default:
        return below(60);
    }
  }

  // Changes, takes away, repeats or cuts a few bytes in a few places.
  void damage(std::string& bytes) {
    for (uint64_t n = 1 + below(4); n > 0 && !bytes.empty(); --n) {
      const size_t at = below(bytes.size()), length = below(std::min<size_t>(bytes.size() - at, 40) + 1);
      switch (below(5)) {
        case 0:
          bytes[at] = static_cast<char>(bytes[at] ^ (1 << below(8)));
          break;
        case 1:
          bytes[at] = static_cast<char>(random_());
          break;
        case 2:
          bytes.erase(at, length);
          break;
        case 3:
          bytes.insert(at, bytes.substr(below(bytes.size()), length));
          break;
        default:
          bytes.resize(at);
      }
    }
  }

  std::mt19937_64 random_;
};

inline void check_spans(const profile::Tables& t) {
  const profile::Spans& s = t.spans;
  const size_t rows = s.start.size();
  int64_t next = 0;
  for (size_t track = 0; track < t.tracks.size(); ++track) {
    HOLDS(t.tracks[track].first_row == next && t.tracks[track].last_row >= next);
    next = t.tracks[track].last_row;
    HOLDS(t.tracks[track].device < static_cast<int32_t>(t.devices.size()));
    for (auto row = static_cast<size_t>(t.tracks[track].first_row); row < static_cast<size_t>(next); ++row)
      HOLDS(s.track[row] == static_cast<int32_t>(track));
  }
  HOLDS(next == static_cast<int64_t>(rows));
  for (size_t row = 0; row < rows; ++row) {
    HOLDS(s.end[row] >= s.start[row]);
    HOLDS(s.name[row] >= 0 && static_cast<size_t>(s.name[row]) < t.names.size());
    HOLDS(s.op[row] < static_cast<int32_t>(t.ops.size()) && s.shape[row] < static_cast<int32_t>(t.names.size()));
    HOLDS(s.cause[row] < static_cast<int32_t>(rows) && s.depth[row] >= 0);
    HOLDS(s.start[row] >= t.window_start && s.end[row] <= t.window_end);
    if (row > 0 && s.track[row] == s.track[row - 1]) {
      HOLDS(s.start[row - 1] <= s.start[row]);
      HOLDS(s.start[row - 1] < s.start[row] || s.end[row - 1] >= s.end[row]);
    }
    if (s.parent[row] < 0) continue;
    const auto parent = static_cast<size_t>(s.parent[row]);
    HOLDS(parent < row && s.track[parent] == s.track[row] && s.depth[parent] < s.depth[row]);
    HOLDS(s.start[parent] <= s.start[row] && s.end[parent] >= s.end[row]);
  }
}

// What must hold of any profile's tables, whatever bytes they were read of.
inline void check_tables(const profile::Tables& t) {
  check_spans(t);
  const auto rows = static_cast<int32_t>(t.spans.start.size());
  const auto inside = [&](const profile::Column<int32_t>& column, int32_t least) {
    for (const int32_t row : column) HOLDS(row >= least && row < rows);
  };
  inside(t.markers.row, 0);
  inside(t.kernels.row, 0);
  inside(t.copies.row, 0);
  inside(t.collectives.row, 0);
  inside(t.flows.source, 0);
  inside(t.flows.target, 0);
  inside(t.allocations.row, profile::kNone);
  HOLDS(t.kernels.grid.size() == 3 * t.kernels.row.size() && t.kernels.block.size() == 3 * t.kernels.row.size());
  for (const int32_t track : t.counters.track) HOLDS(track >= 0 && static_cast<size_t>(track) < t.tracks.size());
  for (const int32_t device : t.allocations.device) HOLDS(device < static_cast<int32_t>(t.devices.size()));
}

// Runs `once` of a fuzzer until the time is over; arguments are the seconds to run, and a seed.
template <class Fuzzer>
int run(int count, char** arguments) {
  if (count != 3) {
    std::fprintf(stderr, "Give the seconds to run and a seed.\n");
    return 2;
  }
  Fuzzer fuzzer(std::strtoull(arguments[2], nullptr, 10));
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(std::strtoull(arguments[1], nullptr, 10));
  uint64_t rounds = 0;
  for (; std::chrono::steady_clock::now() < end; ++rounds) fuzzer.once();
  std::printf("%llu files, nothing found\n", static_cast<unsigned long long>(rounds));
  return 0;
}

}  // namespace stepscope::fuzz
