// Reduction of a view to pixel columns by one pass over the values in sight.
#include "viewport.hpp"

#include <algorithm>
#include <cmath>

namespace stepscope {
namespace {

constexpr size_t kInnerSample = 65536;
constexpr int32_t kMostLines = 1000;  // more than these are drawn as one

// One span seen along an axis.
struct Run {
  const ViewSpan* span;
  Axis axis;
  double origin;
  const double* values;  // replaces the span's own when set

  size_t size() const { return span->points.size; }
  double x(size_t i) const { return (axis == Axis::step ? static_cast<double>(span->points.step[i]) : span->points.wall[i]) - origin; }
  double y(size_t i) const { return values ? values[i] : span->points.value(i); }
  bool ordered() const { return axis == Axis::step || span->walls_ordered; }

  // In an ordered run: the first index from `from` on whose x is not below (or, `past`, is above) the wanted one.
  size_t find(size_t from, double wanted, bool past) const {
    // Galloping: columns are short next to the run, so the answer is near.
    size_t step = 1, low = from, high = from;
    const auto below = [&](size_t i) { return past ? x(i) <= wanted : x(i) < wanted; };
    while (high < size() && below(high)) {
      low = high + 1;
      high = std::min(size(), high + step);
      step *= 2;
    }
    while (low < high) {
      const size_t middle = low + (high - low) / 2;
      if (below(middle))
        low = middle + 1;
      else
        high = middle;
    }
    return low;
  }
};

Run run_of(const ViewSpan& span, Axis axis, double origin, std::span<const double> values) {
  return {&span, axis, origin, values.empty() ? nullptr : values.data() + span.position};
}

bool finite(double v) { return std::isfinite(v); }

// Lowest, highest and "anything not finite" of a block, eight lanes at a time so that the compiler can use vectors: a plain
// running minimum of doubles may not be reordered.
template <class T>
struct Extremes {
  double low = std::numeric_limits<double>::infinity(), high = -std::numeric_limits<double>::infinity();
  bool odd = false;

  void take(const T* v, size_t n) {
    constexpr size_t kLanes = 8;
    T lows[kLanes], highs[kLanes], odds[kLanes];
    for (size_t j = 0; j < kLanes; ++j) {
      lows[j] = std::numeric_limits<T>::infinity();
      highs[j] = -std::numeric_limits<T>::infinity();
      odds[j] = 0;
    }
    size_t i = 0;
    for (; i + kLanes <= n; i += kLanes)
      for (size_t j = 0; j < kLanes; ++j) {
        const T value = v[i + j];
        lows[j] = value < lows[j] ? value : lows[j];
        highs[j] = value > highs[j] ? value : highs[j];
        odds[j] += value - value;  // 0 for finite values, NaN for ever after one that is not
      }
    for (; i < n; ++i) {
      lows[0] = v[i] < lows[0] ? v[i] : lows[0];
      highs[0] = v[i] > highs[0] ? v[i] : highs[0];
      odds[0] += v[i] - v[i];
    }
    for (size_t j = 0; j < kLanes; ++j) {
      low = std::min(low, static_cast<double>(lows[j]));
      high = std::max(high, static_cast<double>(highs[j]));
      odd |= odds[j] != 0;
    }
  }
};

// The points of a pixel column that are kept: of the finite ones the first, lowest, highest and last.
struct Kept {
  const Run* first_run = nullptr;
  const Run* last_run = nullptr;
  const Run* low_run = nullptr;
  const Run* high_run = nullptr;
  size_t first = 0, last = 0, low = 0, high = 0;
  double low_y = std::numeric_limits<double>::infinity(), high_y = -std::numeric_limits<double>::infinity();
  uint8_t marks = 0;  // bit k: a value of mark kind k + 1

  bool empty() const { return first_run == nullptr; }
};

class Reducer {
 public:
  Reducer(const Viewport& port, Reduced& out) : port_(port), out_(out) {
    low_ = port.log_x ? std::log(port.low) : port.low;
    const double high = port.log_x ? std::log(port.high) : port.high;
    scale_ = high > low_ ? port.width / (high - low_) : 0;
    columns_.resize(port.width);
  }

  void line(const std::vector<Run>& runs) {
    bool ordered = true;
    for (size_t r = 0; r < runs.size() && ordered; ++r) {
      ordered = runs[r].ordered();
      if (r > 0) ordered &= runs[r - 1].x(runs[r - 1].size() - 1) <= runs[r].x(0);
    }
    if (ordered)
      ordered_line(runs);
    else
      scattered_line(runs);
  }

 private:
  struct Bounds {
    size_t begin, end;
  };

