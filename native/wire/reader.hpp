// The one place where untrusted protobuf bytes are read: every access is checked against the end of its message.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "wire/little_endian.hpp"

namespace stepscope::wire {

enum class Type : uint32_t { varint = 0, fixed64 = 1, bytes = 2, group_start = 3, group_end = 4, fixed32 = 5 };

// A field of a message. For varint and fixed fields `number` holds the bits; for bytes, [offset, offset + length) is the
// payload's place in the enclosing space, guaranteed to lie inside the message.
struct Field {
  uint32_t id = 0;
  Type type = Type::varint;
  uint64_t bits = 0;
  uint64_t offset = 0;
  uint64_t length = 0;

  float as_float() const {
    const auto narrow = static_cast<uint32_t>(bits);
    float value;
    std::memcpy(&value, &narrow, 4);
    return value;
  }
  double as_double() const {
    double value;
    std::memcpy(&value, &bits, 8);
    return value;
  }
};

// Reads one number after another from bytes in memory; false, and no further use, at the first that is not there.
class Cursor {
 public:
  explicit Cursor(std::string_view bytes) : at_(bytes.data()), end_(at_ + bytes.size()) {}

  size_t left() const { return static_cast<size_t>(end_ - at_); }

  bool byte(uint8_t expected) {
    if (at_ == end_ || static_cast<uint8_t>(*at_) != expected) return false;
    ++at_;
    return true;
  }

  bool varint(uint64_t& value) {
    value = 0;
    for (int shift = 0; at_ < end_ && shift < 70; shift += 7) {
      const auto byte = static_cast<uint8_t>(*at_++);
      value |= static_cast<uint64_t>(byte & 0x7f) << shift;
      if (byte < 0x80) return true;
    }
    return false;
  }

  template <class T>
  bool fixed(T& value) {
    if (left() < sizeof(T)) return false;
    value = little_endian<T>(at_);
    at_ += sizeof(T);
    return true;
  }

  bool text(uint64_t size, std::string_view& value) {
    if (size > left()) return false;
    value = {at_, static_cast<size_t>(size)};
    at_ += size;
    return true;
  }

 private:
  const char* at_;
  const char* end_;
};

// Bytes that are all in memory, the first of them at place `base`.
class MemorySpace {
 public:
  static constexpr bool kInMemory = true;

  explicit MemorySpace(std::string_view bytes, uint64_t base = 0) : bytes_(bytes), base_(base) {}
  // At least `want` readable bytes from `at` on, or fewer at the end of the space.
  std::string_view peek(uint64_t at, size_t) const {
    return at - base_ < bytes_.size() ? bytes_.substr(static_cast<size_t>(at - base_)) : std::string_view{};
  }

 private:
  std::string_view bytes_;
  uint64_t base_;
};

// Walks the fields of one message inside a space: memory, or a file read in windows (anything with kInMemory and peek). After
// next() returns false, ok() tells a message that ended cleanly from a malformed one.
template <class Space>
class FieldWalker {
 public:
  FieldWalker(Space& space, uint64_t begin, uint64_t end) : space_(space), at_(begin), end_(end) {
    if constexpr (Space::kInMemory) {
      const std::string_view bytes = space.peek(begin, 0);
      bytes_ = bytes.data();
      if (end - begin > bytes.size()) end_ = begin + bytes.size();  // never past what there is
    }
  }

  bool next(Field& field) {
    if (at_ >= end_ || !ok_) return false;
    uint64_t key;
    if (!varint(key)) return fail();
    field.id = static_cast<uint32_t>(key >> 3);
    field.type = static_cast<Type>(key & 7);
    if (field.id == 0 || (key >> 3) > 0x1fffffff) return fail();
    switch (field.type) {
      case Type::varint:
        return varint(field.bits) || fail();
      case Type::fixed64:
        return fixed<uint64_t>(field.bits) || fail();
      case Type::fixed32:
        return fixed<uint32_t>(field.bits) || fail();
      case Type::bytes:
        if (!varint(field.length) || field.length > end_ - at_) return fail();
        field.offset = at_;
        advance(field.length);
        return true;
      default:
        return fail();  // groups are not used by any of these messages
    }
  }

  bool ok() const { return ok_; }

 private:
  bool fail() {
    ok_ = false;
    return false;
  }

  // The bytes from here on, cut at the message's end, and at least `want` of them unless it ends before.
  std::string_view ahead(size_t want) {
    if constexpr (Space::kInMemory) {
      return {bytes_, static_cast<size_t>(end_ - at_)};
    } else {
      const std::string_view bytes = space_.peek(at_, want);
      return bytes.substr(0, static_cast<size_t>(std::min<uint64_t>(bytes.size(), end_ - at_)));
    }
  }

  void advance(uint64_t by) {
    at_ += by;
    if constexpr (Space::kInMemory) bytes_ += by;
  }

  bool varint(uint64_t& value) {
    const std::string_view bytes = ahead(10);
    if (!bytes.empty() && static_cast<uint8_t>(bytes[0]) < 0x80) {  // most keys and lengths
      value = static_cast<uint8_t>(bytes[0]);
      advance(1);
      return true;
    }
    value = 0;
    for (size_t i = 0; i < bytes.size() && i < 10; ++i) {
      const auto byte = static_cast<uint8_t>(bytes[i]);
      value |= static_cast<uint64_t>(byte & 0x7f) << (7 * i);
      if (byte < 0x80) {
        advance(i + 1);
        return true;
      }
    }
    return false;
  }

  template <class Bits>
  bool fixed(uint64_t& value) {
    const std::string_view bytes = ahead(sizeof(Bits));
    if (bytes.size() < sizeof(Bits)) return false;
    value = little_endian<Bits>(bytes.data());
    advance(sizeof(Bits));
    return true;
  }

  Space& space_;
  uint64_t at_;
  uint64_t end_;
  const char* bytes_ = nullptr;  // of at_, when all is in memory
  bool ok_ = true;
};

}  // namespace stepscope::wire
