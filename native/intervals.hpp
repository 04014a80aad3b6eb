// Who owns each instant: first among the spans of one track, then among tracks; sums of whole nanoseconds per step.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "large_memory.hpp"

namespace stepscope {

// Labels are small numbers; a negative one owns nothing.
constexpr int kMostLabels = 32;

// Stretches of one track that do not overlap, in time order; each belongs to one row.
struct Segments {
  LargeVector<int64_t> start;
  LargeVector<int64_t> end;
  LargeVector<int32_t> row;
};

// Spans in the order of their starts, longest first. Of the spans that cover an instant, the one whose label has the lowest
// precedence owns it; of several with that label, the one that began last, which is the innermost. Spans need not nest.
// Throws std::invalid_argument when columns differ in length, starts go back, or a label has no precedence.
Segments owned_segments(std::span<const int64_t> start, std::span<const int64_t> end, std::span<const int8_t> label,
                        std::span<const int8_t> precedence);

struct LabelledSegments : Segments {
  LargeVector<int8_t> label;
};

// The same of many tracks of one table, with rows of the table and their labels. Track i has the rows [first[i], last[i]) and its own
// precedence.
std::vector<LabelledSegments> segments_of_tracks(std::span<const int64_t> start, std::span<const int64_t> end,
                                                 std::span<const int8_t> label, std::span<const int64_t> first,
                                                 std::span<const int64_t> last, std::span<const std::span<const int8_t>> precedence);

// How long each span is the innermost of its track. Track i has the rows [first[i], last[i]); spans with a negative label
// neither own nor hide anything. Over a track the times sum to what its spans cover together.
LargeVector<int64_t> self_times(std::span<const int64_t> start, std::span<const int64_t> end, std::span<const int8_t> label,
                                std::span<const int64_t> first, std::span<const int64_t> last);

// Whether each row lies inside a row with the same key, at any distance: 1 or 0. Parents come before their children, or are negative.
// Throws std::invalid_argument when columns differ in length, a parent comes later, or a key is not below `keys`; a negative key
// is never the same as another.
LargeVector<uint8_t> inside_same_key(std::span<const int32_t> parent, std::span<const int32_t> key, int32_t keys);

// One track's segments as the sweep reads them.
struct LabelledTrack {
  std::span<const int64_t> start;
  std::span<const int64_t> end;
  std::span<const int32_t> row;
  std::span<const int8_t> label;
};

// Steps x labels, row after row.
struct StepSums {
  std::vector<int64_t> taken;    // what each label owns: of the labels active at an instant, the lowest
  std::vector<int64_t> covered;  // the union of each label's segments, whoever owns it
};

// Divides the steps [bounds[i], bounds[i + 1]) among labels. An instant owned by a label adds to `exposed` of the row that is
// active under it on the first such track, in steps where `counted` is not 0; whole nanoseconds, which a double holds exactly for a
// hundred days. `exposed` may be empty: then nothing is added.
// Throws std::invalid_argument when columns differ in length, bounds or segments go back, or a row has no place in `exposed`.
StepSums sweep_steps(std::span<const LabelledTrack> tracks, std::span<const int64_t> bounds, int labels,
                     std::span<const uint8_t> counted, std::span<double> exposed);

struct Pieces : LabelledSegments {
  LargeVector<int64_t> step;
};

// Who owns each instant of the steps in which `wanted` is not 0, by the rules of sweep_steps: stretches in time order that no two have.
Pieces owned_pieces(std::span<const LabelledTrack> tracks, std::span<const int64_t> bounds, int labels,
                    std::span<const uint8_t> wanted);

}  // namespace stepscope
