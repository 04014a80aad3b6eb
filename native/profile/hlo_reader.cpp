// Reads an HloProto field by field: every place is checked, nesting and counts are bounded, references are resolved at the end.
#include <algorithm>
#include <bit>
#include <cstdio>
#include <cstdlib>
#include <unordered_map>

#include "profile/hlo_module.hpp"
#include "wire/fields.hpp"
#include "wire/reader.hpp"

namespace stepscope::profile::hlo {
namespace {

using wire::Field;
using wire::Type;
using Walker = wire::FieldWalker<wire::MemorySpace>;

constexpr size_t kMostNumbers = size_t{1} << 16;  // of one list inside an instruction
constexpr uint64_t kLow = 0xffffffff;

struct FileLocation {
  int64_t file = 0, line = 0;
};

// Where instructions come from; the numbers inside begin with 1.
struct StackFrames {
  std::vector<std::string_view> files;
  std::vector<FileLocation> locations;
  std::vector<int64_t> frames;

  void place(Instruction& instruction) const {
    if (instruction.stack_frame < 1 || static_cast<uint64_t>(instruction.stack_frame) > frames.size()) return;
    const int64_t location = frames[static_cast<size_t>(instruction.stack_frame) - 1];
    if (location < 1 || static_cast<uint64_t>(location) > locations.size()) return;
    const auto [file, line] = locations[static_cast<size_t>(location) - 1];
    if (file < 1 || static_cast<uint64_t>(file) > files.size()) return;
    instruction.source_file = files[static_cast<size_t>(file) - 1];
    instruction.source_line = line;
  }
};

class Reader {
 public:
  explicit Reader(std::string_view bytes) : bytes_(bytes), space_(bytes) {}

  Module read() {
    each(0, bytes_.size(), [&](const Field& field) {
      if (field.id == wire::HloProto::hlo_module && field.type == Type::bytes) module(field);
    });
    if (module_.computations.empty()) throw Unreadable("contains no HLO; capture again with enable_hlo_proto.");
    module_.damaged = damaged_;
    for (Instruction& instruction : module_.instructions) frames_.place(instruction);
    resolve();
    return std::move(module_);
  }

 private:
  std::string_view text(const Field& field) const {
    return field.type == Type::bytes ? bytes_.substr(field.offset, field.length) : std::string_view{};
  }

  template <class Visit>
  void each(uint64_t begin, uint64_t end, const Visit& visit) {
    Walker walker(space_, begin, end);
    Field field;
    while (walker.next(field)) visit(field);
    if (!walker.ok()) damaged_ = true;
  }

  template <class Visit>
  void inside(const Field& field, const Visit& visit) {
    if (field.type == Type::bytes) each(field.offset, field.offset + field.length, visit);
  }

  // Repeated numbers, packed or one by one.
  void numbers(const Field& field, std::vector<int64_t>& found, size_t most = kMostNumbers) {
    if (field.type == Type::varint) {
      if (found.size() < most) found.push_back(static_cast<int64_t>(field.bits));
    } else if (field.type == Type::bytes) {
      wire::Cursor cursor(text(field));
      uint64_t value;
      while (cursor.left() > 0 && found.size() < most) {
        if (!cursor.varint(value)) {
          damaged_ = true;
          return;
        }
        found.push_back(static_cast<int64_t>(value));
      }
    }
  }

  void module(const Field& whole) {
    int64_t entry = 0;
    inside(whole, [&](const Field& field) {
      switch (field.id) {
        case wire::HloModuleProto::name:
          module_.name = text(field);
          break;
        case wire::HloModuleProto::computations:
          computation(field);
          break;
        case wire::HloModuleProto::entry_computation_id:
          entry = static_cast<int64_t>(field.bits);
          break;
        case wire::HloModuleProto::stack_frame_index:
          stack_frames(field);
          break;
        default:
          break;
      }
    });
    for (size_t i = 0; i < module_.computations.size(); ++i)
      if (module_.computations[i].id == entry) module_.entry = static_cast<int32_t>(i);
    if (module_.entry < 0) module_.entry = static_cast<int32_t>(module_.computations.size()) - 1;
  }

  void stack_frames(const Field& whole) {
    inside(whole, [&](const Field& field) {
      if (field.id == wire::HloStackFrames::file_names) frames_.files.push_back(text(field));
      if (field.id == wire::HloStackFrames::file_locations) {
        FileLocation location;
        inside(field, [&](const Field& part) {
          if (part.id == wire::HloFileLocation::file_name_id) location.file = static_cast<int64_t>(part.bits);
          if (part.id == wire::HloFileLocation::line) location.line = static_cast<int64_t>(part.bits);
        });
        frames_.locations.push_back(location);
      }
      if (field.id == wire::HloStackFrames::stack_frames) {
        int64_t location = 0;
        inside(field, [&](const Field& part) {
          if (part.id == wire::HloStackFrame::file_location_id) location = static_cast<int64_t>(part.bits);
        });
        frames_.frames.push_back(location);
      }
    });
  }

