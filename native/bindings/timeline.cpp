// Pictures of tracks as Python sees them: columns of numpy in, new columns out, without the interpreter lock.
#include "timeline.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <utility>

#include "arrays.hpp"

namespace nb = nanobind;

namespace stepscope {
namespace {

template <class T>
using Column = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

template <class T>
std::span<const T> view(const Column<T>& column) {
  return {column.data(), column.size()};
}

nb::tuple extents(const Column<int64_t>& start, const Column<int64_t>& end, const Column<int16_t>& depth, const Column<int64_t>& first,
                  const Column<int64_t>& last) {
  TrackExtents found;
  {
    nb::gil_scoped_release unlocked;
    found = track_extents({view(start), view(end), view(depth)}, view(first), view(last));
  }
  return nb::make_tuple(to_numpy(std::move(found.lines)), to_numpy(std::move(found.busy)), to_numpy(std::move(found.start)),
                        to_numpy(std::move(found.end)));
}

nb::tuple tile(const Column<int64_t>& start, const Column<int64_t>& end, const Column<int16_t>& depth, const Column<int64_t>& first,
               const Column<int64_t>& last, int64_t from, int64_t to, int32_t columns, int32_t lines, int64_t most) {
  Tile found;
  {
    nb::gil_scoped_release unlocked;
    found = tile_of({view(start), view(end), view(depth)}, view(first), view(last), {from, to, columns, lines, most});
  }
  return nb::make_tuple(to_numpy(std::move(found.start)), to_numpy(std::move(found.end)), to_numpy(std::move(found.row)),
                        to_numpy(std::move(found.count)), to_numpy(std::move(found.line)), to_numpy(std::move(found.bounds)),
                        to_numpy(std::move(found.hidden)), found.columns);
}

}  // namespace

void bind_timeline(nb::module_& m) {
  m.def("track_extents", &extents, nb::arg("start").noconvert(), nb::arg("end").noconvert(), nb::arg("depth").noconvert(),
        nb::arg("first").noconvert(), nb::arg("last").noconvert());
  m.def("tile_of", &tile, nb::arg("start").noconvert(), nb::arg("end").noconvert(), nb::arg("depth").noconvert(),
        nb::arg("first").noconvert(), nb::arg("last").noconvert(), nb::arg("from_ns"), nb::arg("to_ns"), nb::arg("columns"),
        nb::arg("lines"), nb::arg("most"));
}

}  // namespace stepscope
