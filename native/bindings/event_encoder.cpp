// EventEncoder as Python sees it: batches of queued tuples in, bytes out, without one Python call per point.
#include "event_encoder.hpp"

#include <nanobind/nanobind.h>

#include <new>
#include <string_view>

namespace nb = nanobind;

namespace stepscope {
namespace {

ScalarForm form_of(long long number) {
  if (number < 0 || number > 2) throw nb::value_error("Give form 0 (simple value), 1 (float tensor) or 2 (double tensor).");
  return static_cast<ScalarForm>(number);
}

wire::SessionStatus status_of(int number) {
  if (number < 0 || number > 3) throw nb::value_error("Give session status 0, 1 (start), 2 (stop) or 3 (checkpoint).");
  return static_cast<wire::SessionStatus>(number);
}

std::string_view text_of(const nb::bytes& bytes) { return {bytes.c_str(), bytes.size()}; }

std::string_view text_of(PyObject* object) {
  char* text = nullptr;
  Py_ssize_t size = 0;
  if (PyBytes_AsStringAndSize(object, &text, &size) != 0) throw nb::python_error();
  return {text, static_cast<size_t>(size)};
}

double double_of(PyObject* object) {
  const double value = PyFloat_AsDouble(object);
  if (value == -1.0 && PyErr_Occurred()) throw nb::python_error();
  return value;
}

long long integer_of(PyObject* object) {
  const long long value = PyLong_AsLongLong(object);
  if (value == -1 && PyErr_Occurred()) throw nb::python_error();
  return value;
}

// (tag, step, wall time, value) or (tag, step, wall time, value, form).
void add_tuple(EventEncoder& encoder, PyObject* entry) {
  const Py_ssize_t size = PyTuple_Size(entry);
  if (size != 4 && size != 5) throw nb::type_error("Give each scalar as (tag, step, wall time, value) and perhaps a form.");
  const ScalarForm form = size == 5 ? form_of(integer_of(PyTuple_GetItem(entry, 4))) : encoder.form();
  encoder.add_scalar(text_of(PyTuple_GetItem(entry, 0)), integer_of(PyTuple_GetItem(entry, 1)), double_of(PyTuple_GetItem(entry, 2)),
                     double_of(PyTuple_GetItem(entry, 3)), form);
}

void add_scalars(EventEncoder& encoder, const nb::list& entries) {
  for (size_t i = 0; i < entries.size(); ++i) {
    PyObject* entry = PyList_GetItem(entries.ptr(), static_cast<Py_ssize_t>(i));
    if (PyTuple_Check(entry)) {
      add_tuple(encoder, entry);
    } else {
      encoder.add_event(text_of(entry));
    }
  }
}

}  // namespace

void bind_event_encoder(nb::module_& m) {
  // A forked child keeps what its parent's threads held, and a daemon thread may hold an encoder at exit: neither is a
  // leak, and a training's output is no place to talk about it.
  nb::set_leak_warnings(false);
  nb::class_<EventEncoder>(m, "EventEncoder")
      .def(
          "__init__", [](EventEncoder* self, int form) { new (self) EventEncoder(form_of(form)); }, nb::arg("form") = 0)
      .def(
          "add_scalar",
          [](EventEncoder& self, const nb::bytes& tag, int64_t step, double wall_time, double value) {
            self.add_scalar(text_of(tag), step, wall_time, value, self.form());
          },
          nb::arg("tag"), nb::arg("step"), nb::arg("wall_time"), nb::arg("value"))
      .def("add_scalars", &add_scalars, nb::arg("entries"))
      .def(
          "add_file_version",
          [](EventEncoder& self, double wall_time, const nb::bytes& writer) { self.add_file_version(wall_time, text_of(writer)); },
          nb::arg("wall_time"), nb::arg("writer"))
      .def(
          "add_session_log",
          [](EventEncoder& self, double wall_time, int64_t step, int status) {
            self.add_session_log(wall_time, step, status_of(status));
          },
          nb::arg("wall_time"), nb::arg("step"), nb::arg("status"))
      .def(
          "add_event", [](EventEncoder& self, const nb::bytes& event) { self.add_event(text_of(event)); }, nb::arg("event"))
      .def("take",
           [](EventEncoder& self) {
             const std::string bytes = self.take();
             return nb::bytes(bytes.data(), bytes.size());
           })
      .def("__len__", &EventEncoder::size);
}

}  // namespace stepscope
