// Sweeps and groups of spans as Python sees them: columns of numpy in, new columns out, without the interpreter lock.
#include "intervals.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <stdexcept>
#include <tuple>
#include <utility>
#include <vector>

#include "arrays.hpp"
#include "grouping.hpp"

namespace nb = nanobind;

namespace stepscope {
namespace {

template <class T>
using Column = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Track = std::tuple<Column<int64_t>, Column<int64_t>, Column<int32_t>, Column<int8_t>>;

template <class T>
std::span<const T> view(const Column<T>& column) {
  return {column.data(), column.size()};
}

nb::tuple segments(const Column<int64_t>& start, const Column<int64_t>& end, const Column<int8_t>& label,
                   const Column<int8_t>& precedence) {
  Segments found;
  {
    nb::gil_scoped_release unlocked;
    found = owned_segments(view(start), view(end), view(label), view(precedence));
  }
  return nb::make_tuple(to_numpy(std::move(found.start)), to_numpy(std::move(found.end)), to_numpy(std::move(found.row)));
}

nb::list segments_of(const Column<int64_t>& start, const Column<int64_t>& end, const Column<int8_t>& label,
                     const Column<int64_t>& first, const Column<int64_t>& last, const std::vector<Column<int8_t>>& precedence) {
  std::vector<std::span<const int8_t>> orders;
  for (const Column<int8_t>& order : precedence) orders.push_back(view(order));
  std::vector<LabelledSegments> found;
  {
    nb::gil_scoped_release unlocked;
    found = segments_of_tracks(view(start), view(end), view(label), view(first), view(last), orders);
  }
  nb::list all;
  for (LabelledSegments& one : found)
    all.append(nb::make_tuple(to_numpy(std::move(one.start)), to_numpy(std::move(one.end)), to_numpy(std::move(one.row)),
                              to_numpy(std::move(one.label))));
  return all;
}

Array<int64_t> selves(const Column<int64_t>& start, const Column<int64_t>& end, const Column<int8_t>& label,
                      const Column<int64_t>& first, const Column<int64_t>& last) {
  LargeVector<int64_t> found;
  {
    nb::gil_scoped_release unlocked;
    found = self_times(view(start), view(end), view(label), view(first), view(last));
  }
  return to_numpy(std::move(found));
}

Array<uint8_t> inside_same(const Column<int32_t>& parent, const Column<int32_t>& key, int32_t keys) {
  LargeVector<uint8_t> found;
  {
    nb::gil_scoped_release unlocked;
    found = inside_same_key(view(parent), view(key), keys);
  }
  return to_numpy(std::move(found));
}

nb::tuple totals(const Column<int32_t>& group, const Column<int64_t>& value, int32_t groups) {
  GroupTotals found;
  {
    nb::gil_scoped_release unlocked;
    found = group_totals(view(group), view(value), groups);
  }
  return nb::make_tuple(to_numpy(std::move(found.sum)), to_numpy(std::move(found.least)), to_numpy(std::move(found.most)));
}

nb::tuple sweep(const std::vector<Track>& tracks, const Column<int64_t>& bounds, int labels, const Column<uint8_t>& counted,
                std::size_t rows) {
  std::vector<LabelledTrack> views;
  views.reserve(tracks.size());
  for (const auto& [start, end, row, label] : tracks) views.push_back({view(start), view(end), view(row), view(label)});
  StepSums sums;
  LargeVector<double> exposed(rows, 0.0);
  {
    nb::gil_scoped_release unlocked;
    sums = sweep_steps(views, view(bounds), labels, view(counted), exposed);
  }
  return nb::make_tuple(to_numpy(std::move(sums.taken)), to_numpy(std::move(sums.covered)), to_numpy(std::move(exposed)));
}

}  // namespace

void bind_intervals(nb::module_& m) {
  m.def("owned_segments", &segments, nb::arg("start").noconvert(), nb::arg("end").noconvert(), nb::arg("label").noconvert(),
        nb::arg("precedence").noconvert());
  m.def("segments_of_tracks", &segments_of, nb::arg("start").noconvert(), nb::arg("end").noconvert(), nb::arg("label").noconvert(),
        nb::arg("first").noconvert(), nb::arg("last").noconvert(), nb::arg("precedence"));
  m.def("self_times", &selves, nb::arg("start").noconvert(), nb::arg("end").noconvert(), nb::arg("label").noconvert(),
        nb::arg("first").noconvert(), nb::arg("last").noconvert());
  m.def("inside_same_key", &inside_same, nb::arg("parent").noconvert(), nb::arg("key").noconvert(), nb::arg("keys"));
  m.def("group_totals", &totals, nb::arg("group").noconvert(), nb::arg("value").noconvert(), nb::arg("groups"));
  m.def("sweep_steps", &sweep, nb::arg("tracks"), nb::arg("bounds").noconvert(), nb::arg("labels"), nb::arg("counted").noconvert(),
        nb::arg("rows") = 0);
}

}  // namespace stepscope
