// Decodes the single element of a TensorProto: from tensor_content when it is there, else from the typed list.
#include "tensor_scalar.hpp"

#include <cmath>
#include <cstring>
#include <limits>

#include "wire/fields.hpp"
#include "wire/reader.hpp"

namespace stepscope {
namespace {

using wire::DataType;

// A float of 1 sign bit, `exponent_bits` and `mantissa_bits`, as IEEE 754 reads it (infinities and NaN in the top exponent).
double ieee(uint32_t bits, int exponent_bits, int mantissa_bits) {
  const uint32_t mantissa = bits & ((1u << mantissa_bits) - 1);
  const uint32_t exponent = (bits >> mantissa_bits) & ((1u << exponent_bits) - 1);
  const double sign = (bits >> (exponent_bits + mantissa_bits)) & 1 ? -1.0 : 1.0;
  const int bias = (1 << (exponent_bits - 1)) - 1;
  if (exponent == (1u << exponent_bits) - 1)
    return mantissa ? std::numeric_limits<double>::quiet_NaN() : sign * std::numeric_limits<double>::infinity();
  if (exponent == 0) return sign * std::ldexp(static_cast<double>(mantissa), 1 - bias - mantissa_bits);
  return sign * std::ldexp(static_cast<double>(mantissa | (1u << mantissa_bits)), static_cast<int>(exponent) - bias - mantissa_bits);
}

// The float8 formats without infinities: NaN is one bit pattern (0x80 for the "uz" ones, all ones below the sign for e4m3fn).
double float8(uint8_t bits, int exponent_bits, int mantissa_bits, int bias, bool unsigned_zero) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  if (unsigned_zero ? bits == 0x80 : (bits & 0x7f) == 0x7f) return nan;
  const int mantissa = bits & ((1 << mantissa_bits) - 1);
  const int exponent = (bits >> mantissa_bits) & ((1 << exponent_bits) - 1);
  const double sign = bits & 0x80 ? -1.0 : 1.0;
  if (exponent == 0) return sign * std::ldexp(mantissa, 1 - bias - mantissa_bits);
  return sign * std::ldexp(mantissa | (1 << mantissa_bits), exponent - bias - mantissa_bits);
}

template <class T>
double load(std::string_view bytes) {
  T value;
  std::memcpy(&value, bytes.data(), sizeof(T));
  return static_cast<double>(value);
}

size_t element_size(DataType type) {
  switch (type) {
    case DataType::float64:
    case DataType::int64:
    case DataType::uint64:
      return 8;
    case DataType::float32:
    case DataType::int32:
    case DataType::uint32:
      return 4;
    case DataType::int16:
    case DataType::uint16:
    case DataType::half:
    case DataType::bfloat16:
      return 2;
    case DataType::int8:
    case DataType::uint8:
    case DataType::boolean:
    case DataType::float8_e5m2:
    case DataType::float8_e4m3fn:
    case DataType::float8_e4m3fnuz:
    case DataType::float8_e4m3b11fnuz:
    case DataType::float8_e5m2fnuz:
    case DataType::int4:
    case DataType::uint4:
      return 1;
    default:
      return 0;  // strings, complex numbers, resources: not a number
  }
}

double small_float(DataType type, uint32_t bits) {
  const auto byte = static_cast<uint8_t>(bits);
  switch (type) {
    case DataType::half:
      return ieee(bits & 0xffff, 5, 10);
    case DataType::bfloat16:
      return ieee(bits & 0xffff, 8, 7);
    case DataType::float8_e5m2:
      return ieee(byte, 5, 2);
    case DataType::float8_e4m3fn:
      return float8(byte, 4, 3, 7, false);
    case DataType::float8_e4m3fnuz:
      return float8(byte, 4, 3, 8, true);
    case DataType::float8_e4m3b11fnuz:
      return float8(byte, 4, 3, 11, true);
    default:
      return float8(byte, 5, 2, 16, true);
  }
}

double from_content(DataType type, std::string_view bytes) {
  switch (type) {
    case DataType::float32:
      return load<float>(bytes);
    case DataType::float64:
      return load<double>(bytes);
    case DataType::int32:
      return load<int32_t>(bytes);
    case DataType::uint32:
      return load<uint32_t>(bytes);
    case DataType::int64:
      return load<int64_t>(bytes);
    case DataType::uint64:
      return load<uint64_t>(bytes);
    case DataType::int16:
      return load<int16_t>(bytes);
    case DataType::uint16:
      return load<uint16_t>(bytes);
    case DataType::int8:
      return load<int8_t>(bytes);
    case DataType::uint8:
      return load<uint8_t>(bytes);
    case DataType::boolean:
      return bytes[0] != 0;
    case DataType::int4:
      return static_cast<int8_t>(static_cast<uint8_t>(bytes[0]) << 4) / 16;
    case DataType::uint4:
      return static_cast<uint8_t>(bytes[0]) & 15;
    case DataType::half:
    case DataType::bfloat16:
      return small_float(type, static_cast<uint8_t>(bytes[0]) | static_cast<uint32_t>(static_cast<uint8_t>(bytes[1])) << 8);
    default:
      return small_float(type, static_cast<uint8_t>(bytes[0]));
  }
}

// The field whose list holds elements of a type.
uint32_t list_field(DataType type) {
  switch (type) {
    case DataType::float32:
      return wire::TensorProto::float_val;
    case DataType::float64:
      return wire::TensorProto::double_val;
    case DataType::int64:
      return wire::TensorProto::int64_val;
    case DataType::boolean:
      return wire::TensorProto::bool_val;
    case DataType::half:
    case DataType::bfloat16:
      return wire::TensorProto::half_val;
    case DataType::uint32:
      return wire::TensorProto::uint32_val;
    case DataType::uint64:
      return wire::TensorProto::uint64_val;
    case DataType::float8_e5m2:
    case DataType::float8_e4m3fn:
    case DataType::float8_e4m3fnuz:
    case DataType::float8_e4m3b11fnuz:
    case DataType::float8_e5m2fnuz:
      return wire::TensorProto::float8_val;
    default:
      return wire::TensorProto::int_val;
  }
}

double from_bits(DataType type, const wire::Field& field) {
  switch (type) {
    case DataType::float32:
      return field.as_float();
    case DataType::float64:
      return field.as_double();
    case DataType::uint64:
      return static_cast<double>(field.bits);
    case DataType::uint32:
      return static_cast<double>(static_cast<uint32_t>(field.bits));
    case DataType::int64:
      return static_cast<double>(static_cast<int64_t>(field.bits));
    case DataType::boolean:
      return field.bits != 0;
    case DataType::half:
    case DataType::bfloat16:
      return small_float(type, static_cast<uint32_t>(field.bits));
    default:
      return static_cast<double>(static_cast<int32_t>(field.bits));
  }
}

// The first element of a packed list.
std::optional<double> first_packed(DataType type, std::string_view packed) {
  if (packed.empty()) return std::nullopt;
  if (list_field(type) == wire::TensorProto::float8_val) return small_float(type, static_cast<uint8_t>(packed[0]));
  if (type == DataType::float32) return packed.size() >= 4 ? std::optional(load<float>(packed)) : std::nullopt;
  if (type == DataType::float64) return packed.size() >= 8 ? std::optional(load<double>(packed)) : std::nullopt;
  wire::Field field;
  for (size_t i = 0; i < packed.size() && i < 10; ++i) {
    const auto byte = static_cast<uint8_t>(packed[i]);
    field.bits |= static_cast<uint64_t>(byte & 0x7f) << (7 * i);
    if (byte < 0x80) return from_bits(type, field);
  }
  return std::nullopt;
}

// Whether a shape (absent: rank 0) stands for exactly one element.
bool has_one_element(std::string_view shape) {
  wire::MemorySpace space(shape);
  wire::FieldWalker dims(space, 0, shape.size());
  wire::Field field;
  while (dims.next(field)) {
    if (field.id == wire::TensorShape::unknown_rank && field.bits) return false;
    if (field.id != wire::TensorShape::dim || field.type != wire::Type::bytes) continue;
    uint64_t size = 0;
    wire::FieldWalker dim(space, field.offset, field.offset + field.length);
    wire::Field part;
    while (dim.next(part))
      if (part.id == wire::Dim::size && part.type == wire::Type::varint) size = part.bits;
    if (!dim.ok() || size != 1) return false;
  }
  return dims.ok();
}

}  // namespace

