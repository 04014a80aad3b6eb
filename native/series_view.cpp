// Applies the restart rule: files into pieces, pieces into segments, segments into lines.
#include "series_view.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <numeric>
#include <queue>
#include <unordered_set>

namespace stepscope {
namespace {

constexpr int64_t kNoCut = std::numeric_limits<int64_t>::max();
// How many earlier pieces of a file are searched for a step; keeps a hostile zigzag from costing quadratic time.
constexpr size_t kPiecesSearched = 8;
constexpr size_t kRepeatsOfACounter = 3;

// The points of one file, as they were when the view was made.
struct Column {
  std::vector<ScalarSpan> spans;
  std::vector<uint64_t> ends;  // running length after each span
  uint64_t size = 0;
  ScalarColumn::Summary summary;

  int64_t step(uint64_t i) const {
    const auto span = static_cast<size_t>(std::upper_bound(ends.begin(), ends.end(), i) - ends.begin());
    return spans[span].step[i - (span ? ends[span - 1] : 0)];
  }

  // The first index in the ordered range [begin, end) whose step is not below `step`.
  uint64_t lower_bound(uint64_t begin, uint64_t end, int64_t wanted) const {
    while (begin < end) {
      const uint64_t middle = begin + (end - begin) / 2;
      if (step(middle) < wanted)
        begin = middle + 1;
      else
        end = middle;
    }
    return begin;
  }

  template <class Visit>
  void visit(uint64_t begin, uint64_t end, Visit&& visit) const {
    uint64_t first = 0;
    for (const ScalarSpan& span : spans) {
      const uint64_t from = std::max(begin, first), to = std::min<uint64_t>(end, first + span.size);
      if (from < to) visit(span.slice(static_cast<size_t>(from - first), static_cast<size_t>(to - first)));
      first += span.size;
    }
  }
};

// A stretch of one file between cuts.
struct Piece {
  size_t part = 0;
  uint64_t begin = 0, end = 0;
  Cause cause = Cause::start;
  int64_t cut = kNoCut;       // earlier points from this step on are superseded
  bool ordered = true;        // steps never go back
  int64_t low = 0, high = 0;  // lowest and highest step, when not empty
  int64_t limit = kNoCut;     // own points from this step on are superseded
  int32_t segment = 0;
  std::shared_ptr<const std::unordered_set<int64_t>> logged;  // its steps, when they are not ordered

  bool empty() const { return begin == end; }
  bool keeps(int64_t step) const { return step < limit || limit == kNoCut; }
};

// When a file was written, by its events. A file without times was written while no other was: it begins after all and ends before all.
struct Times {
  double first = std::numeric_limits<double>::infinity();
  double last = -std::numeric_limits<double>::infinity();

  bool is_moment() const { return first == last; }
};

// How far a run had come: the highest step in a file and those that were not written at the same time. Files are walked in the order of
// their first times, so that those which have ended never begin again and one number is enough for all of them.
class Reached {
 public:
  static constexpr int64_t kNowhere = std::numeric_limits<int64_t>::min();

  explicit Reached(const std::vector<Times>& times) : times_(times), step_(times.size(), kNowhere) {}

  // Before the next piece of a file.
  int64_t before(size_t part) {
    go_to(part);
    int64_t highest = std::max(ended_, step_[part]);
    visit_same_moment([&](int64_t& step) { highest = std::max(highest, step); });
    return highest;
  }

  void take_back(int64_t cut) {
    const int64_t upto = std::max(cut, kNowhere + 2) - 1;
    const auto lower = [&](int64_t& step) { step = std::min(step, upto); };
    lower(ended_);
    lower(step_[part_]);
    visit_same_moment(lower);
  }

  void log(int64_t step) { step_[part_] = std::max(step_[part_], step); }
  uint64_t visits() const { return visits_; }

 private:
  void go_to(size_t part) {
    for (; part_ < part; ++part_, ++visits_) {
      const Times& left = times_[part_];
      open_.emplace(left.last, part_);
      if (left.last > left.first) longer_.push_back(part_);
      if (left.first != times_[part_ + 1].first) longer_.clear();
    }
    for (; !open_.empty() && open_.top().first <= times_[part].first; open_.pop(), ++visits_)
      ended_ = std::max(ended_, step_[open_.top().second]);
  }

