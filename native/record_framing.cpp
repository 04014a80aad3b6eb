// Reads record frames and finds the next good one after damage.
#include "record_framing.hpp"

#include "crc32c.hpp"
#include "wire/little_endian.hpp"

namespace stepscope {
namespace {

using wire::little_endian;

bool header_is_good(const char* p) {
  return little_endian<uint64_t>(p) <= kLongestRecord && mask_crc(crc32c(p, 8)) == little_endian<uint32_t>(p + 8);
}

}  // namespace

bool data_is_intact(FileWindow& file, uint64_t offset, uint64_t length) {
  constexpr uint64_t kPiece = uint64_t{1} << 20;
  uint32_t crc = 0;
  uint64_t at = offset + kHeaderBytes;
  for (uint64_t left = length; left > 0;) {
    const auto want = static_cast<size_t>(std::min(left, kPiece));
    const std::string_view bytes = file.peek(at, want);
    if (bytes.size() < want) return false;
    crc = crc32c(bytes.data(), want, crc);
    at += want;
    left -= want;
  }
  const std::string_view stored = file.peek(at, 4);
  return stored.size() >= 4 && mask_crc(crc) == little_endian<uint32_t>(stored.data());
}

Frame look_at(FileWindow& file, uint64_t offset, bool check_data) {
  const std::string_view header = file.peek(offset, kHeaderBytes);
  if (header.size() < kHeaderBytes) return {};
  if (!header_is_good(header.data())) return {Framing::bad_length, 0};
  const uint64_t length = little_endian<uint64_t>(header.data());
  if (offset + kFrameBytes + length > file.size()) return {Framing::incomplete, length};
  if (length < kLargeRecord) {
    const auto whole = static_cast<size_t>(kFrameBytes + length);
    const std::string_view record = file.peek(offset, whole);
    if (record.size() < whole) return {Framing::incomplete, length};
    const uint32_t crc = mask_crc(crc32c(record.data() + kHeaderBytes, static_cast<size_t>(length)));
    return {crc == little_endian<uint32_t>(record.data() + kHeaderBytes + length) ? Framing::record : Framing::bad_data, length};
  }
  if (check_data && !data_is_intact(file, offset, length)) return {Framing::bad_data, length};
  return {Framing::record, length};
}

uint64_t find_record(FileWindow& file, uint64_t offset, uint64_t from) {
  // A hostile file could hold a good header with a long, wrong record at every few bytes; checking each would take for ever.
  // So long candidates may cost a fixed sum plus a multiple of the bytes searched, and are passed over beyond it.
  uint64_t spent = 0;
  for (uint64_t at = std::max(from, offset + 1); at + kHeaderBytes <= file.size();) {
    const std::string_view bytes = file.peek(at, kHeaderBytes);
    if (bytes.size() < kHeaderBytes) break;
    const size_t candidates = bytes.size() - (kHeaderBytes - 1);
    size_t i = 0;
    for (; i < candidates; ++i)
      if (little_endian<uint64_t>(bytes.data() + i) <= kLongestRecord && header_is_good(bytes.data() + i)) break;
    at += i;
    if (i == candidates) continue;
    const uint64_t length = little_endian<uint64_t>(bytes.data() + i);
    if (at + kFrameBytes + length > file.size()) return at;
    if (length < kLargeRecord || spent <= (uint64_t{256} << 20) + 16 * (at - offset)) {
      spent += length;
      if (data_is_intact(file, at, length)) return at;
    }
    ++at;
  }
  return file.size();
}

}  // namespace stepscope