  void ordered_line(const std::vector<Run>& runs) {
    std::vector<Bounds> bounds;
    uint64_t inside = 0;
    for (const Run& run : runs) {
      const size_t begin = run.find(0, port_.low, false);
      const size_t end = run.find(begin, port_.high, true);
      bounds.push_back({begin, end});
      inside += end - begin;
    }
    const bool all = inside <= uint64_t{4} * port_.width;
    neighbour_before(runs, bounds);
    for (size_t r = 0; r < runs.size(); ++r) {
      if (all)
        every_point(runs[r], bounds[r]);
      else
        by_columns(runs[r], bounds[r]);
    }
    flush();
    neighbour_after(runs, bounds);
    if (!all && inside > 0) out_.exact = false;
  }

  // One point on either side of the range, so that the line reaches the edge of the screen.
  void neighbour_before(const std::vector<Run>& runs, const std::vector<Bounds>& bounds) {
    for (size_t r = runs.size(); r-- > 0;)
      for (size_t i = bounds[r].begin; i-- > 0;)
        if (finite(runs[r].y(i))) {
          if (!port_.log_x || runs[r].x(i) > 0) emit(runs[r], i);
          return;
        }
  }

  void neighbour_after(const std::vector<Run>& runs, const std::vector<Bounds>& bounds) {
    for (size_t r = 0; r < runs.size(); ++r)
      for (size_t i = bounds[r].end; i < runs[r].size(); ++i)
        if (finite(runs[r].y(i))) {
          emit(runs[r], i);
          return;
        }
  }

  void every_point(const Run& run, Bounds bounds) {
    for (size_t i = bounds.begin; i < bounds.end; ++i) {
      const double y = run.y(i);
      ++out_.in_range;
      if (finite(y)) {
        widen(y, y);
        emit(run, i);
      } else {
        mark(run, i, y);
      }
    }
  }

  void by_columns(const Run& run, Bounds bounds) {
    out_.in_range += bounds.end - bounds.begin;
    for (size_t i = bounds.begin; i < bounds.end;) {
      const uint32_t column = column_of(run.x(i));
      // The search is by x, but rounding may put its end one point off: the column of a point is what decides.
      size_t end = std::max(i + 1, std::min(bounds.end, run.find(i, right_edge(column), false)));
      while (end < bounds.end && column_of(run.x(end)) == column) ++end;
      while (end > i + 1 && column_of(run.x(end - 1)) != column) --end;
      if (open_ != column) flush();
      open_ = column;
      take_block(run, i, end);
      i = end;
    }
  }

  void take_block(const Run& run, size_t begin, size_t end) {
    double low, high;
    bool odd;
    if (run.values || run.span->points.f64) {
      Extremes<double> extremes;
      extremes.take((run.values ? run.values : run.span->points.f64) + begin, end - begin);
      low = extremes.low, high = extremes.high, odd = extremes.odd;
    } else {
      Extremes<float> extremes;
      extremes.take(run.span->points.f32 + begin, end - begin);
      low = extremes.low, high = extremes.high, odd = extremes.odd;
    }
    if (odd) {
      for (size_t i = begin; i < end; ++i) take_point(run, i, open_column_);
      return;
    }
    Kept& kept = open_column_;
    if (kept.empty()) kept.first_run = &run, kept.first = begin;
    kept.last_run = &run, kept.last = end - 1;
    if (low < kept.low_y) kept.low_run = &run, kept.low = index_of(run, begin, end, low), kept.low_y = low;
    if (high > kept.high_y) kept.high_run = &run, kept.high = index_of(run, begin, end, high), kept.high_y = high;
  }

  static size_t index_of(const Run& run, size_t begin, size_t end, double value) {
    while (begin + 1 < end && run.y(begin) != value) ++begin;
    return begin;
  }

  void take_point(const Run& run, size_t i, Kept& kept) {
    const double y = run.y(i);
    if (!finite(y)) {
      count_odd(y);
      const uint8_t kind = kind_of(y);
      if (kept.marks & (1u << kind)) return;
      kept.marks = static_cast<uint8_t>(kept.marks | (1u << kind));
      out_.mark_x.push_back(run.x(i));
      out_.mark_kind.push_back(kind);
      return;
    }
    if (kept.empty()) kept.first_run = &run, kept.first = i;
    kept.last_run = &run, kept.last = i;
    if (y < kept.low_y) kept.low_run = &run, kept.low = i, kept.low_y = y;
    if (y > kept.high_y) kept.high_run = &run, kept.high = i, kept.high_y = y;
  }

