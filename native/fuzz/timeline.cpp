// Fuzzes the tiles of the trace: draws tracks with spans of any length at any time, asks for windows of all sizes, and checks that every
// span that touches a window is in exactly one entry. Arguments: seconds to run, and a seed.
#include "timeline.hpp"

#include <stdexcept>

#include "fuzz/damage.hpp"

namespace {

using namespace stepscope;

class Fuzzer : fuzz::Chooser {
 public:
  using Chooser::Chooser;

  void once() {
    draw();
    for (uint64_t n = 1 + below(4); n > 0; --n) check_tile();
    check_extents();
    check_refused();
  }

 private:
  TimelineSpans spans() const { return {start_, end_, depth_}; }

  // Near zero, or anywhere that fits.
  int64_t some_time() { return static_cast<int64_t>(chance(8) ? random_() : below(5000)); }

  void draw() {
    start_.clear(), end_.clear(), depth_.clear(), first_.clear(), last_.clear();
    for (uint64_t track = below(5); track > 0; --track) {
      first_.push_back(static_cast<int64_t>(start_.size()));
      std::vector<int64_t> starts(below(40));
      for (int64_t& start : starts) start = some_time();
      std::sort(starts.begin(), starts.end());
      for (const int64_t start : starts) {
        start_.push_back(start);
        end_.push_back(std::max(start, chance(3) ? start : some_time()));
        depth_.push_back(static_cast<int16_t>(chance(20) ? random_() : below(6)));
      }
      last_.push_back(static_cast<int64_t>(start_.size()));
    }
  }

  void check_tile() {
    const int64_t one = some_time(), other = some_time();
    const TileWindow window{std::min(one, other), std::max(one, other),
                            static_cast<int32_t>(1 + (chance(8) ? below(INT32_MAX) : below(300))), static_cast<int32_t>(1 + below(255)),
                            static_cast<int64_t>(below(60))};
    const Tile tile = tile_of(spans(), first_, last_, window);
    HOLDS(tile.columns >= 1 && tile.columns <= window.columns);
    HOLDS(tile.bounds.size() == first_.size() + 1 && tile.hidden.size() == first_.size());
    HOLDS(tile.bounds.front() == 0 && tile.bounds.back() == static_cast<int64_t>(tile.row.size()));
    HOLDS(tile.columns == 1 || tile.bounds.back() <= window.most);
    for (size_t track = 0; track < first_.size(); ++track) {
      int64_t touching = 0, told = tile.hidden[track];
      for (auto row = static_cast<size_t>(first_[track]); row < static_cast<size_t>(last_[track]); ++row)
        touching += start_[row] <= window.end && end_[row] >= window.start;
      HOLDS(tile.bounds[track] <= tile.bounds[track + 1]);
      for (auto at = static_cast<size_t>(tile.bounds[track]); at < static_cast<size_t>(tile.bounds[track + 1]); ++at) {
        const int64_t row = tile.row[at];
        HOLDS(row >= first_[track] && row < last_[track] && tile.count[at] > 0 && tile.line[at] < window.lines);
        HOLDS(depth_[static_cast<size_t>(row)] == tile.line[at]);
        HOLDS(tile.start[at] <= start_[static_cast<size_t>(row)] && tile.end[at] >= end_[static_cast<size_t>(row)]);
        told += tile.count[at];
      }
      HOLDS(told == touching);
    }
  }

  void check_extents() {
    const TrackExtents found = track_extents(spans(), first_, last_);
    HOLDS(found.lines.size() == first_.size() && found.busy.size() == first_.size());
    for (size_t track = 0; track < first_.size(); ++track) {
      HOLDS(found.lines[track] >= 0 && (first_[track] < last_[track] || found.busy[track] == 0));
      for (auto row = static_cast<size_t>(first_[track]); row < static_cast<size_t>(last_[track]); ++row)
        HOLDS(found.start[track] <= start_[row] && found.end[track] >= end_[row]);
    }
  }

  // Rows beyond the table, and windows that are none.
  void check_refused() {
    const std::vector<int64_t> first{static_cast<int64_t>(random_())}, last{static_cast<int64_t>(random_())};
    const bool inside = first[0] >= 0 && first[0] <= last[0] && last[0] <= static_cast<int64_t>(start_.size());
    HOLDS(inside || refuses(first, last, {0, 1, 1, 1, 1}));
    HOLDS(refuses(first_, last_, {1, 0, 1, 1, 1}) && refuses(first_, last_, {0, 1, 0, 1, 1}) &&
          refuses(first_, last_, {0, 1, 1, 256, 1}));
  }

  bool refuses(const std::vector<int64_t>& first, const std::vector<int64_t>& last, const TileWindow& window) {
    try {
      tile_of(spans(), first, last, window);
    } catch (const std::invalid_argument&) {
      return true;
    }
    return false;
  }

  std::vector<int64_t> start_, end_, first_, last_;
  std::vector<int16_t> depth_;
};

}  // namespace

int main(int count, char** arguments) { return fuzz::run<Fuzzer>(count, arguments); }
