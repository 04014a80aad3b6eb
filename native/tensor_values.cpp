// Decodes whole tensors: from tensor_content when it is there, else from the typed list, packed or not.
#include "tensor_values.hpp"

#include <algorithm>

#include "wire/fields.hpp"
#include "wire/little_endian.hpp"
#include "wire/reader.hpp"

namespace stepscope {
namespace {

using wire::DataType;
using wire::Field;
using wire::Type;

constexpr size_t kMostDimensions = 8;

template <class T>
void append(std::string_view bytes, size_t most, std::vector<double>& values) {
  const size_t count = std::min(bytes.size() / sizeof(T), most - std::min(most, values.size()));
  for (size_t i = 0; i < count; ++i) values.push_back(static_cast<double>(wire::little_endian<T>(bytes.data() + i * sizeof(T))));
}

bool read_shape(std::string_view shape, std::vector<int64_t>& sizes) {
  wire::MemorySpace space(shape);
  wire::FieldWalker fields(space, 0, shape.size());
  Field field;
  while (fields.next(field)) {
    if (field.id == wire::TensorShape::unknown_rank && field.bits) return false;
    if (field.id != wire::TensorShape::dim || field.type != Type::bytes) continue;
    int64_t size = 0;
    wire::FieldWalker dim(space, field.offset, field.offset + field.length);
    Field part;
    while (dim.next(part))
      if (part.id == wire::Dim::size && part.type == Type::varint) size = static_cast<int64_t>(part.bits);
    if (!dim.ok() || size < 0 || sizes.size() == kMostDimensions) return false;
    sizes.push_back(size);
  }
  return fields.ok();
}

// How many values the shape stands for; `most` + 1 when they are more than that.
size_t count_of(const std::vector<int64_t>& shape, size_t most) {
  if (std::ranges::count(shape, 0) > 0) return 0;
  size_t count = 1;
  for (const int64_t size : shape) {
    if (static_cast<uint64_t>(size) > most / count) return most + 1;
    count *= static_cast<size_t>(size);
  }
  return count;
}

}  // namespace

bool tensor_values(std::string_view tensor, size_t most, TensorValues& out) {
  out.shape.clear();
  out.values.clear();
  DataType type = DataType::invalid;
  std::string_view content, shape;
  wire::MemorySpace space(tensor);
  {
    wire::FieldWalker fields(space, 0, tensor.size());
    Field field;
    while (fields.next(field)) {
      if (field.id == wire::TensorProto::dtype && field.type == Type::varint) type = static_cast<DataType>(field.bits);
      if (field.type != Type::bytes) continue;
      if (field.id == wire::TensorProto::tensor_content) content = tensor.substr(field.offset, field.length);
      if (field.id == wire::TensorProto::tensor_shape) shape = tensor.substr(field.offset, field.length);
    }
    if (!fields.ok()) return false;
  }
  const bool wide = type == DataType::float64;
  if ((!wide && type != DataType::float32) || !read_shape(shape, out.shape)) return false;
  const size_t count = count_of(out.shape, most);
  if (count > most) return false;
  if (!content.empty()) {
    if (content.size() != count * (wide ? 8 : 4)) return false;
    out.values.reserve(count);
    wide ? append<double>(content, count, out.values) : append<float>(content, count, out.values);
    return true;
  }
  wire::FieldWalker fields(space, 0, tensor.size());
  Field field;
  const uint32_t list = wide ? wire::TensorProto::double_val : wire::TensorProto::float_val;
  while (fields.next(field)) {
    if (field.id != list) continue;
    if (field.type == Type::bytes) {
      const std::string_view packed = tensor.substr(field.offset, field.length);
      wide ? append<double>(packed, count + 1, out.values) : append<float>(packed, count + 1, out.values);
    } else if (field.type == (wide ? Type::fixed64 : Type::fixed32) && out.values.size() <= count) {
      out.values.push_back(wide ? field.as_double() : field.as_float());
    }
  }
  if (out.values.size() <= 1) out.values.resize(count, out.values.empty() ? 0.0 : out.values[0]);
  return out.values.size() == count;
}

}  // namespace stepscope