  void computation(const Field& whole) {
    if (whole.type != Type::bytes) return;
    Computation found;
    found.first = static_cast<int32_t>(module_.instructions.size());
    inside(whole, [&](const Field& field) {
      switch (field.id) {
        case wire::HloComputation::name:
          found.name = text(field);
          break;
        case wire::HloComputation::id:
          found.id = static_cast<int64_t>(field.bits);
          break;
        case wire::HloComputation::root_id:
          found.root_id = static_cast<int64_t>(field.bits);
          break;
        case wire::HloComputation::instructions:
          if (module_.instructions.size() >= kMostInstructions) throw Unreadable("has more instructions than the limit.");
          if (field.type == Type::bytes) module_.instructions.push_back(instruction(field));
          break;
        default:
          break;
      }
    });
    found.last = static_cast<int32_t>(module_.instructions.size());
    module_.computations.push_back(found);
  }

  Instruction instruction(const Field& whole) {
    Instruction found;
    inside(whole, [&](const Field& field) {
      if (!text_field(found, field) && !list_field(found, field)) number_field(found, field);
    });
    return found;
  }

  bool text_field(Instruction& found, const Field& field) {
    std::string_view* place = nullptr;
    switch (field.id) {
      case wire::HloInstruction::name:
        place = &found.name;
        break;
      case wire::HloInstruction::opcode:
        place = &found.opcode;
        break;
      case wire::HloInstruction::fusion_kind:
        place = &found.fusion_kind;
        break;
      case wire::HloInstruction::custom_call_target:
        place = &found.custom_call_target;
        break;
      case wire::HloInstruction::backend_config:
        place = &found.backend_config;
        break;
      case wire::HloInstruction::comparison_direction:
        place = &found.direction;
        break;
      default:
        return false;
    }
    *place = text(field);
    return true;
  }

  void number_field(Instruction& found, const Field& field) {
    if (field.type != Type::varint) return;
    const auto value = static_cast<int64_t>(field.bits);
    switch (field.id) {
      case wire::HloInstruction::id:
        found.id = value;
        break;
      case wire::HloInstruction::parameter_number:
        found.parameter = value;
        break;
      case wire::HloInstruction::tuple_index:
        found.tuple_index = value;
        break;
      case wire::HloInstruction::channel_id:
        found.channel = value;
        break;
      case wire::HloInstruction::feature_group_count:
        found.feature_groups = std::max<int64_t>(1, value);
        break;
      case wire::HloInstruction::batch_group_count:
        found.batch_groups = std::max<int64_t>(1, value);
        break;
      default:
        break;
    }
  }

  bool list_field(Instruction& found, const Field& field) {
    switch (field.id) {
      case wire::HloInstruction::shape:
        found.shape = shape(field, 0);
        return true;
      case wire::HloInstruction::metadata:
        metadata(found, field);
        return true;
      case wire::HloInstruction::literal:
        found.literal = literal(field);
        return true;
      case wire::HloInstruction::dimensions:
        numbers(field, found.dimensions, kMostDimensions);
        return true;
      case wire::HloInstruction::dynamic_slice_sizes:
      case wire::HloInstruction::gather_slice_sizes:
        numbers(field, found.slice_sizes, kMostDimensions);
        return true;
      case wire::HloInstruction::operand_ids:
        numbers(field, found.operand_ids);
        return true;
      case wire::HloInstruction::called_computation_ids:
        numbers(field, found.called_ids);
        return true;
      case wire::HloInstruction::window:
        inside(field, [&](const Field& part) {
          if (part.id == wire::HloWindow::dimensions && found.window.size() < kMostDimensions) found.window.push_back(window(part));
        });
        return true;
      case wire::HloInstruction::slice_dimensions:
        if (found.slices.size() < kMostDimensions) found.slices.push_back(three(field, 1));
        return true;
      case wire::HloInstruction::padding_config:
        inside(field, [&](const Field& part) {
          if (part.id == wire::HloPadding::dimensions && found.padding.size() < kMostDimensions)
            found.padding.push_back(three(part, 0));
        });
        return true;
      case wire::HloInstruction::replica_groups:
        replica_group(found, field);
        return true;
      case wire::HloInstruction::collective_device_list:
        inside(field, [&](const Field& part) {
          if (part.id == wire::HloDeviceList::replica_groups) replica_group(found, part);
        });
        return true;
      case wire::HloInstruction::convolution_dimension_numbers:
        convolution(found, field);
        return true;
      case wire::HloInstruction::dot_dimension_numbers:
        dot(found, field);
        return true;
      default:
        return false;
    }
  }

