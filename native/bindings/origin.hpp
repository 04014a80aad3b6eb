// What Python hands the core to read from: a path as bytes or text, or an object that reads ranges.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>
#include <string>
#include <system_error>
#include <utility>

#include "file_window.hpp"

namespace stepscope {

// Calls `size()` and `read_range(offset, length)` of a Python object, with the interpreter's lock held only meanwhile.
class PythonRanges : public RangeReader {
 public:
  PythonRanges(nanobind::object object, std::string path) : object_(std::move(object)), path_(std::move(path)) {}
  ~PythonRanges() override {
    nanobind::gil_scoped_acquire locked;
    object_.reset();
  }

  uint64_t size() override {
    return with_lock([&] { return nanobind::cast<uint64_t>(object_.attr("size")()); });
  }

  size_t read(uint64_t at, char* into, size_t size) override {
    return with_lock([&] {
      const auto got = nanobind::cast<nanobind::bytes>(object_.attr("read_range")(at, size));
      const size_t length = std::min(got.size(), size);
      std::memcpy(into, got.c_str(), length);
      return length;
    });
  }

 private:
  // Errors leave as the core's own: a Python exception must not travel through threads that know nothing of Python.
  template <class Work>
  uint64_t with_lock(Work&& work) {
    nanobind::gil_scoped_acquire locked;
    try {
      return work();
    } catch (nanobind::python_error& error) {
      int code = EIO;
      if (error.matches(PyExc_OSError)) {
        const nanobind::object number = nanobind::getattr(error.value(), "errno", nanobind::none());
        if (nanobind::isinstance<nanobind::int_>(number)) code = nanobind::cast<int>(number);
      }
      throw std::system_error(code, std::generic_category(), path_);
    } catch (const nanobind::cast_error&) {
      throw std::system_error(EIO, std::generic_category(), path_);
    }
  }

  nanobind::object object_;
  std::string path_;
};

// A path need not be UTF-8, which is why it is usually bytes. The path of ranges is their attribute, as bytes.
inline Origin origin_of(const nanobind::object& given) {
  const auto text_of = [](const nanobind::bytes& bytes) { return std::string(bytes.c_str(), bytes.size()); };
  if (nanobind::isinstance<nanobind::bytes>(given)) return Origin(text_of(nanobind::cast<nanobind::bytes>(given)));
  if (nanobind::isinstance<nanobind::str>(given)) return Origin(nanobind::cast<std::string>(given));
  const std::string path = text_of(nanobind::cast<nanobind::bytes>(given.attr("path")));
  return Origin(path, std::make_shared<PythonRanges>(given, path));
}

}  // namespace stepscope
