// Scans GraphDef, NodeDef and FunctionDef: names, operations, devices, inputs, and of attributes what is needed of every node.
//
// A constant may have a hundred megabytes: its bytes are stepped over, in a file they are not even read. All other attributes of a
// node are read when somebody looks at it, from where it is in the file.
#include "graph_def.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>

#include "wire/fields.hpp"
#include "wire/reader.hpp"

namespace stepscope::graph {
namespace {

using wire::Field;
using wire::Type;

constexpr size_t kLongestName = profile::TextPool::kLongest;
constexpr size_t kMostOutputs = 64;  // whose shapes and types are kept
constexpr size_t kMostDimensions = 32;
constexpr uint64_t kMostCompared = 64 << 10;  // bytes of an attribute
constexpr size_t kMostCalled = 64;            // functions that one node may call

constexpr std::pair<uint32_t, std::string_view> kTypeNames[] = {
    {1, "float32"},   {2, "float64"},  {3, "int32"},        {4, "uint8"},          {5, "int16"},    {6, "int8"},      {7, "string"},
    {8, "complex64"}, {9, "int64"},    {10, "bool"},        {11, "qint8"},         {12, "quint8"},  {13, "qint32"},   {14, "bfloat16"},
    {15, "qint16"},   {16, "quint16"}, {17, "uint16"},      {18, "complex128"},    {19, "float16"}, {20, "resource"}, {21, "variant"},
    {22, "uint32"},   {23, "uint64"},  {24, "float8_e5m2"}, {25, "float8_e4m3fn"}, {29, "int4"},    {30, "uint4"},
};

// Attributes that tell the types of outputs, the surest first. `T` is mostly that of inputs and outputs alike.
constexpr std::string_view kTypeKeys[] = {"output_types", "Tout", "DstT", "out_type", "output_type", "dtype", "T"};

// Operations for which none of these attributes is the type of the first output, as TensorFlow's registry has it.
constexpr std::string_view kOtherTypes[] = {
    "Equal",
    "NotEqual",
    "Less",
    "LessEqual",
    "Greater",
    "GreaterEqual",
    "ApproximateEqual",
    "IsNan",
    "IsInf",
    "IsFinite",
    "Where",
    "Rank",
    "VarHandleOp",
    "AssignVariableOp",
    "AssignAddVariableOp",
    "AssignSubVariableOp",
    "ScalarSummary",
    "HistogramSummary",
};

// Parts of the names of operations for which that holds as well: handles, sparse tensors, and pictures that become float.
constexpr std::string_view kOtherTypesInside[] = {
    "Dataset",     "Iterator",     "Sparse",       "Summary",        "TensorArray", "Accumulator", "Resize",    "NonMaxSuppression",
    "Decode",      "CTC",          "Debug",        "Session",        "Encode",      "Ragged",      "Quantiz",   "quantiz",
    "CSR",         "InTopK",       "Multinomial",  "ToHash",         "Serialize",   "Crop",        "SetSize",   "Bitcast",
    "AsString",    "ToBool",       "Population",   "Bucketize",      "Fingerprint", "Format",      "Substr",    "Initialized",
    "WindowOp",    "SetOperation", "EditDistance", "AdjustContrast", "Isotonic",    "Translate",   "DtypeWith", "RngBit",
    "ArrayToList",
};

bool tells_types(std::string_view op) {
  if (std::find(std::begin(kOtherTypes), std::end(kOtherTypes), op) != std::end(kOtherTypes)) return false;
  return std::none_of(std::begin(kOtherTypesInside), std::end(kOtherTypesInside),
                      [&](std::string_view part) { return op.find(part) != std::string_view::npos; });
}

std::string_view type_name(uint64_t number) {
  if (number > 100) number -= 100;  // a reference to a variable
  for (const auto& [id, name] : kTypeNames)
    if (id == number) return name;
  return {};
}

template <class Space>
class Reader {
 public:
  Reader(Space& space, const Limits& limits) : space_(space), limits_(limits) {}

  GraphDef read(uint64_t offset, uint64_t length) {
    empty_ = found_.texts.intern("");
    found_.graphs.emplace_back();
    found_.graphs[0].name = empty_;
    each(offset, length, [&](const Field& f) {
      if (is_message(f, wire::GraphDef::node)) add_node(found_.graphs[0], f);
      if (is_message(f, wire::GraphDef::library)) read_library(f);
    });
    for (Columns& graph : found_.graphs) resolve(graph);
    return std::move(found_);
  }

 private:
  using Walker = wire::FieldWalker<Space>;

