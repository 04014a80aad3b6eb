// What a screen can show of a series: per pixel column the first, last, lowest and highest point; and numbers over a range.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "series_view.hpp"

namespace stepscope {

enum class Axis { step, wall };

struct Viewport {
  Axis axis = Axis::step;
  double origin = 0;  // subtracted from x
  double low = -std::numeric_limits<double>::infinity();
  double high = std::numeric_limits<double>::infinity();
  uint32_t width = 1;  // pixel columns
  bool log_x = false;  // columns of equal ratio; points with x <= 0 are not shown
};

struct Reduced {
  std::vector<double> x, y, step, wall;
  std::vector<int32_t> line;
  std::vector<double> mark_x;
  std::vector<uint8_t> mark_kind;  // 1 NaN, 2 +Inf, 3 -Inf; at most one of each kind per pixel column
  uint64_t in_range = 0, nan = 0, inf = 0;
  bool exact = true;
  bool any_finite = false;
  double y_low = 0, y_high = 0;              // over all finite values in range
  double y_inner_low = 0, y_inner_high = 0;  // their 5th and 95th percentile, from an even sample
};

// `values`, when given, stands in for the series' own values, by position (a smoothed series).
Reduced reduce(const SeriesView& view, const Viewport& port, std::span<const double> values);

struct Statistics {
  uint64_t count = 0;  // finite values inside
  double first = 0, last = 0, min = 0, max = 0, mean = 0;
  int64_t first_step = 0, last_step = 0, min_step = 0, max_step = 0;
};
Statistics statistics(const SeriesView& view, Axis axis, double origin, double low, double high, std::span<const double> values);

// The position of the shown point nearest to x = at; -1 when nothing is shown.
int64_t nearest(const SeriesView& view, Axis axis, double origin, double at);

// Lowest and highest x; false when nothing is shown.
bool extent(const SeriesView& view, Axis axis, double& low, double& high);

}  // namespace stepscope