std::optional<double> tensor_scalar(std::string_view tensor) {
  // The two forms that nearly all are in: a float without dimensions as TensorFlow writes it, and torch's packed list of one.
  constexpr std::string_view kContent("\x08\x01\x12\x00\x22\x04", 6), kList("\x08\x01\x2a\x04", 4);
  if (tensor.size() == kContent.size() + 4 && tensor.starts_with(kContent)) return load<float>(tensor.substr(kContent.size()));
  if (tensor.size() == kList.size() + 4 && tensor.starts_with(kList)) return load<float>(tensor.substr(kList.size()));
  wire::MemorySpace space(tensor);
  wire::FieldWalker fields(space, 0, tensor.size());
  wire::Field field;
  DataType type = DataType::invalid;
  std::string_view content, shape;
  wire::Field lists[19];  // the last occurrence of each field, by number
  while (fields.next(field)) {
    if (field.id == wire::TensorProto::dtype)
      type = static_cast<DataType>(field.bits);
    else if (field.id == wire::TensorProto::tensor_content && field.type == wire::Type::bytes)
      content = tensor.substr(field.offset, field.length);
    else if (field.id == wire::TensorProto::tensor_shape && field.type == wire::Type::bytes)
      shape = tensor.substr(field.offset, field.length);
    else if (field.id < 19)
      lists[field.id] = field;
  }
  const size_t size = element_size(type);
  if (!fields.ok() || size == 0 || !has_one_element(shape)) return std::nullopt;
  if (!content.empty()) return content.size() == size ? std::optional(from_content(type, content)) : std::nullopt;
  const wire::Field& list = lists[list_field(type)];
  if (list.id == 0) return 0.0;  // an empty list stands for zeros
  if (list.type == wire::Type::bytes) return first_packed(type, tensor.substr(list.offset, list.length));
  return from_bits(type, list);
}

}  // namespace stepscope