  // What attributes say of a node's outputs and of what it calls.
  struct Attributes {
    int32_t shapes = -1, plain_shape = -1, tensor_shape = -1, tensor_type = -1, cluster = -1;
    std::array<int32_t, std::size(kTypeKeys)> types;
    int64_t constant_bytes = 0;
    uint64_t likeness = 1;
    bool large = false;
    std::vector<int32_t> called;
    Attributes() { types.fill(-1); }
  };

  static bool is_message(const Field& f, uint32_t id) { return f.id == id && f.type == Type::bytes; }

  template <class Use>
  void each(uint64_t offset, uint64_t length, Use use) {
    Walker walker(space_, offset, offset + length);
    Field field;
    while (walker.next(field)) use(field);
    found_.damaged |= !walker.ok();
  }

  template <class Use>
  void inside(const Field& f, Use use) {
    each(f.offset, f.length, use);
  }

  // Valid until the space is read again.
  std::string_view text(const Field& f) {
    const auto length = static_cast<size_t>(std::min<uint64_t>(f.length, kLongestName));
    return space_.peek(f.offset, length).substr(0, length);
  }

  int32_t interned(const Field& f) { return found_.texts.intern(text(f)); }

  bool is_full() const { return nodes_ >= limits_.nodes; }

  void read_library(const Field& library) {
    inside(library, [&](const Field& f) {
      if (is_message(f, wire::FunctionDefLibrary::function)) read_function(f);
    });
  }

  void read_function(const Field& function) {
    Columns graph;
    graph.name = empty_;
    std::vector<std::pair<int32_t, int32_t>> outputs;  // name and type
    inside(function, [&](const Field& f) {
      if (is_message(f, wire::FunctionDef::signature)) read_signature(f, graph, outputs);
    });
    inside(function, [&](const Field& f) {
      if (is_message(f, wire::FunctionDef::node_def)) add_node(graph, f);
    });
    inside(function, [&](const Field& f) {
      if (is_message(f, wire::FunctionDef::ret)) add_result(f, graph, outputs);
    });
    found_.graphs.push_back(std::move(graph));
  }

  void read_signature(const Field& signature, Columns& graph, std::vector<std::pair<int32_t, int32_t>>& outputs) {
    inside(signature, [&](const Field& f) {
      if (is_message(f, wire::OpDef::name)) graph.name = interned(f);
      const bool in = is_message(f, wire::OpDef::input_arg), out = is_message(f, wire::OpDef::output_arg);
      if (!in && !out) return;
      int32_t name = empty_, type = empty_;
      inside(f, [&](const Field& a) {
        if (is_message(a, wire::ArgDef::name)) name = interned(a);
        if (a.id == wire::ArgDef::type && a.type == Type::varint) type = found_.texts.intern(type_name(a.bits));
      });
      if (out)
        outputs.emplace_back(name, type);
      else
        add_row(graph, name, found_.texts.intern("_Arg"), type);
    });
  }

  // A result is a node of its own, as an argument is, so that the ends of a function can be seen.
  void add_result(const Field& entry, Columns& graph, const std::vector<std::pair<int32_t, int32_t>>& outputs) {
    int32_t name = empty_;
    std::string from;
    inside(entry, [&](const Field& f) {
      if (is_message(f, wire::TextEntry::key)) name = interned(f);
      if (is_message(f, wire::TextEntry::value)) from = std::string(text(f));
    });
    int32_t type = empty_;
    for (const auto& [output, known] : outputs)
      if (output == name) type = known;
    if (!add_row(graph, found_.texts.intern(std::string(found_.texts[name]) + " (result)"), found_.texts.intern("_Retval"), type))
      return;
    add_input(graph, from);
    graph.input_end.back() = static_cast<int32_t>(graph.input.size());
  }

  // A node without a definition of its own.
  bool add_row(Columns& graph, int32_t name, int32_t op, int32_t type) {
    if (is_full()) {
      ++found_.nodes_left_out;
      return false;
    }
    ++nodes_;
    graph.node.push_back(name);
    graph.op.push_back(op);
    graph.device.push_back(empty_);
    graph.shapes.push_back(empty_);
    graph.dtypes.push_back(type);
    graph.cluster.push_back(empty_);
    graph.constant_bytes.push_back(0);
    graph.likeness.push_back(0);
    graph.offset.push_back(0);
    graph.size.push_back(0);
    graph.input_end.push_back(static_cast<int32_t>(graph.input.size()));
    graph.called_end.push_back(static_cast<int32_t>(graph.called.size()));
    return true;
  }

