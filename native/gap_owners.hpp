// Which span explains most of each gap between a device's work.
#pragma once

#include <cstdint>
#include <span>

#include "intervals.hpp"
#include "large_memory.hpp"

namespace stepscope {

// In each gap [start[i], end[i]), which are sorted and disjoint, the row of the segment with the label owner[i] that covers most of it:
// of several on one track the last, of several tracks the first. -1 where there is none.
// Throws std::invalid_argument when columns differ in length, or gaps or segments go back.
LargeVector<int32_t> gap_owners(std::span<const LabelledTrack> tracks, std::span<const int64_t> start, std::span<const int64_t> end,
                                std::span<const int8_t> owner);

}  // namespace stepscope