  // Along wall time with clocks that disagree: points fall into columns in any order.
  void scattered_line(const std::vector<Run>& runs) {
    std::fill(columns_.begin(), columns_.end(), Kept{});
    const size_t marks = out_.mark_x.size();
    uint64_t inside = 0;
    struct {
      const Run* run = nullptr;
      size_t i = 0;
    } before, after;  // the points nearest to the range on either side
    for (const Run& run : runs)
      for (size_t i = 0; i < run.size(); ++i) {
        const double x = run.x(i);
        if (x >= port_.low && x <= port_.high) {
          ++inside;
          take_point(run, i, columns_[column_of(x)]);
        } else if (finite(x) && finite(run.y(i)) && (!port_.log_x || x > 0)) {
          if (x < port_.low && (!before.run || x >= before.run->x(before.i))) before = {&run, i};
          if (x > port_.high && (!after.run || x < after.run->x(after.i))) after = {&run, i};
        }
      }
    out_.in_range += inside;
    if (before.run) emit(*before.run, before.i);
    uint64_t told = out_.mark_x.size() - marks;
    for (const Kept& kept : columns_) told += emit_kept(kept);
    if (after.run) emit(*after.run, after.i);
    if (told < inside) out_.exact = false;
  }

  uint32_t column_of(double x) const {
    const double place = ((port_.log_x ? std::log(x) : x) - low_) * scale_;
    if (!(place > 0)) return 0;  // also where a range too wide for a double made it no number
    return static_cast<uint32_t>(std::min(place, static_cast<double>(port_.width - 1)));
  }

  double right_edge(uint32_t column) const {
    if (scale_ == 0) return std::numeric_limits<double>::infinity();
    const double edge = low_ + (column + 1) / scale_;
    return port_.log_x ? std::exp(edge) : edge;
  }

  void flush() {
    emit_kept(open_column_);
    open_column_ = {};
    open_ = UINT32_MAX;
  }

  uint64_t emit_kept(const Kept& kept) {
    if (kept.empty()) return 0;
    widen(kept.low_y, kept.high_y);
    // In the order of the series, each point once.
    struct Pick {
      const Run* run;
      size_t i;
      uint64_t position() const { return run->span->position + i; }
    } picks[4] = {{kept.first_run, kept.first}, {kept.low_run, kept.low}, {kept.high_run, kept.high}, {kept.last_run, kept.last}};
    std::sort(std::begin(picks), std::end(picks), [](const Pick& a, const Pick& b) { return a.position() < b.position(); });
    uint64_t before = UINT64_MAX, emitted = 0;
    for (const Pick& pick : picks) {
      if (pick.position() == before) continue;
      before = pick.position();
      emit(*pick.run, pick.i);
      ++emitted;
    }
    return emitted;
  }

  void emit(const Run& run, size_t i) {
    out_.x.push_back(run.x(i));
    out_.y.push_back(run.y(i));
    out_.step.push_back(static_cast<double>(run.span->points.step[i]));
    out_.wall.push_back(run.span->points.wall[i]);
    out_.line.push_back(run.span->line);
  }

  void mark(const Run& run, size_t i, double y) {
    count_odd(y);
    out_.mark_x.push_back(run.x(i));
    out_.mark_kind.push_back(kind_of(y));
  }

  static uint8_t kind_of(double y) { return std::isnan(y) ? 1 : y > 0 ? 2 : 3; }
  void count_odd(double y) { ++(std::isnan(y) ? out_.nan : out_.inf); }

  void widen(double low, double high) {
    if (!out_.any_finite) out_.y_low = low, out_.y_high = high;
    out_.any_finite = true;
    out_.y_low = std::min(out_.y_low, low);
    out_.y_high = std::max(out_.y_high, high);
  }