  void add_node(Columns& graph, const Field& message) {
    if (!add_row(graph, empty_, empty_, empty_)) return;
    Attributes attributes;
    inside(message, [&](const Field& f) {
      if (f.type != Type::bytes) return;
      switch (f.id) {
        case wire::NodeDef::name:
          graph.node.back() = interned(f);
          break;
        case wire::NodeDef::op:
          graph.op.back() = interned(f);
          break;
        case wire::NodeDef::device:
          graph.device.back() = interned(f);
          break;
        case wire::NodeDef::input:
          add_input(graph, text(f));
          break;
        case wire::NodeDef::attr:
          read_attribute(f, attributes);
          break;
        default:
          break;
      }
    });
    graph.offset.back() = static_cast<int64_t>(message.offset);
    graph.size.back() = static_cast<int64_t>(message.length);
    graph.input_end.back() = static_cast<int32_t>(graph.input.size());
    set_outputs(graph, attributes);
  }

  void set_outputs(Columns& graph, const Attributes& known) {
    for (const int32_t shapes : {known.shapes, known.tensor_shape, known.plain_shape})
      if (shapes >= 0) {
        graph.shapes.back() = shapes;
        break;
      }
    if (tells_types(found_.texts[graph.op.back()]))
      for (const int32_t types : known.types)
        if (types >= 0) {
          graph.dtypes.back() = types;
          break;
        }
    if (known.cluster >= 0) graph.cluster.back() = known.cluster;
    graph.constant_bytes.back() = known.constant_bytes;
    graph.likeness.back() = known.large ? 0 : static_cast<int64_t>(known.likeness | 1);
    graph.called.insert(graph.called.end(), known.called.begin(), known.called.end());
    graph.called_end.back() = static_cast<int32_t>(graph.called.size());
  }

  // "^name" is a control edge, "name:1" the second output, and in functions "name:output:1".
  void add_input(Columns& graph, std::string_view written) {
    if (inputs_ >= limits_.inputs) {
      found_.damaged = true;
      return;
    }
    ++inputs_;
    int32_t port = 0;
    if (written.starts_with('^')) {
      written.remove_prefix(1);
      port = -1;
    } else if (const size_t colon = written.rfind(':'); colon != std::string_view::npos) {
      port = 0;
      for (const char c : written.substr(colon + 1, 6)) port = c >= '0' && c <= '9' ? port * 10 + (c - '0') : port;
    }
    written = written.substr(0, written.find(':'));
    graph.input.push_back(-1);
    graph.input_name.push_back(found_.texts.intern(written));
    graph.port.push_back(port);
  }

  void read_attribute(const Field& entry, Attributes& to) {
    char key[24];
    size_t key_size = 0;
    Field value;
    inside(entry, [&](const Field& f) {
      if (is_message(f, wire::NodeAttr::key)) {
        const std::string_view name = text(f);
        key_size = name.size() <= sizeof(key) ? name.size() : 0;
        std::copy_n(name.data(), key_size, key);
      }
      if (is_message(f, wire::NodeAttr::value)) value = f;
    });
    if (value.id == 0) return;
    const std::string_view name(key, key_size);
    if (!name.starts_with('_')) add_likeness(entry, to);
    inside(value, [&](const Field& f) {
      if (is_message(f, wire::AttrValue::func)) add_called(f, to);
      if (is_message(f, wire::AttrValue::list)) read_list(f, name, to);
      if (is_message(f, wire::AttrValue::tensor) && name == "value") read_tensor(f, to);
      if (is_message(f, wire::AttrValue::shape) && name == "shape") to.plain_shape = found_.texts.intern(shape_text(f));
      if (is_message(f, wire::AttrValue::s) && (name == "_XlaCluster" || name == "_xla_compile_id")) to.cluster = interned(f);
      if (f.id == wire::AttrValue::type && f.type == Type::varint)
        if (const size_t at = type_key(name); at < std::size(kTypeKeys)) to.types[at] = found_.texts.intern(type_name(f.bits));
    });
  }

  // A sum, because a map has its entries in any order.
  void add_likeness(const Field& entry, Attributes& to) {
    if (entry.length > kMostCompared) {
      to.large = true;
      return;
    }
    const auto length = static_cast<size_t>(entry.length);
    uint64_t hash = 0xcbf29ce484222325u;
    for (const char c : space_.peek(entry.offset, length).substr(0, length)) hash = (hash ^ static_cast<uint8_t>(c)) * 0x100000001b3u;
    to.likeness += (hash ^ hash >> 29) * 2;
  }

