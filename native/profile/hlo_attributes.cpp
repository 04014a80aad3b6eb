// What follows an instruction's operands in its text, in the words XLA itself uses.
#include "profile/hlo_module.hpp"

namespace stepscope::profile::hlo {
namespace {

std::string joined(const std::vector<int64_t>& numbers, char between = ',') {
  std::string text;
  for (size_t i = 0; i < numbers.size(); ++i) text += (i > 0 ? std::string(1, between) : "") + std::to_string(numbers[i]);
  return text;
}

std::string braced(const std::vector<int64_t>& numbers) { return '{' + joined(numbers) + '}'; }

template <class Make>
std::string per_dimension(const std::vector<WindowDimension>& window, const Make& make) {
  std::string text;
  for (const WindowDimension& dimension : window) text += (text.empty() ? "" : "x") + make(dimension);
  return text;
}

std::string window_text(const std::vector<WindowDimension>& window) {
  bool strided = false, padded = false, dilated = false, spread = false;
  for (const WindowDimension& d : window) {
    strided |= d.stride != 1;
    padded |= d.padding_low != 0 || d.padding_high != 0;
    dilated |= d.window_dilation != 1;
    spread |= d.base_dilation != 1;
  }
  std::string text = "size=" + per_dimension(window, [](const auto& d) { return std::to_string(d.size); });
  if (strided) text += " stride=" + per_dimension(window, [](const auto& d) { return std::to_string(d.stride); });
  if (padded)
    text += " pad=" +
            per_dimension(window, [](const auto& d) { return std::to_string(d.padding_low) + '_' + std::to_string(d.padding_high); });
  if (spread) text += " lhs_dilate=" + per_dimension(window, [](const auto& d) { return std::to_string(d.base_dilation); });
  if (dilated) text += " rhs_dilate=" + per_dimension(window, [](const auto& d) { return std::to_string(d.window_dilation); });
  return '{' + text + '}';
}

// One letter a dimension, such as b01f: batch, spatial 0 and 1, feature. Impossible places are left out.
std::string labels(int64_t first, char first_letter, int64_t second, char second_letter, const std::vector<int64_t>& spatial) {
  std::string text(spatial.size() + 2, '?');
  const auto put = [&](int64_t place, char letter) {
    if (place >= 0 && static_cast<uint64_t>(place) < text.size()) text[static_cast<size_t>(place)] = letter;
  };
  put(first, first_letter);
  put(second, second_letter);
  for (size_t i = 0; i < spatial.size(); ++i) put(spatial[i], static_cast<char>('0' + i % 10));
  return text;
}

std::string dim_labels(const ConvolutionDimensions& d) {
  return labels(d.input_batch, 'b', d.input_feature, 'f', d.input_spatial) + '_' +
         labels(d.kernel_input_feature, 'i', d.kernel_output_feature, 'o', d.kernel_spatial) + "->" +
         labels(d.output_batch, 'b', d.output_feature, 'f', d.output_spatial);
}

class Attributes {
 public:
  void add(std::string_view key, std::string_view value) {
    if (!text.empty()) text += ", ";
    text.append(key).append("=").append(value);
  }
  void add(std::string_view key, const std::vector<int64_t>& numbers) {
    if (!numbers.empty()) add(key, braced(numbers));
  }

  std::string text;
};

void add_called(const Module& module, const Instruction& instruction, Attributes& attributes) {
  const auto name = [&](size_t place) {
    return '%' + std::string(module.computations[static_cast<size_t>(instruction.called[place])].name);
  };
  if (instruction.called.empty()) return;
  if (instruction.opcode == "while" && instruction.called.size() == 2) {
    attributes.add("condition", name(1));
    attributes.add("body", name(0));
  } else if (instruction.called.size() == 1) {
    const bool calls = instruction.opcode == "fusion" || instruction.opcode.starts_with("async");
    attributes.add(calls ? "calls" : "to_apply", name(0));
  } else {
    std::string all;
    for (size_t i = 0; i < instruction.called.size(); ++i) all += (i > 0 ? ", " : "") + name(i);
    attributes.add(instruction.opcode == "conditional" ? "branch_computations" : "called_computations", '{' + all + '}');
  }
}

void add_places(const Instruction& instruction, Attributes& attributes) {
  if (!instruction.slices.empty()) {
    std::string all;
    for (const auto& [start, limit, stride] : instruction.slices) {
      all += (all.empty() ? "[" : ", [") + std::to_string(start) + ':' + std::to_string(limit);
      all += (stride == 1 ? "" : ':' + std::to_string(stride)) + ']';
    }
    attributes.add("slice", '{' + all + '}');
  }
  if (!instruction.padding.empty()) {
    std::string all;
    for (const auto& [low, high, interior] : instruction.padding) {
      all += (all.empty() ? "" : "x") + std::to_string(low) + '_' + std::to_string(high);
      if (interior != 0) all += '_' + std::to_string(interior);
    }
    attributes.add("padding", all);
  }
  if (!instruction.replica_groups.empty()) {
    std::string all;
    for (const auto& group : instruction.replica_groups) all += (all.empty() ? "" : ",") + braced(group);
    attributes.add("replica_groups", '{' + all + '}');
  }
}

}  // namespace

std::string attributes_of(const Module& module, const Instruction& instruction) {
  Attributes found;
  if (instruction.opcode == "get-tuple-element") found.add("index", std::to_string(instruction.tuple_index));
  found.add(instruction.opcode == "iota" ? "iota_dimension" : "dimensions", instruction.dimensions);
  if (!instruction.window.empty()) found.add("window", window_text(instruction.window));
  if (instruction.has_convolution) found.add("dim_labels", dim_labels(instruction.convolution));
  if (instruction.feature_groups != 1) found.add("feature_group_count", std::to_string(instruction.feature_groups));
  if (instruction.batch_groups != 1) found.add("batch_group_count", std::to_string(instruction.batch_groups));
  if (instruction.has_dot) {
    found.add("lhs_batch_dims", instruction.dot.lhs_batch);
    found.add("lhs_contracting_dims", instruction.dot.lhs_contracting);
    found.add("rhs_batch_dims", instruction.dot.rhs_batch);
    found.add("rhs_contracting_dims", instruction.dot.rhs_contracting);
  }
  found.add(instruction.opcode == "gather" ? "slice_sizes" : "dynamic_slice_sizes", instruction.slice_sizes);
  if (!instruction.direction.empty()) found.add("direction", instruction.direction);
  if (!instruction.custom_call_target.empty()) found.add("custom_call_target", '"' + std::string(instruction.custom_call_target) + '"');
  if (!instruction.fusion_kind.empty()) found.add("kind", instruction.fusion_kind);
  if (instruction.channel != 0) found.add("channel_id", std::to_string(instruction.channel));
  add_places(instruction, found);
  add_called(module, instruction, found);
  return std::move(found.text);
}

}  // namespace stepscope::profile::hlo
