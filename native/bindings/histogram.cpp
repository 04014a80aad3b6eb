// Histograms as Python sees them: an array of floats in, counts and statistics out, without the interpreter lock.
#include "histogram.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <utility>

#include "arrays.hpp"

namespace nb = nanobind;

namespace stepscope {
namespace {

template <class T>
using Values = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

template <class T>
nb::tuple histogram(const Values<T>& values) {
  Histogram found;
  {
    nb::gil_scoped_release unlocked;
    found = count_values(std::span<const T>(values.data(), values.size()));
  }
  return nb::make_tuple(to_numpy(std::move(found.counts)), found.min, found.max, found.sum, found.sum_squares, found.finite, found.nan,
                        found.infinite);
}

template <class T>
nb::tuple even_histogram(const Values<T>& values, size_t buckets) {
  Histogram found;
  {
    nb::gil_scoped_release unlocked;
    found = count_evenly(std::span<const T>(values.data(), values.size()), buckets);
  }
  return nb::make_tuple(to_numpy(std::move(found.counts)), found.min, found.max, found.finite, found.nan + found.infinite);
}

}  // namespace

void bind_histogram(nb::module_& m) {
  m.def("histogram", &histogram<float>, nb::arg("values").noconvert());
  m.def("histogram", &histogram<double>, nb::arg("values").noconvert());
  m.def("even_histogram", &even_histogram<float>, nb::arg("values").noconvert(), nb::arg("buckets"));
  m.def("even_histogram", &even_histogram<double>, nb::arg("values").noconvert(), nb::arg("buckets"));
  m.def("histogram_edges", [] { return to_numpy(default_edges()); });
}

}  // namespace stepscope
