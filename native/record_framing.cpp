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

Frame look_at(FileWindow& file, uint64_t offset) {
  const std::string_view header = file.peek(offset, kHeaderBytes);
  if (header.size() < kHeaderBytes) return {};
  if (!header_is_good(header.data())) return {Framing::bad_length, 0};
  const uint64_t length = little_endian<uint64_t>(header.data());
  if (offset + kFrameBytes + length > file.size()) return {Framing::incomplete, length};
  if (length >= kLargeRecord) return {Framing::record, length};
  const auto whole = static_cast<size_t>(kFrameBytes + length);
  const std::string_view record = file.peek(offset, whole);
  if (record.size() < whole) return {Framing::incomplete, length};
  const uint32_t crc = mask_crc(crc32c(record.data() + kHeaderBytes, static_cast<size_t>(length)));
  return {crc == little_endian<uint32_t>(record.data() + kHeaderBytes + length) ? Framing::record : Framing::bad_data, length};
}

bool header_is_at(FileWindow& file, uint64_t offset) {
  const std::string_view header = file.peek(offset, kHeaderBytes);
  return header.size() >= kHeaderBytes && header_is_good(header.data());
}

uint64_t RecordSearch::find(uint64_t from, uint64_t to, bool unfinished) {
  first_unfinished_ = to;
  for (uint64_t at = from; at < to && at + kHeaderBytes <= file_.size();) {
    const std::string_view bytes = file_.peek(at, kHeaderBytes);
    if (bytes.size() < kHeaderBytes) break;
    const auto candidates = static_cast<size_t>(std::min<uint64_t>(bytes.size() - (kHeaderBytes - 1), to - at));
    size_t i = 0;
    for (; i < candidates; ++i)
      if (little_endian<uint64_t>(bytes.data() + i) <= kLongestRecord && header_is_good(bytes.data() + i)) break;
    at += i;
    searched_ += i + 1;
    if (i == candidates) continue;
    const uint64_t length = little_endian<uint64_t>(bytes.data() + i);
    if (at + kFrameBytes + length > file_.size()) {
      if (unfinished) return at;
      first_unfinished_ = std::min(first_unfinished_, at);
    } else if (is_affordable(length) && data_is_intact(file_, at, length)) {
      return at;
    }
    ++at;
  }
  return to;
}

bool RecordSearch::is_affordable(uint64_t length) {
  if (length >= kLargeRecord && spent_ > (uint64_t{256} << 20) + 16 * searched_) return false;
  spent_ += length;
  return true;
}

}  // namespace stepscope