  // Files that touch were not written at the same time, so one of a single moment goes with those that began in it.
  template <class Visit>
  void visit_same_moment(Visit&& visit) {
    if (!times_[part_].is_moment()) return;
    for (const size_t other : longer_) visit(step_[other]);
    visits_ += longer_.size();
  }

  using Open = std::pair<double, size_t>;  // last time, file
  const std::vector<Times>& times_;
  std::vector<int64_t> step_;  // of each file
  std::priority_queue<Open, std::vector<Open>, std::greater<>> open_;
  std::vector<size_t> longer_;  // files before this one that began in the same moment and went on
  int64_t ended_ = kNowhere;    // of all files that had ended
  size_t part_ = 0;
  uint64_t visits_ = 0;
};

}  // namespace

class ViewBuilder {
 public:
  ViewBuilder(SeriesView& view, SegmentMode mode) : view_(view), mode_(mode) {}

  void build() {
    order_parts();
    for (size_t part = 0; part < view_.parts_.size(); ++part) load(part);
    note_concurrent();
    for (size_t part = 0; part < columns_.size(); ++part) cut_part(part);
    supersede();
    number_segments();
    make_lines();
    note();
  }

 private:
  void load(size_t part) {
    Column& column = columns_.emplace_back();
    const auto& [file, index] = view_.parts_[part];
    if (index < 0) return;
    const Series& series = file->columns().at(static_cast<uint32_t>(index));
    if (!series.intact()) {
      file->note_damaged_pack();
      return;  // shown as missing until the log file has been read again
    }
    const ScalarColumn& scalars = *series.scalars;
    // The flags are read after the size, so they can only be more cautious than the points need.
    column.spans = scalars.spans(scalars.size());
    column.summary = scalars.summary();
    for (const ScalarSpan& span : column.spans) column.ends.push_back(column.size += span.size);
    view_.points_ += column.size;
  }

  // By first times. They are taken once: a file that is being read may log an earlier one at any moment.
  void order_parts() {
    std::vector<std::pair<Times, SeriesView::Part>> parts;
    for (SeriesView::Part& part : view_.parts_) {
      const Times times{part.file->first_wall(), part.file->last_wall()};
      parts.emplace_back(std::isnan(times.first) ? Times{} : times, std::move(part));
    }
    std::stable_sort(parts.begin(), parts.end(), [](const auto& a, const auto& b) { return a.first.first < b.first.first; });
    view_.parts_.clear();
    for (auto& [times, part] : parts) {
      times_.push_back(times);
      view_.parts_.push_back(std::move(part));
    }
  }

  void note_concurrent() {
    double ends_before = Times{}.last, ends = Times{}.last;  // the last end of files with points: that began earlier, or not later
    for (size_t part = 0; part < columns_.size(); ++part) {
      const Times& times = times_[part];
      if (part > 0 && times_[part - 1].first != times.first) ends_before = ends;
      if (!columns_[part].size) continue;
      view_.concurrent_writers_ |= times.first < (times.is_moment() ? ends_before : ends);
      ends = std::max(ends, times.last);
    }
  }

  // Cuts one file into pieces at session starts and repeats; session starts after the last point make an empty piece.
  void cut_part(size_t part) {
    const Column& column = columns_[part];
    const std::vector<int64_t> starts = view_.parts_[part].file->columns().start_steps();
    std::vector<ScalarColumn::StartMark> marks;
    if (column.size) {
      const auto index = static_cast<uint32_t>(view_.parts_[part].index);
      marks = view_.parts_[part].file->columns().at(index).scalars->start_marks(column.size);
    }
    const size_t first_piece = pieces_.size();
    uint64_t begin = 0;
    size_t next_start = 0;
    Piece head{part, 0, 0, part == 0 ? Cause::start : Cause::new_file};
    const bool is_new = part > 0 && !view_.parts_[part].file->goes_on_from_another();
    if (is_new && column.size) head.cut = column.step(0);
    for (size_t m = 0; m <= marks.size(); ++m) {
      const uint64_t end = m < marks.size() ? marks[m].index : column.size;
      if (end > begin) add_pieces(head, begin, end, first_piece);
      begin = end;
      const size_t upto = m < marks.size() ? std::min<size_t>(marks[m].start + 1, starts.size()) : starts.size();
      if (next_start < upto) {
        const bool opens_file = end == 0 && column.size > 0 && part > 0;
        head = {part, 0, 0, Cause::session_start,
                *std::min_element(starts.begin() + static_cast<std::ptrdiff_t>(next_start),
                                  starts.begin() + static_cast<std::ptrdiff_t>(upto))};
        if (opens_file) head.cut = std::min(head.cut, column.step(0));
        next_start = upto;
        if (m == marks.size()) pieces_.push_back(head);  // nothing was logged after it in this series
      } else if (m < marks.size()) {
        head = {part, 0, 0, Cause::session_start};
      }
    }
    spot_epoch_counter(first_piece);
  }

