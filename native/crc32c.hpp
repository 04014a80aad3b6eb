// CRC-32C (Castagnoli), with the CPU's instruction where there is one, and TFRecord's mask over it.
#pragma once

#include <cstddef>
#include <cstdint>

namespace stepscope {

// The checksum of size bytes; `seed` continues an earlier one, so large records can be checked in pieces.
uint32_t crc32c(const void* data, size_t size, uint32_t seed = 0);

// The same by table, for CPUs without the instruction; exposed so that tests can hold the two together.
uint32_t crc32c_table(const void* data, size_t size, uint32_t seed = 0);

bool crc32c_is_hardware();

// TFRecord stores a rotated and offset checksum, because a CRC of data that holds CRCs is weak.
constexpr uint32_t mask_crc(uint32_t crc) { return ((crc >> 15) | (crc << 17)) + 0xa282ead8u; }

}  // namespace stepscope
