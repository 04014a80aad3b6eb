// Walks gaps and the segments of each track side by side.
#include "gap_owners.hpp"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <stdexcept>

namespace stepscope {
namespace {

void check_in_order(std::span<const int64_t> start, std::span<const int64_t> end) {
  if (start.size() != end.size()) throw std::invalid_argument("The columns of a table must be of one length.");
  int64_t latest = std::numeric_limits<int64_t>::min();
  for (size_t i = 0; i < start.size(); ++i) {
    if (start[i] < latest || end[i] < start[i]) throw std::invalid_argument("Gaps and segments must be in time order and not overlap.");
    latest = end[i];
  }
}

}  // namespace

LargeVector<int32_t> gap_owners(std::span<const LabelledTrack> tracks, std::span<const int64_t> start, std::span<const int64_t> end,
                                std::span<const int8_t> owner) {
  check_in_order(start, end);
  if (owner.size() != start.size()) throw std::invalid_argument("The columns of a table must be of one length.");
  LargeVector<int32_t> found(start.size(), -1);
  LargeVector<int64_t> most(start.size(), 0);
  for (const LabelledTrack& track : tracks) {
    check_in_order(track.start, track.end);
    if (track.row.size() != track.start.size() || track.label.size() != track.start.size()) {
      throw std::invalid_argument("The columns of a table must be of one length.");
    }
    size_t first = 0;
    for (size_t gap = 0; gap < start.size(); ++gap) {
      while (first < track.start.size() && track.end[first] <= start[gap]) ++first;
      int64_t longest = 0;
      int32_t row = -1;
      for (size_t at = first; at < track.start.size() && track.start[at] < end[gap]; ++at) {
        if (track.label[at] != owner[gap]) continue;
        const int64_t overlap = std::min(track.end[at], end[gap]) - std::max(track.start[at], start[gap]);
        if (overlap > 0 && overlap >= longest) {
          longest = overlap;
          row = track.row[at];
        }
      }
      if (longest > most[gap]) {
        most[gap] = longest;
        found[gap] = row;
      }
    }
  }
  return found;
}

}  // namespace stepscope