  void add_pieces(const Piece& head, uint64_t begin, uint64_t end, size_t first_piece) {
    Piece piece = head;
    piece.begin = begin;
    piece.end = end;
    const Column& column = columns_[head.part];
    if (column.summary.steps_ordered) {
      piece.low = column.step(begin);
      piece.high = column.step(end - 1);
      pieces_.push_back(piece);
      return;
    }
    split_at_repeats(piece, first_piece);
  }

  // `first_piece` is the file's first: a step may repeat one that was logged before a session start.
  void split_at_repeats(Piece piece, size_t first_piece) {
    const uint64_t end = piece.end;
    const Column& column = columns_[piece.part];
    std::unordered_set<int64_t> logged;  // filled once the piece is out of order
    const auto finish = [&](uint64_t at) {
      piece.end = at;
      if (!piece.ordered) piece.logged = std::make_shared<const std::unordered_set<int64_t>>(std::move(logged));
      pieces_.push_back(piece);
      logged = {};
    };
    uint64_t i = piece.begin;
    bool fresh = true;
    column.visit(piece.begin, end, [&](const ScalarSpan& span) {
      for (size_t k = 0; k < span.size; ++k, ++i) {
        const int64_t step = span.step[k];
        if (fresh) {
          piece.low = piece.high = step;
          fresh = false;
          if (pieces_.size() > first_piece && step < last_ && seen_before(first_piece, step)) piece.cut = std::min(piece.cut, step);
        } else if (step < last_) {
          const bool seen = piece.ordered ? has_step(piece.part, piece.begin, i, step) : logged.contains(step);
          if (seen || seen_before(first_piece, step)) {
            finish(i);
            piece = {piece.part, i, end, Cause::repeat, step, true, step, step};
          } else if (piece.ordered) {
            piece.ordered = false;
            column.visit(piece.begin, i, [&](const ScalarSpan& s) { logged.insert(s.step, s.step + s.size); });
          }
        }
        if (!piece.ordered) logged.insert(step);
        piece.low = std::min(piece.low, step);
        piece.high = std::max(piece.high, step);
        last_ = step;
      }
    });
    finish(end);
  }

  bool has_step(size_t part, uint64_t begin, uint64_t end, int64_t step) const {
    const uint64_t at = columns_[part].lower_bound(begin, end, step);
    return at < end && columns_[part].step(at) == step;
  }

  bool seen_before(size_t first_piece, int64_t step) const {
    const size_t from = std::max(first_piece, pieces_.size() - std::min(pieces_.size(), kPiecesSearched));
    return std::any_of(pieces_.begin() + static_cast<std::ptrdiff_t>(from), pieces_.end(), [&](const Piece& piece) {
      return piece.logged ? piece.logged->contains(step) : has_step(piece.part, piece.begin, piece.end, step);
    });
  }

  // Three or more repeats of similar length: the counter starts again each epoch, and nothing was taken back.
  void spot_epoch_counter(size_t first_piece) {
    std::vector<uint64_t> lengths;
    size_t repeats = 0;
    for (size_t p = first_piece; p < pieces_.size(); ++p) {
      repeats += pieces_[p].cause == Cause::repeat;
      if (!pieces_[p].empty()) lengths.push_back(pieces_[p].end - pieces_[p].begin);
    }
    if (repeats < kRepeatsOfACounter) return;
    lengths.pop_back();  // the last one is still being written
    std::sort(lengths.begin(), lengths.end());
    const uint64_t median = lengths[lengths.size() / 2];
    if (lengths.front() * 2 < median || lengths.back() > median * 2) return;
    view_.epoch_counter_ = true;
    for (size_t p = first_piece; p < pieces_.size(); ++p)
      if (pieces_[p].cause == Cause::repeat) pieces_[p].cut = kNoCut;
  }

