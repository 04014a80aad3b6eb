// Compiled XLA programs for Python: a serialised HloProto in, columns of its instructions and their costs out.
#include <nanobind/nanobind.h>

#include "bindings/arrays.hpp"
#include "profile/hlo_cost.hpp"
#include "profile/text_pool.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace stepscope {
namespace {

using namespace profile;

struct Columns {
  TextPool texts;
  std::vector<int32_t> computation_name, computation_first, computation_last, computation_root;
  std::vector<int32_t> name, opcode, shape, computation, op_name, op_type, source_file, source_line, attributes, literal, target,
      backend_config, fusion_kind, product_type;
  std::vector<int32_t> operand_end, operand, called_end, called;
  std::vector<double> flops, transcendentals, bytes;
  std::vector<int8_t> doubts;
};

int32_t narrow(int64_t number) { return number < 0 || number > INT32_MAX ? 0 : static_cast<int32_t>(number); }

void add_instruction(const hlo::Module& module, const hlo::Instruction& it, const hlo::Cost& cost, Columns& to) {
  to.name.push_back(to.texts.intern(it.name));
  to.opcode.push_back(to.texts.intern(it.opcode));
  to.shape.push_back(to.texts.intern(it.shape.text()));
  to.op_name.push_back(to.texts.intern(it.op_name));
  to.op_type.push_back(to.texts.intern(it.op_type));
  to.source_file.push_back(to.texts.intern(it.source_file));
  to.source_line.push_back(narrow(it.source_line));
  to.attributes.push_back(to.texts.intern(hlo::attributes_of(module, it)));
  to.literal.push_back(to.texts.intern(it.opcode == "parameter" ? std::to_string(it.parameter) : it.literal));
  to.target.push_back(to.texts.intern(it.custom_call_target));
  to.backend_config.push_back(to.texts.intern(it.backend_config));
  to.fusion_kind.push_back(to.texts.intern(it.fusion_kind));
  std::string_view type;
  if (cost.product >= 0) {
    const hlo::Instruction& product = module.instructions[static_cast<size_t>(cost.product)];
    if (!product.operands.empty()) type = hlo::name_of(module.instructions[static_cast<size_t>(product.operands[0])].shape.type);
  }
  to.product_type.push_back(to.texts.intern(type));
  to.operand.insert(to.operand.end(), it.operands.begin(), it.operands.end());
  to.operand_end.push_back(static_cast<int32_t>(to.operand.size()));
  to.called.insert(to.called.end(), it.called.begin(), it.called.end());
  to.called_end.push_back(static_cast<int32_t>(to.called.size()));
  to.flops.push_back(cost.flops);
  to.transcendentals.push_back(cost.transcendentals);
  to.bytes.push_back(cost.bytes);
  to.doubts.push_back(static_cast<int8_t>(cost.doubts));
}

void fill(const hlo::Module& module, Columns& to) {
  const std::vector<hlo::Cost> costs = hlo::costs_of(module);
  for (size_t i = 0; i < module.computations.size(); ++i) {
    const hlo::Computation& computation = module.computations[i];
    to.computation_name.push_back(to.texts.intern(computation.name));
    to.computation_first.push_back(computation.first);
    to.computation_last.push_back(computation.last);
    to.computation_root.push_back(computation.root);
    to.computation.insert(to.computation.end(), static_cast<size_t>(computation.last - computation.first), static_cast<int32_t>(i));
  }
  for (size_t i = 0; i < module.instructions.size(); ++i) add_instruction(module, module.instructions[i], costs[i], to);
}

nb::object text_object(std::string_view text) {
  return nb::steal(PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), "replace"));
}

nb::dict read_hlo(nb::bytes data) {
  hlo::Module module;
  Columns columns;
  {
    const std::string_view bytes(data.c_str(), data.size());
    nb::gil_scoped_release unlocked;
    module = hlo::read_module(bytes);
    fill(module, columns);
  }
  nb::list texts;
  for (size_t i = 0; i < columns.texts.size(); ++i) texts.append(text_object(columns.texts[static_cast<int32_t>(i)]));
  nb::dict found;
  found["name"] = text_object(module.name);
  found["entry"] = module.entry;
  found["damaged"] = module.damaged;
  found["texts"] = texts;
#define STEPSCOPE_ADD_COLUMN(column) found[#column] = to_numpy(std::move(columns.column));
  STEPSCOPE_ADD_COLUMN(computation_name)
  STEPSCOPE_ADD_COLUMN(computation_first)
  STEPSCOPE_ADD_COLUMN(computation_last)
  STEPSCOPE_ADD_COLUMN(computation_root)
  STEPSCOPE_ADD_COLUMN(opcode)
  STEPSCOPE_ADD_COLUMN(shape)
  STEPSCOPE_ADD_COLUMN(computation)
  STEPSCOPE_ADD_COLUMN(op_name)
  STEPSCOPE_ADD_COLUMN(op_type)
  STEPSCOPE_ADD_COLUMN(source_file)
  STEPSCOPE_ADD_COLUMN(source_line)
  STEPSCOPE_ADD_COLUMN(attributes)
  STEPSCOPE_ADD_COLUMN(literal)
  STEPSCOPE_ADD_COLUMN(target)
  STEPSCOPE_ADD_COLUMN(backend_config)
  STEPSCOPE_ADD_COLUMN(fusion_kind)
  STEPSCOPE_ADD_COLUMN(product_type)
  STEPSCOPE_ADD_COLUMN(operand_end)
  STEPSCOPE_ADD_COLUMN(operand)
  STEPSCOPE_ADD_COLUMN(called_end)
  STEPSCOPE_ADD_COLUMN(called)
  STEPSCOPE_ADD_COLUMN(flops)
  STEPSCOPE_ADD_COLUMN(transcendentals)
  STEPSCOPE_ADD_COLUMN(bytes)
  STEPSCOPE_ADD_COLUMN(doubts)
#undef STEPSCOPE_ADD_COLUMN
  found["instruction_name"] = to_numpy(std::move(columns.name));
  return found;
}

}  // namespace

void bind_hlo(nb::module_& m) {
  nb::exception<profile::hlo::Unreadable>(m, "UnreadableHlo", PyExc_ValueError);
  m.def("read_hlo", &read_hlo, "data"_a);
}

}  // namespace stepscope
