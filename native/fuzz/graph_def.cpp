// Fuzzes reading a GraphDef: makes graphs with functions and attributes of all kinds, damages them, and checks what must hold of the
// columns for any bytes. Arguments: seconds to run, and a seed.
#include "graph_def.hpp"

#include "fuzz/damage.hpp"
#include "wire/fields.hpp"
#include "wire/writer.hpp"

namespace {

using namespace stepscope;

constexpr const char* kNames[] = {"a", "b", "scope/a",         "scope/b:1", "^a", "^", ":", "a:99999999999",
                                  "f", "",  "PartitionedCall", "Const"};
constexpr const char* kKeys[] = {"T",     "dtype", "output_types", "_output_shapes", "shape",
                                 "value", "f",     "then_branch",  "_XlaCluster",    ""};

class Fuzzer : fuzz::Chooser {
 public:
  using Chooser::Chooser;

  void once() {
    std::string file = make_graph();
    check(file);
    damage(file);
    check(file);
  }

 private:
  std::string make_value(int depth) {
    std::string value;
    for (uint64_t n = 1 + below(3); n > 0; --n) {
      const auto field = static_cast<uint32_t>(1 + below(10));
      if (field == wire::AttrValue::i || field == wire::AttrValue::b || field == wire::AttrValue::type)
        wire::put_varint_field(value, field, some_number());
      else if (depth < 3 && chance(2))
        wire::put_bytes_field(value, field, make_value(depth + 1));
      else
        wire::put_bytes_field(value, field, chance(8) ? std::string(below(100'000), 'x') : std::string(one_of(kNames)));
    }
    return value;
  }

  std::string make_node() {
    std::string node;
    wire::put_bytes_field(node, wire::NodeDef::name, one_of(kNames));
    wire::put_bytes_field(node, wire::NodeDef::op, one_of(kNames));
    for (uint64_t n = below(4); n > 0; --n) wire::put_bytes_field(node, wire::NodeDef::input, one_of(kNames));
    if (chance(2)) wire::put_bytes_field(node, wire::NodeDef::device, one_of(kNames));
    for (uint64_t n = below(4); n > 0; --n) {
      std::string attribute;
      wire::put_bytes_field(attribute, wire::NodeAttr::key, one_of(kKeys));
      wire::put_bytes_field(attribute, wire::NodeAttr::value, make_value(0));
      wire::put_bytes_field(node, wire::NodeDef::attr, attribute);
    }
    return node;
  }

  std::string make_function() {
    std::string signature, function;
    wire::put_bytes_field(signature, wire::OpDef::name, one_of(kNames));
    for (const uint32_t field : {wire::OpDef::input_arg, wire::OpDef::output_arg}) {
      std::string argument;
      wire::put_bytes_field(argument, wire::ArgDef::name, one_of(kNames));
      wire::put_varint_field(argument, wire::ArgDef::type, some_number());
      wire::put_bytes_field(signature, field, argument);
    }
    wire::put_bytes_field(function, wire::FunctionDef::signature, signature);
    for (uint64_t n = below(6); n > 0; --n) wire::put_bytes_field(function, wire::FunctionDef::node_def, make_node());
    for (const uint32_t field : {wire::FunctionDef::ret, wire::FunctionDef::control_ret}) {
      std::string result;
      wire::put_bytes_field(result, wire::TextEntry::key, one_of(kNames));
      wire::put_bytes_field(result, wire::TextEntry::value, one_of(kNames));
      wire::put_bytes_field(function, field, result);
    }
    return function;
  }

  std::string make_graph() {
    std::string file, library;
    for (uint64_t n = below(12); n > 0; --n) wire::put_bytes_field(file, wire::GraphDef::node, make_node());
    for (uint64_t n = below(4); n > 0; --n) wire::put_bytes_field(library, wire::FunctionDefLibrary::function, make_function());
    wire::put_bytes_field(file, wire::GraphDef::library, library);
    return file;
  }

  void check(const std::string& file) {
    graph::Limits limits;
    if (chance(4)) limits = {1 + below(6), below(6)};
    const graph::GraphDef found = graph::read_graph_def(file, limits);
    HOLDS(!found.graphs.empty());
    uint64_t inputs = 0;
    for (const graph::Columns& columns : found.graphs) {
      check_columns(found, columns, file.size());
      inputs += columns.input.size();
    }
    HOLDS(inputs <= limits.inputs);
  }

  void check_columns(const graph::GraphDef& found, const graph::Columns& columns, uint64_t bytes) {
    const size_t rows = columns.node.size();
    for (const auto* column :
         {&columns.op, &columns.device, &columns.shapes, &columns.dtypes, &columns.cluster, &columns.input_end, &columns.called_end})
      HOLDS(column->size() == rows);
    for (const auto* column : {&columns.constant_bytes, &columns.likeness, &columns.offset, &columns.size})
      HOLDS(column->size() == rows);
    HOLDS(columns.input_name.size() == columns.input.size() && columns.port.size() == columns.input.size());
    HOLDS((rows ? columns.input_end.back() : 0) == static_cast<int32_t>(columns.input.size()));
    HOLDS((rows ? columns.called_end.back() : 0) == static_cast<int32_t>(columns.called.size()));
    for (const auto* column : {&columns.node, &columns.op, &columns.device, &columns.shapes, &columns.dtypes, &columns.cluster,
                               &columns.input_name, &columns.called})
      for (const int32_t text : *column) HOLDS(text >= 0 && static_cast<size_t>(text) < found.texts.size());
    for (const int32_t row : columns.input) HOLDS(row >= -1 && row < static_cast<int32_t>(rows));
    for (const int32_t port : columns.port) HOLDS(port >= -1);
    for (size_t row = 0; row < rows; ++row) {
      HOLDS(row == 0 ||
            (columns.input_end[row] >= columns.input_end[row - 1] && columns.called_end[row] >= columns.called_end[row - 1]));
      HOLDS(columns.size[row] >= 0 && columns.offset[row] >= 0 && columns.constant_bytes[row] >= 0);
      HOLDS(static_cast<uint64_t>(columns.offset[row]) + static_cast<uint64_t>(columns.size[row]) <= bytes);
    }
  }
};

}  // namespace

int main(int count, char** arguments) { return fuzz::run<Fuzzer>(count, arguments); }