  static size_t type_key(std::string_view name) {
    return static_cast<size_t>(std::find(std::begin(kTypeKeys), std::end(kTypeKeys), name) - std::begin(kTypeKeys));
  }

  void add_called(const Field& function, Attributes& to) {
    inside(function, [&](const Field& f) {
      if (is_message(f, wire::NameAttrList::name) && to.called.size() < kMostCalled) to.called.push_back(interned(f));
    });
  }

  void read_list(const Field& list, std::string_view name, Attributes& to) {
    std::string shapes, types;
    size_t count = 0;
    const bool of_shapes = name == "_output_shapes" || name == "output_shapes";
    const size_t of_types = type_key(name);
    inside(list, [&](const Field& f) {
      if (is_message(f, wire::AttrList::func)) add_called(f, to);
      if (is_message(f, wire::AttrList::shape) && of_shapes && count++ < kMostOutputs)
        shapes += (count > 1 ? "; " : "") + shape_text(f);
      if (f.id == wire::AttrList::type && of_types < std::size(kTypeKeys)) append_types(f, types);
    });
    if (of_shapes && count > 0 && (to.shapes < 0 || name == "_output_shapes")) to.shapes = found_.texts.intern(shapes);
    if (!types.empty()) to.types[of_types] = found_.texts.intern(types);
  }

  void append_types(const Field& f, std::string& types) {
    const auto add = [&](uint64_t number) {
      if (types.size() < 16 * kMostOutputs) types.append(types.empty() ? "" : "; ").append(type_name(number));
    };
    if (f.type == Type::varint) add(f.bits);
    if (f.type != Type::bytes) return;
    wire::Cursor numbers(text(f));
    for (uint64_t number; numbers.left() > 0 && numbers.varint(number);) add(number);
  }

  // Type and shape of a constant, and how much its values take; the values themselves are stepped over.
  void read_tensor(const Field& tensor, Attributes& to) {
    to.constant_bytes = static_cast<int64_t>(tensor.length);
    to.tensor_shape = found_.texts.intern("[]");
    inside(tensor, [&](const Field& f) {
      if (is_message(f, wire::TensorProto::tensor_shape)) to.tensor_shape = found_.texts.intern(shape_text(f));
    });
  }

  std::string shape_text(const Field& shape) {
    std::string found = "[";
    bool unknown = false;
    size_t count = 0;
    inside(shape, [&](const Field& f) {
      if (f.id == wire::TensorShape::unknown_rank && f.type == Type::varint) unknown = f.bits != 0;
      if (!is_message(f, wire::TensorShape::dim) || count++ >= kMostDimensions) return;
      int64_t size = 0;
      inside(f, [&](const Field& d) {
        if (d.id == wire::Dim::size && d.type == Type::varint) size = static_cast<int64_t>(d.bits);
      });
      found += (count > 1 ? "," : "") + (size < 0 ? std::string("?") : std::to_string(size));
    });
    return unknown ? "?" : found + "]";
  }

  // Names of inputs to rows.
  void resolve(Columns& graph) {
    row_of_.resize(found_.texts.size(), -1);
    for (size_t row = 0; row < graph.node.size(); ++row) {
      int32_t& first = row_of_[static_cast<size_t>(graph.node[row])];
      if (first < 0)
        first = static_cast<int32_t>(row);
      else
        ++found_.repeated_names;
    }
    for (size_t i = 0; i < graph.input.size(); ++i) graph.input[i] = row_of_[static_cast<size_t>(graph.input_name[i])];
    for (const int32_t name : graph.node) row_of_[static_cast<size_t>(name)] = -1;
  }

  Space& space_;
  const Limits limits_;
  GraphDef found_;
  uint64_t nodes_ = 0, inputs_ = 0;
  int32_t empty_ = 0;
  std::vector<int32_t> row_of_;
};

}  // namespace

GraphDef read_graph_def(const Origin& origin, uint64_t offset, uint64_t length, const Limits& limits) {
  FileWindow window(origin);
  const uint64_t start = std::min(offset, window.size());
  GraphDef found = Reader<FileWindow>(window, limits).read(start, std::min(length, window.size() - start));
  found.damaged |= start != offset || length > window.size() - start;
  return found;
}

GraphDef read_graph_def(std::string_view bytes, const Limits& limits) {
  wire::MemorySpace space(bytes);
  return Reader<wire::MemorySpace>(space, limits).read(0, bytes.size());
}

}  // namespace stepscope::graph
