// Sweeps, sets of instants and groups of spans as Python sees them: columns of numpy in, new columns out, without the interpreter lock.
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
#include "interval_sets.hpp"

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

Array<double> sums(const Column<int32_t>& group, const Column<double>& value, int32_t groups) {
  std::vector<double> found;
  {
    nb::gil_scoped_release unlocked;
    found = group_sums(view(group), view(value), groups);
  }
  return to_numpy(std::move(found));
}

Array<int64_t> firsts(const Column<int32_t>& group, int32_t groups) {
  std::vector<int64_t> found;
  {
    nb::gil_scoped_release unlocked;
    found = group_firsts(view(group), groups);
  }
  return to_numpy(std::move(found));
}

// Of functions that find a number for each group from a column of groups and one of values.
template <std::vector<int64_t> (*Find)(std::span<const int32_t>, std::span<const int64_t>, int32_t)>
Array<int64_t> of_groups(const Column<int32_t>& group, const Column<int64_t>& value, int32_t groups) {
  std::vector<int64_t> found;
  {
    nb::gil_scoped_release unlocked;
    found = Find(view(group), view(value), groups);
  }
  return to_numpy(std::move(found));
}

nb::tuple dense(const Column<int64_t>& code, int64_t space) {
  DenseCodes found;
  {
    nb::gil_scoped_release unlocked;
    found = dense_codes(view(code), space);
  }
  return nb::make_tuple(to_numpy(std::move(found.code)), found.groups);
}

Array<uint8_t> names_of(const Column<int8_t>& kind, const Column<int32_t>& name, const Column<int64_t>& first,
                        const Column<int64_t>& last, int8_t kinds, int32_t names) {
  std::vector<uint8_t> found;
  {
    nb::gil_scoped_release unlocked;
    found = names_of_kinds(view(kind), view(name), view(first), view(last), kinds, names);
  }
  return to_numpy(std::move(found));
}

// Runs a function that makes a set, and hands its two columns over.
template <class Make>
nb::tuple set_of(const Make& make) {
  IntervalSet found;
  {
    nb::gil_scoped_release unlocked;
    found = make();
  }
  return nb::make_tuple(to_numpy(std::move(found.start)), to_numpy(std::move(found.end)));
}

nb::tuple united(const Column<int64_t>& start, const Column<int64_t>& end) {
  return set_of([&] { return union_of({view(start), view(end)}); });
}

nb::tuple united_labels(const Column<int64_t>& start, const Column<int64_t>& end, const Column<int8_t>& label,
                        const Column<uint8_t>& wanted) {
  return set_of([&] { return union_of_labels({view(start), view(end)}, view(label), view(wanted)); });
}

nb::tuple difference(const Column<int64_t>& start, const Column<int64_t>& end, const Column<int64_t>& other_start,
                     const Column<int64_t>& other_end) {
  return set_of([&] { return difference_of({view(start), view(end)}, {view(other_start), view(other_end)}); });
}

Array<int64_t> before(const Column<int64_t>& start, const Column<int64_t>& end, const Column<int64_t>& time) {
  LargeVector<int64_t> found;
  {
    nb::gil_scoped_release unlocked;
    found = lengths_before({view(start), view(end)}, view(time));
  }
  return to_numpy(std::move(found));
}

std::vector<LabelledTrack> views_of(const std::vector<Track>& tracks) {
  std::vector<LabelledTrack> views;
  views.reserve(tracks.size());
  for (const auto& [start, end, row, label] : tracks) views.push_back({view(start), view(end), view(row), view(label)});
  return views;
}

nb::tuple pieces(const std::vector<Track>& tracks, const Column<int64_t>& bounds, int labels, const Column<uint8_t>& wanted) {
  const std::vector<LabelledTrack> views = views_of(tracks);
  Pieces found;
  {
    nb::gil_scoped_release unlocked;
    found = owned_pieces(views, view(bounds), labels, view(wanted));
  }
  return nb::make_tuple(to_numpy(std::move(found.step)), to_numpy(std::move(found.start)), to_numpy(std::move(found.end)),
                        to_numpy(std::move(found.row)), to_numpy(std::move(found.label)));
}

nb::tuple sweep(const std::vector<Track>& tracks, const Column<int64_t>& bounds, int labels, const Column<uint8_t>& counted,
                std::size_t rows) {
  const std::vector<LabelledTrack> views = views_of(tracks);
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
  m.def("group_sums", &sums, nb::arg("group").noconvert(), nb::arg("value").noconvert(), nb::arg("groups"));
  m.def("group_firsts", &firsts, nb::arg("group").noconvert(), nb::arg("groups"));
  m.def("group_largest", &of_groups<group_largest>, nb::arg("group").noconvert(), nb::arg("value").noconvert(), nb::arg("groups"));
  m.def("group_distinct", &of_groups<group_distinct>, nb::arg("group").noconvert(), nb::arg("value").noconvert(), nb::arg("groups"));
  m.def("dense_codes", &dense, nb::arg("code").noconvert(), nb::arg("space"));
  m.def("names_of_kinds", &names_of, nb::arg("kind").noconvert(), nb::arg("name").noconvert(), nb::arg("first").noconvert(),
        nb::arg("last").noconvert(), nb::arg("kinds"), nb::arg("names"));
  m.def("union_of", &united, nb::arg("start").noconvert(), nb::arg("end").noconvert());
  m.def("union_of_labels", &united_labels, nb::arg("start").noconvert(), nb::arg("end").noconvert(), nb::arg("label").noconvert(),
        nb::arg("wanted").noconvert());
  m.def("difference_of", &difference, nb::arg("start").noconvert(), nb::arg("end").noconvert(), nb::arg("other_start").noconvert(),
        nb::arg("other_end").noconvert());
  m.def("lengths_before", &before, nb::arg("start").noconvert(), nb::arg("end").noconvert(), nb::arg("time").noconvert());
  m.def("sweep_steps", &sweep, nb::arg("tracks"), nb::arg("bounds").noconvert(), nb::arg("labels"), nb::arg("counted").noconvert(),
        nb::arg("rows") = 0);
  m.def("owned_pieces", &pieces, nb::arg("tracks"), nb::arg("bounds").noconvert(), nb::arg("labels"), nb::arg("wanted").noconvert());
}

}  // namespace stepscope
