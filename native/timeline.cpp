// Plain scans in the order of the rows: five million spans are read faster than a picture of them is drawn.
#include "timeline.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

namespace stepscope {

namespace {

constexpr int32_t kMostLines = 255;

void check(const TimelineSpans& spans, std::span<const int64_t> first, std::span<const int64_t> last) {
  const std::size_t rows = spans.start.size();
  if (spans.end.size() != rows || spans.depth.size() != rows || first.size() != last.size()) {
    throw std::invalid_argument("The columns of a table must be of one length.");
  }
  if (rows > static_cast<std::size_t>(std::numeric_limits<int32_t>::max())) {
    throw std::invalid_argument("The table has more rows than can be numbered.");
  }
  for (std::size_t track = 0; track < first.size(); ++track) {
    if (first[track] < 0 || last[track] < first[track] || static_cast<std::size_t>(last[track]) > rows) {
      throw std::invalid_argument("A track's rows lie beyond the end of the table.");
    }
  }
}

// Of hostile times, which must not overflow.
double length(int64_t from, int64_t to) { return static_cast<double>(to) - static_cast<double>(from); }

struct Entry {
  int64_t start;
  int64_t end;
  double longest;
  int32_t row;
  int32_t count;
};

// One line of a track: the entries that are done, and the one that further narrow spans may join.
class Line {
 public:
  void add_wide(const Entry& entry) {
    flush();
    done_.push_back(entry);
  }

  // Whether a narrow span that starts here joins the open entry.
  bool takes(int64_t start) const { return open_.count > 0 && static_cast<double>(start) < until_; }

  void join(const Entry& entry) {
    open_.end = std::max(open_.end, entry.end);
    ++open_.count;
    if (entry.longest > open_.longest) {
      open_.longest = entry.longest;
      open_.row = entry.row;
    }
  }

  // `until` is where the column of the entry ends.
  void open(const Entry& entry, double until) {
    flush();
    open_ = entry;
    until_ = until;
  }

  void flush() {
    if (open_.count > 0) done_.push_back(open_);
    open_.count = 0;
  }

  const std::vector<Entry>& done() const { return done_; }

  void clear() {
    done_.clear();
    open_.count = 0;
  }

 private:
  std::vector<Entry> done_;
  Entry open_{};
  double until_ = 0;
};

class Scan {
 public:
  Scan(const TimelineSpans& spans, const TileWindow& window, int32_t columns)
      : spans_(spans),
        window_(window),
        width_(std::max(length(window.start, window.end), 1.0) / columns),
        lines_(static_cast<std::size_t>(window.lines)) {
    tile_.columns = columns;
    tile_.bounds.push_back(0);
  }

  // Whether all entries so far may be sent.
  bool add_track(int64_t first, int64_t last) {
    used_ = 0;
    hidden_ = 0;
    const int64_t* start = spans_.start.data();
    const int64_t after = std::upper_bound(start + first, start + last, window_.end) - start;
    const int64_t inside = std::lower_bound(start + first, start + after, window_.start) - start;
    for (int64_t row = first; row < inside; ++row) {
      if (spans_.end[row] >= window_.start) add(row);
    }
    for (int64_t row = inside; row < after; ++row) add(row);
    return finish_track();
  }

  Tile take() { return std::move(tile_); }

 private:
  void add(int64_t row) {
    const int16_t depth = spans_.depth[row];
    if (depth < 0 || depth >= window_.lines) {
      ++hidden_;
      return;
    }
    used_ = std::max(used_, depth + 1);
    Line& line = lines_[static_cast<std::size_t>(depth)];
    const int64_t start = spans_.start[row];
    const Entry entry{start, spans_.end[row], length(start, spans_.end[row]), static_cast<int32_t>(row), 1};
    if (entry.longest >= width_) {
      line.add_wide(entry);
    } else if (line.takes(start)) {
      line.join(entry);
    } else {
      const double column = std::floor(length(window_.start, start) / width_);
      line.open(entry, static_cast<double>(window_.start) + (column + 1) * width_);
    }
  }

  bool finish_track() {
    std::size_t count = tile_.start.size();
    for (int line = 0; line < used_; ++line) {
      lines_[static_cast<std::size_t>(line)].flush();
      count += lines_[static_cast<std::size_t>(line)].done().size();
    }
    for (int line = 0; line < used_; ++line) {
      for (const Entry& entry : lines_[static_cast<std::size_t>(line)].done()) {
        tile_.start.push_back(entry.start);
        tile_.end.push_back(entry.end);
        tile_.row.push_back(entry.row);
        tile_.count.push_back(entry.count);
        tile_.line.push_back(static_cast<uint8_t>(line));
      }
      lines_[static_cast<std::size_t>(line)].clear();
    }
    tile_.bounds.push_back(static_cast<int64_t>(count));
    tile_.hidden.push_back(hidden_);
    return static_cast<int64_t>(count) <= window_.most;
  }

  const TimelineSpans& spans_;
  const TileWindow& window_;
  double width_;
  std::vector<Line> lines_;
  int used_ = 0;
  int64_t hidden_ = 0;
  Tile tile_;
};

}  // namespace

TrackExtents track_extents(const TimelineSpans& spans, std::span<const int64_t> first, std::span<const int64_t> last) {
  check(spans, first, last);
  TrackExtents found;
  for (std::size_t track = 0; track < first.size(); ++track) {
    int16_t deepest = -1;
    int64_t busy = 0, reach = std::numeric_limits<int64_t>::min();
    for (int64_t row = first[track]; row < last[track]; ++row) {
      deepest = std::max(deepest, spans.depth[row]);
      const int64_t from = std::max(spans.start[row], reach);
      if (spans.end[row] <= from) continue;
      // Unsigned, because sums of hostile numbers may wrap and must not be undefined.
      busy = static_cast<int64_t>(static_cast<uint64_t>(busy) + static_cast<uint64_t>(spans.end[row]) - static_cast<uint64_t>(from));
      reach = spans.end[row];
    }
    const bool any = last[track] > first[track];
    found.lines.push_back(deepest + 1);
    found.busy.push_back(busy);
    found.start.push_back(any ? spans.start[first[track]] : 0);
    // Spans of no length may be the only ones, or the last.
    found.end.push_back(any ? std::max(reach, spans.end[last[track] - 1]) : 0);
  }
  return found;
}

Tile tile_of(const TimelineSpans& spans, std::span<const int64_t> first, std::span<const int64_t> last, const TileWindow& window) {
  check(spans, first, last);
  if (window.end < window.start || window.columns < 1 || window.lines < 1 || window.lines > kMostLines) {
    throw std::invalid_argument("A window needs a start before its end, columns, and 1 to 255 lines.");
  }
  for (int32_t columns = window.columns;; columns /= 2) {
    Scan scan(spans, window, columns);
    bool fits = true;
    for (std::size_t track = 0; track < first.size() && (fits || columns == 1); ++track) {
      fits = scan.add_track(first[track], last[track]);
    }
    if (fits || columns == 1) return scan.take();
  }
}

}  // namespace stepscope
