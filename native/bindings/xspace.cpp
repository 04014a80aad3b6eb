// XSpace files for Python: bytes in, tables out, without the interpreter lock.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>

#include <utility>

#include "arrays.hpp"
#include "origin.hpp"
#include "profile/xspace_reader.hpp"
#include "whole_file.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace stepscope {
namespace {

using namespace profile;

using Content = nb::ndarray<const uint8_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

Array<uint8_t> read_file(const nb::object& origin, uint64_t most) {
  const Origin from = origin_of(origin);
  LargeVector<uint8_t> content;
  {
    nb::gil_scoped_release unlocked;
    content = read_whole_file(from, most);
  }
  return to_numpy(std::move(content));
}

Tables read(const Content& data, uint64_t most_spans, uint64_t most_names, size_t threads) {
  const std::string_view file(reinterpret_cast<const char*>(data.data()), data.size());
  nb::gil_scoped_release unlocked;
  return xspace::read_xspace(file, most_spans, most_names, {.threads = threads});
}

nb::object to_object(const xspace::Argument& value) {
  if (const auto* text = std::get_if<std::string>(&value))
    return nb::steal(PyUnicode_DecodeUTF8(text->data(), static_cast<Py_ssize_t>(text->size()), "replace"));
  if (const auto* real = std::get_if<double>(&value)) return nb::float_(*real);
  if (const auto* whole = std::get_if<int64_t>(&value)) return nb::int_(*whole);
  return nb::int_(std::get<uint64_t>(value));
}

nb::list to_list(const xspace::Arguments& arguments) {
  nb::list all;
  for (const auto& [name, value] : arguments) all.append(nb::make_tuple(to_object(name), to_object(value)));
  return all;
}

nb::list arguments(nb::bytes data, uint64_t source) {
  return to_list(xspace::read_arguments(std::string_view(data.c_str(), data.size()), source));
}

nb::list arguments_of_file(const nb::object& origin, uint64_t source) {
  const Origin from = origin_of(origin);
  xspace::Arguments found;
  {
    nb::gil_scoped_release unlocked;
    FileWindow file(from);
    found = xspace::read_arguments(file, source);
  }
  return to_list(found);
}

}  // namespace

void bind_xspace(nb::module_& m) {
  nb::exception<xspace::Unreadable>(m, "UnreadableXSpace", PyExc_ValueError);
  m.def("read_whole_file", &read_file, "origin"_a, "most"_a);
  m.def("read_xspace", &read, "data"_a, "most_spans"_a, "most_names"_a, "threads"_a = 0);
  m.def("xspace_arguments", &arguments, "data"_a, "source"_a);
  m.def("xspace_file_arguments", &arguments_of_file, "origin"_a, "source"_a);
}

}  // namespace stepscope
