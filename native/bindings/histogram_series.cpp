// Logged histograms as Python sees them: facts and cells of many values, the buckets of one, and the numbers of a tensor.
#include "histogram_series.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/shared_ptr.h>

#include <cerrno>
#include <system_error>

#include "arrays.hpp"
#include "tensor_values.hpp"

namespace nb = nanobind;

namespace stepscope {
namespace {

template <class T>
using Given = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Cells = nb::ndarray<double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

template <class T>
std::span<const T> span_of(const Given<T>& array) {
  return {array.data(), array.size()};
}

std::string_view text(const nb::bytes& bytes) { return {bytes.c_str(), bytes.size()}; }

HistogramPlaces places_of(const EventFile& file, const nb::bytes& tag, const Given<uint64_t>& offset, const Given<uint64_t>& length) {
  if (offset.size() != length.size()) throw nb::value_error("Give as many lengths as offsets.");
  return {file, text(tag), span_of(offset), span_of(length)};
}

template <class Work>
auto without_lock(const EventFile& file, Work&& work) {
  try {
    nb::gil_scoped_release unlocked;
    return work();
  } catch (const std::system_error& error) {
    errno = error.code().value();
    PyErr_SetFromErrnoWithFilename(PyExc_OSError, file.path().c_str());
    throw nb::python_error();
  }
}

nb::dict facts(const EventFile& file, const nb::bytes& tag, const Given<uint64_t>& offset, const Given<uint64_t>& length) {
  const HistogramPlaces places = places_of(file, tag, offset, length);
  HistogramFacts found = without_lock(file, [&] { return histogram_facts(places); });
  nb::dict result;
  result["state"] = to_numpy(std::move(found.state));
  result["low"] = to_numpy(std::move(found.low));
  result["high"] = to_numpy(std::move(found.high));
  result["total"] = to_numpy(std::move(found.total));
  result["left_out"] = to_numpy(std::move(found.left_out));
  result["levels"] = to_numpy(std::move(found.levels));
  return result;
}

void cells(const EventFile& file, const nb::bytes& tag, const Given<uint64_t>& offset, const Given<uint64_t>& length,
           const Given<int32_t>& slot, size_t rows, double low, double high, const Cells& into) {
  const HistogramPlaces places = places_of(file, tag, offset, length);
  if (slot.size() != offset.size()) throw nb::value_error("Give as many slots as offsets.");
  const std::span<double> target(into.data(), into.size());
  without_lock(file, [&] { histogram_cells(places, span_of(slot), rows, low, high, target); });
}

nb::tuple buckets(const nb::bytes& value, const nb::bytes& tag) {
  HistogramParser parser;
  Buckets found;
  const HistogramState state = parser.read(text(value), text(tag), true, found);
  return nb::make_tuple(static_cast<uint8_t>(state), to_numpy(std::move(found.left)), to_numpy(std::move(found.right)),
                        to_numpy(std::move(found.count)), found.left_out);
}

nb::object tensor(const nb::bytes& message, size_t most) {
  TensorValues found;
  if (!tensor_values(text(message), most, found)) return nb::none();
  nb::list shape;
  for (const int64_t size : found.shape) shape.append(size);
  return nb::make_tuple(nb::tuple(shape), to_numpy(std::move(found.values)));
}

}  // namespace

void bind_histogram_series(nb::module_& m) {
  m.def("histogram_facts", &facts, nb::arg("file"), nb::arg("tag"), nb::arg("offset"), nb::arg("length"));
  m.def("histogram_cells", &cells, nb::arg("file"), nb::arg("tag"), nb::arg("offset"), nb::arg("length"), nb::arg("slot"),
        nb::arg("rows"), nb::arg("low"), nb::arg("high"), nb::arg("into"));
  m.def("histogram_buckets", &buckets, nb::arg("value"), nb::arg("tag"));
  m.def("tensor_values", &tensor, nb::arg("message"), nb::arg("most"));
}

}  // namespace stepscope
