// CRC-32C by instruction (x86 SSE4.2, ARMv8 CRC) or by eight tables; the choice is made once, at start.
#include "crc32c.hpp"

#include <array>
#include <cstring>

#if !defined(STEPSCOPE_NO_CRC_INSTRUCTION)
#if defined(__x86_64__) || defined(_M_X64)
#define STEPSCOPE_CRC_X86 1
#include <nmmintrin.h>
#if defined(_MSC_VER)
#include <intrin.h>
#endif
#elif defined(__aarch64__) && (defined(__linux__) || defined(__APPLE__))
#define STEPSCOPE_CRC_ARM 1
#include <arm_acle.h>
#if defined(__linux__)
#include <sys/auxv.h>
#endif
#endif
#endif

namespace stepscope {
namespace {

using Tables = std::array<std::array<uint32_t, 256>, 8>;

constexpr Tables make_tables() {
  Tables tables{};
  for (uint32_t i = 0; i < 256; ++i) {
    uint32_t crc = i;
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ ((crc & 1) ? 0x82f63b78u : 0u);
    tables[0][i] = crc;
  }
  for (size_t t = 1; t < 8; ++t)
    for (size_t i = 0; i < 256; ++i) tables[t][i] = (tables[t - 1][i] >> 8) ^ tables[0][tables[t - 1][i] & 0xff];
  return tables;
}

constexpr Tables kTables = make_tables();

#if defined(STEPSCOPE_CRC_X86)
bool has_instruction() {
#if defined(_MSC_VER)
  int info[4];
  __cpuid(info, 1);
  return (info[2] & (1 << 20)) != 0;
#else
  return __builtin_cpu_supports("sse4.2");
#endif
}

#if !defined(_MSC_VER)
__attribute__((target("sse4.2")))
#endif
uint32_t by_instruction(const void* data, size_t size, uint32_t seed) {
  const auto* p = static_cast<const uint8_t*>(data);
  uint64_t crc = static_cast<uint32_t>(~seed);
  for (; size >= 8; p += 8, size -= 8) {
    uint64_t word;
    std::memcpy(&word, p, 8);
    crc = _mm_crc32_u64(crc, word);
  }
  auto narrow = static_cast<uint32_t>(crc);
  for (; size > 0; ++p, --size) narrow = _mm_crc32_u8(narrow, *p);
  return ~narrow;
}
#elif defined(STEPSCOPE_CRC_ARM)
bool has_instruction() {
#if defined(__linux__)
  return (getauxval(AT_HWCAP) & (1ul << 7)) != 0;  // HWCAP_CRC32
#else
  return true;  // every Apple silicon has it
#endif
}

__attribute__((target("+crc"))) uint32_t by_instruction(const void* data, size_t size, uint32_t seed) {
  const auto* p = static_cast<const uint8_t*>(data);
  uint32_t crc = ~seed;
  for (; size >= 8; p += 8, size -= 8) {
    uint64_t word;
    std::memcpy(&word, p, 8);
    crc = __crc32cd(crc, word);
  }
  for (; size > 0; ++p, --size) crc = __crc32cb(crc, *p);
  return ~crc;
}
#else
bool has_instruction() { return false; }
uint32_t by_instruction(const void* data, size_t size, uint32_t seed) { return crc32c_table(data, size, seed); }
#endif

const bool kHardware = has_instruction();

}  // namespace

uint32_t crc32c_table(const void* data, size_t size, uint32_t seed) {
  const auto* p = static_cast<const uint8_t*>(data);
  uint32_t crc = ~seed;
  for (; size >= 8; p += 8, size -= 8) {
    // Bytes are taken one by one so that the result does not depend on the machine's byte order.
    const uint32_t low = crc ^ (static_cast<uint32_t>(p[0]) | static_cast<uint32_t>(p[1]) << 8 | static_cast<uint32_t>(p[2]) << 16 |
                                static_cast<uint32_t>(p[3]) << 24);
    crc = kTables[7][low & 0xff] ^ kTables[6][(low >> 8) & 0xff] ^ kTables[5][(low >> 16) & 0xff] ^ kTables[4][low >> 24] ^
          kTables[3][p[4]] ^ kTables[2][p[5]] ^ kTables[1][p[6]] ^ kTables[0][p[7]];
  }
  for (; size > 0; ++p, --size) crc = (crc >> 8) ^ kTables[0][(crc ^ *p) & 0xff];
  return ~crc;
}

uint32_t crc32c(const void* data, size_t size, uint32_t seed) {
  return kHardware ? by_instruction(data, size, seed) : crc32c_table(data, size, seed);
}

bool crc32c_is_hardware() { return kHardware; }

}  // namespace stepscope
