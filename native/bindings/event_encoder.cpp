// ScalarQueue and EventEncoder as Python sees them: one cheap call per point in, batches of bytes out.
#include "event_encoder.hpp"

#include <nanobind/nanobind.h>

#include <chrono>
#include <new>
#include <string_view>

#include "scalar_queue.hpp"

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

double now() { return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count(); }

// Each of these leaves `out` alone and returns false for what it does not know, without an error set.
bool read_number(PyObject* object, double& out) {
  if (PyFloat_Check(object)) {
    out = PyFloat_AsDouble(object);
    return true;
  }
  if (!PyLong_Check(object)) return false;
  const double value = PyLong_AsDouble(object);
  if (value == -1.0 && PyErr_Occurred()) {
    PyErr_Clear();
    return false;
  }
  out = value;
  return true;
}

bool read_step(PyObject* object, int64_t& out) {
  if (object == Py_None) {
    out = 0;
    return true;
  }
  if (!PyLong_Check(object)) return false;
  const long long value = PyLong_AsLongLong(object);
  if (value == -1 && PyErr_Occurred()) {
    PyErr_Clear();
    return false;
  }
  out = value;
  return true;
}

bool read_tag(PyObject* object, std::string_view& out) {
  if (!PyUnicode_Check(object)) return false;
  Py_ssize_t size = 0;
  const char* text = PyUnicode_AsUTF8AndSize(object, &size);
  if (text == nullptr) {
    PyErr_Clear();
    return false;
  }
  out = {text, static_cast<size_t>(size)};
  return true;
}

// The queue with what the training thread has to know of the other side.
struct WatchedQueue {
  ScalarQueue queue;
  ScalarForm form = ScalarForm::simple;
  size_t limit = 0;     // at so many entries put() takes none
  size_t dropped = 0;   // points that found no room
  bool asleep = false;  // nobody will look at the queue until told to
};

// A framework that traces code. It is asked only where the program has loaded it, with the function it has for that.
struct Framework {
  const char* module;
  const char* function;  // true where code simply runs
  PyObject* name = nullptr;
  PyObject* runs = nullptr;

  bool traces(PyObject* modules) {
    if (name == nullptr) name = PyUnicode_InternFromString(module);
    PyObject* loaded = PyDict_GetItemWithError(modules, name);
    if (loaded == nullptr) return false;
    if (runs == nullptr) runs = PyObject_GetAttrString(loaded, function);
    if (runs == nullptr) {  // still being imported
      PyErr_Clear();
      return false;
    }
    PyObject* answer = PyObject_CallNoArgs(runs);
    if (answer == nullptr) throw nb::python_error();
    const bool simply_runs = answer == Py_True;
    Py_DECREF(answer);
    return !simply_runs;
  }
};

// Whether a call may have to wait, or not to be made at all: inside record_if, and inside code that a framework traces.
bool is_conditional() {
  static PyObject* conditions = PyObject_GetAttrString(nb::module_::import_("stepscope._native").ptr(), "open_conditions");
  static Framework frameworks[] = {{"tensorflow", "executing_eagerly"}, {"jax._src.core", "trace_state_clean"}};
  if (PyList_Size(conditions) > 0) return true;
  PyObject* modules = PyImport_GetModuleDict();
  for (Framework& framework : frameworks)
    if (framework.traces(modules)) return true;
  return false;
}

// What put() did; the same numbers are in writer/scalar.py.
enum class Put : int { queued = 0, queued_unseen = 1, full = 2, unknown_type = 3, conditional = 4 };

int put(WatchedQueue& self, nb::handle tag, nb::handle value, nb::handle step, nb::handle wall_time, int form) {
  std::string_view name;
  double number = 0, when = 0;
  int64_t count = 0;
  if (!read_number(value.ptr(), number) || !read_step(step.ptr(), count) || !read_tag(tag.ptr(), name)) {
    return static_cast<int>(Put::unknown_type);
  }
  if (wall_time.is_none()) {
    when = now();
  } else if (!read_number(wall_time.ptr(), when)) {
    return static_cast<int>(Put::unknown_type);
  }
  if (self.queue.size() >= self.limit) return static_cast<int>(Put::full);
  self.queue.add(name, count, when, number, form < 0 ? self.form : form_of(form));
  return static_cast<int>(self.asleep ? Put::queued_unseen : Put::queued);
}

