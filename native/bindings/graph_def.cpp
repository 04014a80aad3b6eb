// TensorFlow's graphs for Python: a GraphDef in a file or in memory in, columns of its nodes and of its functions' nodes out.
#include "graph_def.hpp"

#include <nanobind/nanobind.h>

#include "bindings/arrays.hpp"
#include "bindings/origin.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace stepscope {
namespace {

nb::dict columns_of(graph::Columns& columns) {
  nb::dict found;
  found["name"] = columns.name;
#define STEPSCOPE_ADD_COLUMN(column) found[#column] = to_numpy(std::move(columns.column));
  STEPSCOPE_ADD_COLUMN(node)
  STEPSCOPE_ADD_COLUMN(op)
  STEPSCOPE_ADD_COLUMN(device)
  STEPSCOPE_ADD_COLUMN(shapes)
  STEPSCOPE_ADD_COLUMN(dtypes)
  STEPSCOPE_ADD_COLUMN(cluster)
  STEPSCOPE_ADD_COLUMN(constant_bytes)
  STEPSCOPE_ADD_COLUMN(likeness)
  STEPSCOPE_ADD_COLUMN(offset)
  STEPSCOPE_ADD_COLUMN(size)
  STEPSCOPE_ADD_COLUMN(input_end)
  STEPSCOPE_ADD_COLUMN(input)
  STEPSCOPE_ADD_COLUMN(input_name)
  STEPSCOPE_ADD_COLUMN(port)
  STEPSCOPE_ADD_COLUMN(called_end)
  STEPSCOPE_ADD_COLUMN(called)
#undef STEPSCOPE_ADD_COLUMN
  return found;
}

nb::dict read_graph_def(const nb::object& origin, uint64_t offset, uint64_t length, uint64_t nodes, uint64_t inputs) {
  const Origin from = origin_of(origin);
  graph::GraphDef read;
  {
    nb::gil_scoped_release unlocked;
    read = graph::read_graph_def(from, offset, length, {nodes, inputs});
  }
  nb::list texts, graphs;
  for (size_t i = 0; i < read.texts.size(); ++i) {
    const std::string_view text = read.texts[static_cast<int32_t>(i)];
    texts.append(nb::steal(PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), "replace")));
  }
  for (graph::Columns& columns : read.graphs) graphs.append(columns_of(columns));
  nb::dict found;
  found["texts"] = texts;
  found["graphs"] = graphs;
  found["nodes_left_out"] = read.nodes_left_out;
  found["repeated_names"] = read.repeated_names;
  found["damaged"] = read.damaged;
  return found;
}

}  // namespace

void bind_graph_def(nb::module_& m) {
  m.def("read_graph_def", &read_graph_def, "origin"_a, "offset"_a, "length"_a, "nodes"_a, "inputs"_a);
}

}  // namespace stepscope