  // Later cuts limit earlier pieces: those of the same file, and those of files not written at the same time.
  void supersede() {
    const size_t parts = columns_.size();
    std::vector<int64_t> lowest_cut(parts, kNoCut);
    for (const Piece& piece : pieces_) lowest_cut[piece.part] = std::min(lowest_cut[piece.part], piece.cut);
    std::vector<int64_t> lowest_from(parts + 1, kNoCut);  // of a file and all after it
    for (size_t part = parts; part-- > 0;) lowest_from[part] = std::min(lowest_from[part + 1], lowest_cut[part]);
    std::vector<int64_t> from_later_files(parts, kNoCut);
    int64_t same_moment = kNoCut;  // of later files that began and ended when this one began
    for (size_t part = parts; part-- > 0;) {
      const Times& times = times_[part];
      if (part + 1 < parts && times_[part + 1].first != times.first) same_moment = kNoCut;
      const auto next = times_.begin() + static_cast<std::ptrdiff_t>(part) + 1;
      const auto after =
          std::lower_bound(next, times_.end(), times.last, [](const Times& other, double end) { return other.first < end; });
      from_later_files[part] = std::min(lowest_from[static_cast<size_t>(after - times_.begin())], same_moment);
      if (times.is_moment()) same_moment = std::min(same_moment, lowest_cut[part]);
    }
    size_t part = parts;
    int64_t same_file = kNoCut;
    for (size_t p = pieces_.size(); p-- > 0;) {
      Piece& piece = pieces_[p];
      if (piece.part != part) {
        part = piece.part;
        same_file = kNoCut;
      }
      piece.limit = std::min(same_file, from_later_files[part]);
      same_file = std::min(same_file, piece.cut);
    }
  }

  // A new segment begins where something is taken back (or the counter starts again), not at a mere change of file. What
  // counts is how far the run had come: a cut sets that back, so going on from there in another file is no restart again.
  void number_segments() {
    int32_t segment = -1;
    Reached reached(times_);
    for (Piece& piece : pieces_) {
      const int64_t before = reached.before(piece.part);
      const bool anything_before = before != Reached::kNowhere;
      const bool takes_back = anything_before && piece.cut != kNoCut && piece.cut <= before;
      const bool counter = anything_before && piece.cause == Cause::repeat;
      if (takes_back) {
        ++view_.restarts_;
        reached.take_back(piece.cut);
      }
      if (!piece.empty() && (segment < 0 || takes_back || pending_cut_ || counter)) {
        ++segment;
        view_.segments_.push_back({piece.low, piece.high, 0, 0, segment == 0 ? Cause::start : piece.cause});
      }
      pending_cut_ = piece.empty() && (takes_back || pending_cut_);
      if (piece.empty()) continue;
      piece.segment = segment;
      reached.log(piece.high);
      count(piece);
    }
    view_.file_visits_ = reached.visits();
  }

  void count(const Piece& piece) {
    Segment& segment = view_.segments_.back();
    segment.first_step = std::min(segment.first_step, piece.low);
    segment.last_step = std::max(segment.last_step, piece.high);
    const uint64_t size = piece.end - piece.begin;
    const uint64_t kept = visible_of(piece);
    segment.points += size;
    segment.superseded += size - kept;
    view_.visible_ += kept;
  }

  uint64_t visible_of(const Piece& piece) const {
    if (piece.keeps(piece.high)) return piece.end - piece.begin;
    const Column& column = columns_[piece.part];
    if (piece.ordered) return column.lower_bound(piece.begin, piece.end, piece.limit) - piece.begin;
    uint64_t kept = 0;
    column.visit(piece.begin, piece.end, [&](const ScalarSpan& span) {
      for (size_t i = 0; i < span.size; ++i) kept += piece.keeps(span.step[i]);
    });
    return kept;
  }