int put_if_certain(WatchedQueue& self, nb::handle tag, nb::handle value, nb::handle step, nb::handle wall_time, int form) {
  return is_conditional() ? static_cast<int>(Put::conditional) : put(self, tag, value, step, wall_time, form);
}

// Several scalars of one moment: all are queued, or none.
int put_all(WatchedQueue& self, nb::tuple tags, nb::list values, int64_t step, double wall_time) {
  const size_t count = tags.size();
  if (values.size() != count) throw nb::value_error("Give as many values as tags.");
  if (self.queue.size() + count > self.limit) return static_cast<int>(Put::full);
  for (size_t i = 0; i < count; ++i) {
    std::string_view name;
    double number = 0;
    if (!read_tag(PyTuple_GetItem(tags.ptr(), static_cast<Py_ssize_t>(i)), name) ||
        !read_number(PyList_GetItem(values.ptr(), static_cast<Py_ssize_t>(i)), number)) {
      throw nb::type_error("Give tags as str and values as float.");
    }
    self.queue.add(name, step, wall_time, number, self.form);
  }
  return static_cast<int>(self.asleep ? Put::queued_unseen : Put::queued);
}

nb::object highest_step(const WatchedQueue& self) {
  const auto step = self.queue.highest_step();
  return step ? nb::object(nb::int_(*step)) : nb::none();
}

size_t add_queued(EventEncoder& encoder, WatchedQueue& from, size_t most_bytes) {
  // All that the bytes can hold, at once: giving up the lock and getting it back takes long beside a training that needs it.
  while (from.queue.size() > 0 && encoder.kept_bytes() < most_bytes) encoder.keep(from.queue.take_chunk());
  nb::gil_scoped_release released;
  return encoder.add_packed(most_bytes);
}

}  // namespace

void bind_event_encoder(nb::module_& m) {
  // A forked child keeps what its parent's threads held, and a daemon thread may hold an encoder at exit: neither is a
  // leak, and a training's output is no place to talk about it.
  nb::set_leak_warnings(false);
  m.attr("open_conditions") = nb::list();
  nb::class_<WatchedQueue>(m, "ScalarQueue")
      .def(
          "__init__", [](WatchedQueue* self, int form) { new (self) WatchedQueue{.form = form_of(form)}; }, nb::arg("form") = 0)
      .def_rw("limit", &WatchedQueue::limit)
      .def_rw("asleep", &WatchedQueue::asleep)
      .def_prop_ro("highest_step", &highest_step)
      .def("put", &put, nb::arg("tag").none(), nb::arg("value").none(), nb::arg("step").none(), nb::arg("wall_time").none(),
           nb::arg("form"))
      .def("put_if_certain", &put_if_certain, nb::arg("tag").none(), nb::arg("value").none(), nb::arg("step").none(),
           nb::arg("wall_time").none(), nb::arg("form"))
      .def("put_all", &put_all, nb::arg("tags"), nb::arg("values"), nb::arg("step"), nb::arg("wall_time"))
      .def("drop", [](WatchedQueue& self) { return ++self.dropped; })
      .def_prop_ro("dropped", [](const WatchedQueue& self) { return self.dropped; })
      .def("clear",
           [](WatchedQueue& self) {
             self.queue.clear();
             self.dropped = 0;
           })
      .def("__len__", [](const WatchedQueue& self) { return self.queue.size(); });
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
      .def("add_queued", &add_queued, nb::arg("queue"), nb::arg("most_bytes"))
      .def_prop_ro("kept", &EventEncoder::kept)
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
