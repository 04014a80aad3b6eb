// SeriesView for Python: the restart rule, reduction, smoothing and numbers over a range.
#include "series_view.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <optional>
#include <stdexcept>

#include "bindings/arrays.hpp"
#include "smoothing.hpp"
#include "viewport.hpp"

namespace nb = nanobind;

namespace stepscope {
namespace {

using Values = nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

SegmentMode mode_of(const std::string& name) {
  if (name == "latest") return SegmentMode::latest;
  if (name == "all") return SegmentMode::all;
  if (name == "split") return SegmentMode::split;
  throw nb::value_error("segments must be latest, all or split.");
}

Axis axis_of(const std::string& name) {
  if (name == "step") return Axis::step;
  if (name == "wall") return Axis::wall;
  throw nb::value_error("axis must be step or wall.");
}

const char* name_of(Cause cause) {
  switch (cause) {
    case Cause::start:
      return "start";
    case Cause::new_file:
      return "new_file";
    case Cause::session_start:
      return "session_start";
    default:
      return "repeat";
  }
}

// Smoothed values, checked to stand for this view's points.
std::span<const double> checked(const SeriesView& view, const std::optional<Values>& values) {
  if (!values) return {};
  if (values->size() != view.shown()) throw nb::value_error("values must have one entry for each shown point.");
  return {values->data(), values->size()};
}

std::vector<double> values_of(const SeriesView& view) {
  std::vector<double> values;
  values.reserve(view.shown());
  for (const ViewSpan& span : view.spans()) {
    if (span.points.f64)
      values.insert(values.end(), span.points.f64, span.points.f64 + span.points.size);
    else
      values.insert(values.end(), span.points.f32, span.points.f32 + span.points.size);
  }
  return values;
}

nb::tuple arrays(const SeriesView& view) {
  std::vector<int64_t> step;
  std::vector<double> wall, value;
  std::vector<int32_t> segment;
  {
    nb::gil_scoped_release unlocked;
    step.reserve(view.shown());
    wall.reserve(view.shown());
    segment.reserve(view.shown());
    value = values_of(view);
    for (const ViewSpan& span : view.spans()) {
      const ScalarSpan& p = span.points;
      step.insert(step.end(), p.step, p.step + p.size);
      wall.insert(wall.end(), p.wall, p.wall + p.size);
      if (span.segments)
        segment.insert(segment.end(), span.segments, span.segments + p.size);
      else
        segment.insert(segment.end(), p.size, span.segment);
    }
  }
  return nb::make_tuple(to_numpy(std::move(step)), to_numpy(std::move(wall)), to_numpy(std::move(value)), to_numpy(std::move(segment)));
}

void smooth_line(const std::string& method, double amount, std::span<const double> in, std::span<double> out) {
  if (method == "ema")
    smooth_ema(in, amount, out);
  else if (method == "mean")
    smooth_mean(in, static_cast<size_t>(amount), out);
  else if (method == "median")
    smooth_median(in, static_cast<size_t>(amount), out);
  else
    smooth_gaussian(in, amount, out);
}

Array<double> smooth(const SeriesView& view, const std::string& method, double amount) {
  if (method != "ema" && method != "mean" && method != "median" && method != "gaussian")
    throw nb::value_error("method must be ema, mean, median or gaussian.");
  if (!(amount >= 0 && amount <= 1e7)) throw nb::value_error("amount must be between 0 and 10,000,000.");
  std::vector<double> out;
  {
    nb::gil_scoped_release unlocked;
    const std::vector<double> in = values_of(view);
    out.resize(in.size());
    const auto& spans = view.spans();
    for (size_t begin = 0; begin < spans.size();) {  // each line for itself
      size_t end = begin + 1;
      while (end < spans.size() && spans[end].line == spans[begin].line) ++end;
      const size_t from = spans[begin].position;
      const size_t size = spans[end - 1].position + spans[end - 1].points.size - from;
      smooth_line(method, amount, std::span(in).subspan(from, size), std::span(out).subspan(from, size));
      begin = end;
    }
  }
  return to_numpy(std::move(out));
}

nb::dict reduce_view(const SeriesView& view, const std::string& axis, double origin, double low, double high, uint32_t width,
                     bool log_x, std::optional<Values> values) {
  if (width < 1 || width > 1u << 20) throw nb::value_error("width must be between 1 and 1,048,576.");
  const Viewport port{axis_of(axis), origin, low, high, width, log_x};
  const std::span<const double> stand_in = checked(view, values);
  Reduced r;
  {
    nb::gil_scoped_release unlocked;
    r = reduce(view, port, stand_in);
  }
  nb::dict result;
  result["x"] = to_numpy(std::move(r.x));
  result["y"] = to_numpy(std::move(r.y));
  result["step"] = to_numpy(std::move(r.step));
  result["wall"] = to_numpy(std::move(r.wall));
  result["segment"] = to_numpy(std::move(r.line));
  result["mark_x"] = to_numpy(std::move(r.mark_x));
  result["mark_kind"] = to_numpy(std::move(r.mark_kind));
  result["in_range"] = r.in_range;
  result["exact"] = r.exact;
  result["nan"] = r.nan;
  result["inf"] = r.inf;
  result["y_extent"] = r.any_finite ? nb::object(nb::make_tuple(r.y_low, r.y_high)) : nb::none();
  result["y_inner"] = r.any_finite ? nb::object(nb::make_tuple(r.y_inner_low, r.y_inner_high)) : nb::none();
  return result;
}

nb::object extent_of(const SeriesView& view, const std::string& axis) {
  double low, high;
  if (!extent(view, axis_of(axis), low, high)) return nb::none();
  return nb::make_tuple(low, high);
}

nb::dict statistics_of(const SeriesView& view, const std::string& axis, double origin, double low, double high,
                       std::optional<Values> values) {
  const Axis along = axis_of(axis);
  const std::span<const double> stand_in = checked(view, values);
  Statistics s;
  {
    nb::gil_scoped_release unlocked;
    s = statistics(view, along, origin, low, high, stand_in);
  }
  nb::dict result;
  result["count"] = s.count;
  if (s.count == 0) return result;
  result["first"] = s.first;
  result["last"] = s.last;
  result["first_step"] = s.first_step;
  result["last_step"] = s.last_step;
  result["min"] = s.min;
  result["min_step"] = s.min_step;
  result["max"] = s.max;
  result["max_step"] = s.max_step;
  result["mean"] = s.mean;
  return result;
}

nb::list notices(const SeriesView& view) {
  nb::list result;
  if (view.two_values_per_step()) result.append("two_values_per_step");
  if (view.epoch_counter()) result.append("step_restarts_each_epoch");
  if (view.concurrent_writers()) result.append("concurrent_writers");
  if (view.one_step_only()) result.append("one_step_only");
  return result;
}

nb::list segments(const SeriesView& view) {
  constexpr size_t kMost = 1000;  // a step counter that restarts each epoch can make very many
  nb::list result;
  for (size_t i = 0; i < view.segments().size() && i < kMost; ++i) {
    const Segment& s = view.segments()[i];
    result.append(nb::make_tuple(s.first_step, s.last_step, s.points, s.superseded, name_of(s.cause)));
  }
  return result;
}

nb::tuple point_at(const SeriesView& view, uint64_t position) {
  for (const ViewSpan& span : view.spans())
    if (position < span.position + span.points.size) {
      const size_t i = position - span.position;
      return nb::make_tuple(span.points.step[i], span.points.wall[i], span.points.value(i));
    }
  throw nb::index_error("There is no shown point at that position.");
}

}  // namespace

void bind_series_view(nb::module_& m) {
  nb::class_<SeriesView>(m, "SeriesView")
      .def(
          "__init__",
          [](SeriesView* self, std::vector<std::pair<std::shared_ptr<EventFile>, int64_t>> given, const std::string& mode) {
            std::vector<SeriesView::Part> parts;
            for (auto& [file, index] : given) {
              if (index >= 0 && (index >= file->columns().size() || !file->columns().at(static_cast<uint32_t>(index)).scalars))
                throw nb::index_error("A part names a series that is not there or holds no scalars.");
              parts.push_back({std::move(file), index});
            }
            const SegmentMode segment_mode = mode_of(mode);
            nb::gil_scoped_release unlocked;
            new (self) SeriesView(std::move(parts), segment_mode);
          },
          nb::arg("parts"), nb::arg("mode"))
      .def("__len__", &SeriesView::shown)
      .def_prop_ro("points", &SeriesView::points)
      .def_prop_ro("superseded", &SeriesView::superseded)
      .def_prop_ro("restarts", &SeriesView::restarts)
      .def_prop_ro("file_visits", &SeriesView::file_visits)
      .def_prop_ro("notices", &notices)
      .def_prop_ro("segments", &segments)
      .def("arrays", &arrays)
      .def("smooth", &smooth, nb::arg("method"), nb::arg("amount"))
      .def("reduce", &reduce_view, nb::arg("axis"), nb::arg("origin"), nb::arg("low"), nb::arg("high"), nb::arg("width"),
           nb::arg("log_x"), nb::arg("values") = nb::none())
      .def("extent", &extent_of, nb::arg("axis"))
      .def("statistics", &statistics_of, nb::arg("axis"), nb::arg("origin"), nb::arg("low"), nb::arg("high"),
           nb::arg("values") = nb::none())
      .def(
          "nearest",
          [](const SeriesView& view, const std::string& axis, double origin, double at) {
            return nearest(view, axis_of(axis), origin, at);
          },
          nb::arg("axis"), nb::arg("origin"), nb::arg("at"))
      .def("point", &point_at, nb::arg("position"));
}

}  // namespace stepscope