  void make_lines() {
    const bool one_line = mode_ == SegmentMode::latest && !view_.epoch_counter_;
    std::vector<Piece> line;
    for (Piece piece : pieces_) {
      if (piece.empty()) continue;
      if (mode_ != SegmentMode::latest) piece.limit = kNoCut;
      if (piece.ordered && !piece.keeps(piece.high)) piece.end = columns_[piece.part].lower_bound(piece.begin, piece.end, piece.limit);
      if (piece.empty()) continue;
      if (!one_line && !line.empty() && line.back().segment != piece.segment) {
        add_line(line);
        line.clear();
      }
      line.push_back(piece);
    }
    if (!line.empty()) add_line(line);
  }

  void add_line(const std::vector<Piece>& pieces) {
    bool ordered = true;
    for (size_t p = 0; p < pieces.size() && ordered; ++p) {
      ordered = pieces[p].ordered;
      if (p > 0) ordered &= columns_[pieces[p - 1].part].step(pieces[p - 1].end - 1) <= columns_[pieces[p].part].step(pieces[p].begin);
    }
    const int32_t line = line_++;
    if (!ordered) {
      add_sorted(pieces, line);
      return;
    }
    for (const Piece& piece : pieces)
      columns_[piece.part].visit(piece.begin, piece.end, [&](const ScalarSpan& span) {
        add_span({span, view_.shown_, line, piece.segment, nullptr, columns_[piece.part].summary.walls_ordered});
      });
  }

  void add_sorted(const std::vector<Piece>& pieces, int32_t line) {
    SeriesView::Sorted raw;
    for (const Piece& piece : pieces)
      columns_[piece.part].visit(piece.begin, piece.end, [&](const ScalarSpan& span) {
        for (size_t i = 0; i < span.size; ++i) {
          if (!piece.keeps(span.step[i])) continue;
          raw.step.push_back(span.step[i]);
          raw.wall.push_back(span.wall[i]);
          raw.value.push_back(span.value(i));
          raw.segment.push_back(piece.segment);
        }
      });
    std::vector<uint64_t> order(raw.step.size());
    std::iota(order.begin(), order.end(), uint64_t{0});
    std::stable_sort(order.begin(), order.end(), [&](uint64_t a, uint64_t b) { return raw.step[a] < raw.step[b]; });
    auto sorted = std::make_unique<SeriesView::Sorted>();
    for (const uint64_t from : order) {
      sorted->step.push_back(raw.step[from]);
      sorted->wall.push_back(raw.wall[from]);
      sorted->value.push_back(raw.value[from]);
      sorted->segment.push_back(raw.segment[from]);
    }
    if (sorted->step.empty()) return;
    const bool walls_ordered = std::is_sorted(sorted->wall.begin(), sorted->wall.end());
    add_span({{sorted->step.data(), sorted->wall.data(), nullptr, sorted->value.data(), sorted->step.size()},
              view_.shown_,
              line,
              sorted->segment[0],
              sorted->segment.data(),
              walls_ordered});
    view_.sorted_.push_back(std::move(sorted));
  }

  void add_span(ViewSpan span) {
    view_.shown_ += span.points.size;
    view_.spans_.push_back(span);
  }

  void note() {
    int64_t low = kNoCut, high = std::numeric_limits<int64_t>::min();
    for (const Segment& segment : view_.segments_) {
      low = std::min(low, segment.first_step);
      high = std::max(high, segment.last_step);
    }
    view_.one_step_only_ = view_.points_ > 1 && low == high;
    if (view_.one_step_only_) return;
    for (const Column& column : columns_) view_.two_values_per_step_ |= column.size > 0 && !column.summary.steps_distinct;
  }

  SeriesView& view_;
  SegmentMode mode_;
  std::vector<Column> columns_;
  std::vector<Times> times_;
  std::vector<Piece> pieces_;
  int64_t last_ = 0;
  int32_t line_ = 0;
  bool pending_cut_ = false;
};

SeriesView::SeriesView(std::vector<Part> parts, SegmentMode mode) : parts_(std::move(parts)) { ViewBuilder(*this, mode).build(); }

}  // namespace stepscope
