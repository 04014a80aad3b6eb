// The spans of tracks as a picture of some width needs them: what is wider than a column itself, the rest summed up in columns.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "large_memory.hpp"

namespace stepscope {

// Columns of a profile's spans. Track i has the rows [first[i], last[i]), in the order of their starts.
struct TimelineSpans {
  std::span<const int64_t> start;
  std::span<const int64_t> end;
  std::span<const int16_t> depth;  // the line that it is drawn on
};

// What each track has as a whole; a track without rows has zeros.
struct TrackExtents {
  std::vector<int32_t> lines;
  std::vector<int64_t> busy;  // what its spans cover together
  std::vector<int64_t> start;
  std::vector<int64_t> end;
};

// Throws std::invalid_argument when columns differ in length or rows lie beyond them.
TrackExtents track_extents(const TimelineSpans& spans, std::span<const int64_t> first, std::span<const int64_t> last);

struct TileWindow {
  int64_t start;
  int64_t end;
  int32_t columns;
  int32_t lines;  // those below are counted, not drawn; at most 255
  int64_t most;   // entries of all tracks together: with more, the columns are made wider
};

// Entries of all tracks, one track after another, in each by line and then by time.
struct Tile {
  LargeVector<int64_t> start;  // of the first span that it stands for
  LargeVector<int64_t> end;    // of the last
  LargeVector<int32_t> row;    // the longest
  LargeVector<int32_t> count;
  LargeVector<uint8_t> line;
  std::vector<int64_t> bounds;  // entries of track i are [bounds[i], bounds[i + 1])
  std::vector<int64_t> hidden;  // of each track, spans in the window on lines that are not drawn
  int32_t columns = 0;          // that were used
};

// Every span that touches the window is in exactly one entry. One at least a column wide has its own; narrower ones of a line whose
// starts are in the same column share one. Throws std::invalid_argument as above, or for a window that is none.
Tile tile_of(const TimelineSpans& spans, std::span<const int64_t> first, std::span<const int64_t> last, const TileWindow& window);

}  // namespace stepscope
