// Little-endian numbers from bytes at any address, as one load where the machine's own order is the same.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace stepscope::wire {

template <class T>
T little_endian(const char* bytes) {
  if constexpr (std::endian::native == std::endian::little) {
    T value;
    std::memcpy(&value, bytes, sizeof(T));
    return value;
  } else {
    T value = 0;
    for (size_t i = 0; i < sizeof(T); ++i) value |= static_cast<T>(static_cast<uint8_t>(bytes[i])) << (8 * i);
    return value;
  }
}

}  // namespace stepscope::wire