  // Slices and paddings are three numbers each, in fields 1 to 3.
  std::array<int64_t, 3> three(const Field& whole, int64_t last) {
    static_assert(wire::HloSlice::stride == 3 && wire::HloPaddingDimension::interior_padding == 3);
    std::array<int64_t, 3> found{0, 0, last};
    inside(whole, [&](const Field& field) {
      if (field.type == Type::varint && field.id >= 1 && field.id <= 3) found[field.id - 1] = static_cast<int64_t>(field.bits);
    });
    return found;
  }

  void replica_group(Instruction& found, const Field& whole) {
    if (found.replica_groups.size() >= kMostNumbers) return;
    std::vector<int64_t> group;
    inside(whole, [&](const Field& field) {
      if (field.id == wire::HloReplicaGroup::replica_ids) numbers(field, group);
    });
    found.replica_groups.push_back(std::move(group));
  }

  void metadata(Instruction& found, const Field& whole) {
    inside(whole, [&](const Field& field) {
      if (field.id == wire::HloOpMetadata::op_type) found.op_type = text(field);
      if (field.id == wire::HloOpMetadata::op_name) found.op_name = text(field);
      if (field.id == wire::HloOpMetadata::source_file) found.source_file = text(field);
      if (field.id == wire::HloOpMetadata::source_line) found.source_line = static_cast<int64_t>(field.bits);
      if (field.id == wire::HloOpMetadata::stack_frame_id) found.stack_frame = static_cast<int64_t>(field.bits);
    });
  }

  Shape shape(const Field& whole, int depth) {
    Shape found;
    if (depth > kDeepestTuple || ++shapes_ > kMostShapes) throw Unreadable("has more or deeper nested shapes than the limit.");
    inside(whole, [&](const Field& field) {
      switch (field.id) {
        case wire::HloShape::element_type:
          found.type = static_cast<ElementType>(field.bits < 256 ? field.bits : 0);
          break;
        case wire::HloShape::dimensions:
          numbers(field, found.dimensions, kMostDimensions);
          break;
        case wire::HloShape::tuple_shapes:
          found.parts.push_back(shape(field, depth + 1));
          break;
        case wire::HloShape::layout:
          layout(found, field);
          break;
        default:
          break;
      }
    });
    return found;
  }

  void layout(Shape& found, const Field& whole) {
    inside(whole, [&](const Field& field) {
      switch (field.id) {
        case wire::HloLayout::minor_to_major:
          numbers(field, found.minor_to_major, kMostDimensions);
          break;
        case wire::HloLayout::element_size_in_bits:
          found.bits = static_cast<uint32_t>(std::min<uint64_t>(field.bits, 1024));
          break;
        case wire::HloLayout::memory_space:
          found.memory_space = static_cast<uint32_t>(field.bits);
          break;
        case wire::HloLayout::tiles:
          if (found.tiles.size() < kMostDimensions) {
            found.tiles.emplace_back();
            inside(field, [&](const Field& part) {
              if (part.id == wire::HloTile::dimensions) numbers(part, found.tiles.back(), kMostDimensions);
            });
          }
          break;
        default:
          break;
      }
    });
  }

  WindowDimension window(const Field& whole) {
    WindowDimension found;
    inside(whole, [&](const Field& field) {
      const auto value = static_cast<int64_t>(field.bits);
      if (field.type != Type::varint) return;
      if (field.id == wire::HloWindowDimension::size) found.size = value;
      if (field.id == wire::HloWindowDimension::stride) found.stride = value;
      if (field.id == wire::HloWindowDimension::padding_low) found.padding_low = value;
      if (field.id == wire::HloWindowDimension::padding_high) found.padding_high = value;
      if (field.id == wire::HloWindowDimension::window_dilation) found.window_dilation = value;
      if (field.id == wire::HloWindowDimension::base_dilation) found.base_dilation = value;
    });
    return found;
  }

  void convolution(Instruction& found, const Field& whole) {
    ConvolutionDimensions& places = found.convolution;
    found.has_convolution = true;
    inside(whole, [&](const Field& field) {
      const auto value = static_cast<int64_t>(field.bits);
      switch (field.id) {
        case wire::HloConvolution::input_batch_dimension:
          places.input_batch = value;
          break;
        case wire::HloConvolution::input_feature_dimension:
          places.input_feature = value;
          break;
        case wire::HloConvolution::kernel_input_feature_dimension:
          places.kernel_input_feature = value;
          break;
        case wire::HloConvolution::kernel_output_feature_dimension:
          places.kernel_output_feature = value;
          break;
        case wire::HloConvolution::output_batch_dimension:
          places.output_batch = value;
          break;
        case wire::HloConvolution::output_feature_dimension:
          places.output_feature = value;
          break;
        case wire::HloConvolution::input_spatial_dimensions:
          numbers(field, places.input_spatial, kMostDimensions);
          break;
        case wire::HloConvolution::kernel_spatial_dimensions:
          numbers(field, places.kernel_spatial, kMostDimensions);
          break;
        case wire::HloConvolution::output_spatial_dimensions:
          numbers(field, places.output_spatial, kMostDimensions);
          break;
        default:
          break;
      }
    });
  }

