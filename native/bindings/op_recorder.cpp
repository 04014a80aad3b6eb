// Operations of C and C++ libraries, as Python takes them.
#include "op_recorder.hpp"

#include <nanobind/nanobind.h>

namespace nb = nanobind;

namespace stepscope {

void bind_op_recorder(nb::module_& m) {
  m.def("start_marked_ops", &start_marked_ops, nb::call_guard<nb::gil_scoped_release>());
  m.def("stop_marked_ops", [] {
    MarkedOps marked;
    {
      const nb::gil_scoped_release released;
      marked = stop_marked_ops();
    }
    nb::list names, ops;
    for (const std::string& name : marked.names)
      names.append(nb::steal<nb::str>(PyUnicode_DecodeUTF8(name.data(), static_cast<Py_ssize_t>(name.size()), "replace")));
    for (const MarkedOps::Op& op : marked.ops)
      ops.append(nb::make_tuple(names[op.name], op.start, op.end, op.thread, op.hashed, op.bytes));
    return nb::make_tuple(ops, marked.dropped);
  });
}

}  // namespace stepscope
