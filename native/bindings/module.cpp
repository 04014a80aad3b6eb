// The Python module stepscope._native: checksums, wire constants, and the parts bound in the other files here.
#include <nanobind/nanobind.h>

#include <cerrno>
#include <exception>
#include <system_error>

#include "crc32c.hpp"
#include "wire/fields.hpp"

namespace nb = nanobind;

namespace stepscope {
void bind_event_file(nb::module_& m);
void bind_record_list(nb::module_& m);
void bind_series_view(nb::module_& m);
void bind_event_encoder(nb::module_& m);
void bind_work_queue(nb::module_& m);
void bind_histogram(nb::module_& m);
void bind_histogram_series(nb::module_& m);
void bind_intervals(nb::module_& m);
void bind_timeline(nb::module_& m);
void bind_replay(nb::module_& m);
void bind_critical_path(nb::module_& m);
void bind_profile(nb::module_& m);
void bind_kineto(nb::module_& m);
void bind_kind_rules(nb::module_& m);
void bind_xspace(nb::module_& m);
void bind_hlo(nb::module_& m);
void bind_run_metadata(nb::module_& m);
void bind_graph_def(nb::module_& m);
void bind_plain_pickle(nb::module_& m);
void bind_number_table(nb::module_& m);
void bind_trace_formats(nb::module_& m);
void bind_op_recorder(nb::module_& m);
}  // namespace stepscope

namespace {

nb::dict wire_fields() {
  nb::dict messages;
  const auto add = [&](const char* message, const char* field, uint32_t number) {
    if (!messages.contains(message)) messages[message] = nb::dict();
    nb::cast<nb::dict>(messages[message])[field] = number;
  };
#define STEPSCOPE_ADD_FIELD(message, field, number) add(#message, #field, number);
  STEPSCOPE_FIELDS(STEPSCOPE_ADD_FIELD)
#undef STEPSCOPE_ADD_FIELD
  return messages;
}

// What the system refuses is Python's own OSError, with errno, so that callers can tell "gone" from "not allowed".
void raise_system_errors(const std::exception_ptr& thrown, void*) {
  try {
    std::rethrow_exception(thrown);
  } catch (const std::system_error& error) {
    errno = error.code().value();
    PyErr_SetFromErrno(PyExc_OSError);
  }
}

}  // namespace

NB_MODULE(_native, m) {
  nb::register_exception_translator(raise_system_errors);
  m.def("crc32c", [](nb::bytes data) { return stepscope::crc32c(data.c_str(), data.size()); });
  m.def("crc32c_table", [](nb::bytes data) { return stepscope::crc32c_table(data.c_str(), data.size()); });
  m.def("masked_crc32c", [](nb::bytes data) { return stepscope::mask_crc(stepscope::crc32c(data.c_str(), data.size())); });
  m.def("crc32c_is_hardware", &stepscope::crc32c_is_hardware);
  m.attr("WIRE") = wire_fields();
  stepscope::bind_event_file(m);
  stepscope::bind_record_list(m);
  stepscope::bind_series_view(m);
  stepscope::bind_event_encoder(m);
  stepscope::bind_work_queue(m);
  stepscope::bind_histogram(m);
  stepscope::bind_histogram_series(m);
  stepscope::bind_intervals(m);
  stepscope::bind_timeline(m);
  stepscope::bind_replay(m);
  stepscope::bind_critical_path(m);
  stepscope::bind_profile(m);
  stepscope::bind_kineto(m);
  stepscope::bind_kind_rules(m);
  stepscope::bind_xspace(m);
  stepscope::bind_hlo(m);
  stepscope::bind_run_metadata(m);
  stepscope::bind_graph_def(m);
  stepscope::bind_plain_pickle(m);
  stepscope::bind_number_table(m);
  stepscope::bind_trace_formats(m);
  stepscope::bind_op_recorder(m);
}
