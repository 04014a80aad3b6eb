// The reader of TensorFlow 1's RunMetadata for Python.
#include <nanobind/nanobind.h>

#include "profile/run_metadata.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace stepscope {

void bind_run_metadata(nb::module_& m) {
  nb::exception<profile::NoRunMetadata>(m, "NoRunMetadata", PyExc_ValueError);
  m.def(
      "read_run_metadata",
      [](nb::bytes data, uint64_t spans, uint64_t names) {
        const std::string_view bytes(data.c_str(), data.size());
        nb::gil_scoped_release unlocked;
        return profile::read_run_metadata(bytes, {spans, names});
      },
      "data"_a, "spans"_a, "names"_a);
}

}  // namespace stepscope
