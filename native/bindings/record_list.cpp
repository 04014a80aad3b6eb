// read_records for Python. The file is read without the interpreter's lock.
#include "record_list.hpp"

#include <nanobind/nanobind.h>

#include <cerrno>
#include <system_error>

#include "bindings/origin.hpp"

namespace nb = nanobind;

namespace stepscope {
namespace {

nb::list records(const nb::object& origin, uint64_t offset, uint64_t most) {
  const Origin from = origin_of(origin);
  std::vector<WholeRecord> found;
  try {
    nb::gil_scoped_release unlocked;
    found = read_records(from, offset, most);
  } catch (const std::system_error& error) {
    errno = error.code().value();
    PyErr_SetFromErrnoWithFilename(PyExc_OSError, from.path.c_str());
    throw nb::python_error();
  }
  nb::list records;
  for (const WholeRecord& record : found) records.append(nb::make_tuple(nb::bytes(record.data.data(), record.data.size()), record.end));
  return records;
}

}  // namespace

void bind_record_list(nb::module_& m) { m.def("read_records", &records, nb::arg("origin"), nb::arg("offset"), nb::arg("most")); }

}  // namespace stepscope