  void dot(Instruction& found, const Field& whole) {
    found.has_dot = true;
    inside(whole, [&](const Field& field) {
      if (field.id == wire::HloDot::lhs_contracting_dimensions) numbers(field, found.dot.lhs_contracting, kMostDimensions);
      if (field.id == wire::HloDot::rhs_contracting_dimensions) numbers(field, found.dot.rhs_contracting, kMostDimensions);
      if (field.id == wire::HloDot::lhs_batch_dimensions) numbers(field, found.dot.lhs_batch, kMostDimensions);
      if (field.id == wire::HloDot::rhs_batch_dimensions) numbers(field, found.dot.rhs_batch, kMostDimensions);
    });
  }

  // A constant of a single number as text; of anything larger, nothing.
  std::string literal(const Field& whole) {
    std::string found;
    inside(whole, [&](const Field& field) {
      const std::string_view values = text(field);
      wire::Cursor cursor(values);
      uint64_t bits = 0;
      switch (field.id) {
        case wire::HloLiteral::preds:
          if (values.size() == 1) found = values[0] ? "true" : "false";
          break;
        case wire::HloLiteral::s32s:
        case wire::HloLiteral::s64s:
          if (cursor.varint(bits) && cursor.left() == 0) found = std::to_string(static_cast<int64_t>(bits));
          break;
        case wire::HloLiteral::u32s:
        case wire::HloLiteral::u64s:
          if (cursor.varint(bits) && cursor.left() == 0) found = std::to_string(bits);
          break;
        case wire::HloLiteral::f32s:
          if (values.size() == 4) found = shortest(std::bit_cast<float>(wire::little_endian<uint32_t>(values.data())), 9);
          break;
        case wire::HloLiteral::f64s:
          if (values.size() == 8) found = shortest(std::bit_cast<double>(wire::little_endian<uint64_t>(values.data())), 17);
          break;
        default:
          break;
      }
    });
    return found;
  }

  // The fewest digits that tell the number.
  template <class Real>
  static std::string shortest(Real value, int most) {
    char text[40];
    for (int digits = 1; digits <= most; ++digits) {
      std::snprintf(text, sizeof text, "%.*g", digits, static_cast<double>(value));
      if (static_cast<Real>(std::strtod(text, nullptr)) == value) break;
    }
    return text;
  }

  // Ids become places. An instruction's id may carry its computation's in the upper half, where its operands' do not.
  void resolve() {
    std::unordered_map<int64_t, int32_t> computations;
    for (size_t i = 0; i < module_.computations.size(); ++i) computations.emplace(module_.computations[i].id, static_cast<int32_t>(i));
    std::unordered_map<int64_t, int32_t> whole, low;
    for (Computation& computation : module_.computations) {
      whole.clear();
      low.clear();
      for (int32_t i = computation.first; i < computation.last; ++i) {
        const int64_t id = module_.instructions[static_cast<size_t>(i)].id;
        whole.emplace(id, i);
        low.emplace(static_cast<int64_t>(static_cast<uint64_t>(id) & kLow), i);
      }
      const auto find = [&](int64_t id) {
        if (const auto it = whole.find(id); it != whole.end()) return it->second;
        const auto it = low.find(static_cast<int64_t>(static_cast<uint64_t>(id) & kLow));
        return it != low.end() ? it->second : -1;
      };
      computation.root = find(computation.root_id);
      for (int32_t i = computation.first; i < computation.last; ++i) {
        Instruction& instruction = module_.instructions[static_cast<size_t>(i)];
        for (const int64_t id : instruction.operand_ids)
          if (const int32_t place = find(id); place >= 0) instruction.operands.push_back(place);
        for (const int64_t id : instruction.called_ids)
          if (const auto it = computations.find(id); it != computations.end()) instruction.called.push_back(it->second);
      }
    }
  }

  std::string_view bytes_;
  wire::MemorySpace space_;
  Module module_;
  StackFrames frames_;
  size_t shapes_ = 0;
  bool damaged_ = false;
};

}  // namespace

Module read_module(std::string_view bytes) { return Reader(bytes).read(); }

}  // namespace stepscope::profile::hlo