  const Viewport& port_;
  Reduced& out_;
  double low_ = 0, scale_ = 0;
  std::vector<Kept> columns_;
  Kept open_column_;
  uint32_t open_ = UINT32_MAX;
};

// The 5th and 95th percentile of what is in sight, from an even sample of its finite values.
void measure_inner(const std::vector<Run>& runs, const Viewport& port, Reduced& out) {
  const size_t stride = static_cast<size_t>(out.in_range / kInnerSample) + 1;
  std::vector<double> sample;
  sample.reserve(std::min<size_t>(static_cast<size_t>(out.in_range), kInnerSample) + 1);
  for (const Run& run : runs) {
    const bool ordered = run.ordered();
    const size_t begin = ordered ? run.find(0, port.low, false) : 0;
    const size_t end = ordered ? run.find(begin, port.high, true) : run.size();
    for (size_t i = begin; i < end; i += stride) {
      const double x = run.x(i), y = run.y(i);
      if (finite(y) && x >= port.low && x <= port.high) sample.push_back(y);
    }
  }
  if (sample.empty()) {
    out.y_inner_low = out.y_low;
    out.y_inner_high = out.y_high;
    return;
  }
  const auto at = [&](double share) {
    const auto place = sample.begin() + static_cast<std::ptrdiff_t>(share * static_cast<double>(sample.size() - 1) + 0.5);
    std::nth_element(sample.begin(), place, sample.end());
    return *place;
  };
  out.y_inner_low = at(0.05);
  out.y_inner_high = at(0.95);
}

}  // namespace

bool extent(const SeriesView& view, Axis axis, double& low, double& high) {
  low = std::numeric_limits<double>::infinity();
  high = -low;
  for (const ViewSpan& span : view.spans()) {
    const Run run = run_of(span, axis, 0, {});
    if (run.ordered() && finite(run.x(0)) && finite(run.x(run.size() - 1))) {
      low = std::min(low, run.x(0));
      high = std::max(high, run.x(run.size() - 1));
    } else {
      for (size_t i = 0; i < run.size(); ++i) {
        if (!finite(run.x(i))) continue;
        low = std::min(low, run.x(i));
        high = std::max(high, run.x(i));
      }
    }
  }
  return low <= high;
}

Reduced reduce(const SeriesView& view, const Viewport& asked, std::span<const double> values) {
  Reduced out;
  Viewport port = asked;
  double low, high;
  if (!extent(view, port.axis, low, high)) return out;
  if (std::isinf(port.low)) port.low = low - port.origin;
  if (std::isinf(port.high)) port.high = high - port.origin;
  if (port.log_x) port.low = std::max(port.low, std::numeric_limits<double>::min());
  if (!(port.low <= port.high)) return out;
  if (port.log_x && port.low == std::numeric_limits<double>::min()) {
    // The range begins at or below zero: columns begin at the first positive x instead.
    double first = port.high;
    for (const ViewSpan& span : view.spans()) {
      const Run run = run_of(span, port.axis, port.origin, {});
      const size_t begin = run.ordered() ? run.find(0, 0, true) : 0;
      const size_t end = run.ordered() ? std::min(run.size(), begin + 1) : run.size();
      for (size_t i = begin; i < end; ++i)
        if (run.x(i) > 0) first = std::min(first, run.x(i));
    }
    port.low = first;
  }
  std::vector<Run> all;
  for (const ViewSpan& span : view.spans()) all.push_back(run_of(span, port.axis, port.origin, values));
  Reducer reducer(port, out);
  // Each line may give four points per column; steps that zigzag through a whole file would make a line of every two points.
  const bool together = !all.empty() && all.back().span->line - all.front().span->line >= kMostLines;
  for (size_t begin = 0; begin < all.size();) {
    size_t end = begin + 1;
    while (end < all.size() && (together || all[end].span->line == all[begin].span->line)) ++end;
    reducer.line({all.begin() + static_cast<std::ptrdiff_t>(begin), all.begin() + static_cast<std::ptrdiff_t>(end)});
    begin = end;
  }
  if (out.any_finite) measure_inner(all, port, out);
  return out;
}

Statistics statistics(const SeriesView& view, Axis axis, double origin, double low, double high, std::span<const double> values) {
  Statistics s;
  double sum = 0, lost = 0;  // compensated, so that a mean over ten million points is right
  for (const ViewSpan& span : view.spans()) {
    const Run run = run_of(span, axis, origin, values);
    const size_t begin = run.ordered() ? run.find(0, low, false) : 0;
    const size_t end = run.ordered() ? run.find(begin, high, true) : run.size();
    for (size_t i = begin; i < end; ++i) {
      const double y = run.y(i), x = run.x(i);
      if (!finite(y) || !(x >= low && x <= high)) continue;
      const int64_t step = run.span->points.step[i];
      if (s.count == 0) {
        s.first = s.min = s.max = y;
        s.first_step = s.min_step = s.max_step = step;
      }
      if (y < s.min) s.min = y, s.min_step = step;
      if (y > s.max) s.max = y, s.max_step = step;
      s.last = y;
      s.last_step = step;
      const double term = y - lost, next = sum + term;
      lost = (next - sum) - term;
      sum = next;
      ++s.count;
    }
  }
  if (s.count) s.mean = sum / static_cast<double>(s.count);
  return s;
}

int64_t nearest(const SeriesView& view, Axis axis, double origin, double at) {
  int64_t best = -1;
  double distance = std::numeric_limits<double>::infinity();
  const auto consider = [&](const Run& run, size_t i) {
    const double away = std::abs(run.x(i) - at);
    // Of points equally far, the later one: after a restart it is the one that holds.
    if (away <= distance) distance = away, best = static_cast<int64_t>(run.span->position + i);
  };
  for (const ViewSpan& span : view.spans()) {
    const Run run = run_of(span, axis, origin, {});
    if (!run.ordered()) {
      for (size_t i = 0; i < run.size(); ++i) consider(run, i);
      continue;
    }
    const size_t after = run.find(0, at, true);
    if (after > 0) consider(run, after - 1);
    if (after < run.size()) consider(run, run.find(after + 1, run.x(after), true) - 1);
  }
  return best;
}

}  // namespace stepscope
