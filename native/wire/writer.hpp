// Appends protobuf fields to a string; lengths are computed first, so nothing is ever moved or written twice.
#pragma once

#include <bit>
#include <cstdint>
#include <string>
#include <string_view>

#include "wire/reader.hpp"

namespace stepscope::wire {

constexpr size_t varint_size(uint64_t value) { return (static_cast<size_t>(std::bit_width(value | 1)) + 6) / 7; }

inline void put_varint(std::string& out, uint64_t value) {
  for (; value >= 0x80; value >>= 7) out.push_back(static_cast<char>(value | 0x80));
  out.push_back(static_cast<char>(value));
}

inline void put_fixed32(std::string& out, uint32_t value) {
  char bytes[4];
  for (int i = 0; i < 4; ++i) bytes[i] = static_cast<char>(value >> (8 * i));
  out.append(bytes, 4);
}

inline void put_fixed64(std::string& out, uint64_t value) {
  char bytes[8];
  for (int i = 0; i < 8; ++i) bytes[i] = static_cast<char>(value >> (8 * i));
  out.append(bytes, 8);
}

constexpr uint64_t key(uint32_t field, Type type) { return uint64_t{field} << 3 | static_cast<uint32_t>(type); }

constexpr size_t varint_field_size(uint32_t field, uint64_t value) {
  return varint_size(key(field, Type::varint)) + varint_size(value);
}
constexpr size_t double_field_size(uint32_t field) { return varint_size(key(field, Type::fixed64)) + 8; }
constexpr size_t float_field_size(uint32_t field) { return varint_size(key(field, Type::fixed32)) + 4; }
constexpr size_t bytes_field_size(uint32_t field, size_t length) {
  return varint_size(key(field, Type::bytes)) + varint_size(length) + length;
}

inline void put_varint_field(std::string& out, uint32_t field, uint64_t value) {
  put_varint(out, key(field, Type::varint));
  put_varint(out, value);
}
inline void put_fixed64_field(std::string& out, uint32_t field, uint64_t value) {
  put_varint(out, key(field, Type::fixed64));
  put_fixed64(out, value);
}
inline void put_double_field(std::string& out, uint32_t field, double value) {
  put_fixed64_field(out, field, std::bit_cast<uint64_t>(value));
}
inline void put_float_field(std::string& out, uint32_t field, float value) {
  put_varint(out, key(field, Type::fixed32));
  put_fixed32(out, std::bit_cast<uint32_t>(value));
}
// The head of a message or of bytes whose `length` bytes the caller appends next.
inline void put_length(std::string& out, uint32_t field, size_t length) {
  put_varint(out, key(field, Type::bytes));
  put_varint(out, length);
}
inline void put_bytes_field(std::string& out, uint32_t field, std::string_view bytes) {
  put_length(out, field, bytes.size());
  out.append(bytes);
}

}  // namespace stepscope::wire
