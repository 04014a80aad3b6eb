// Reads record frames and finds the next good one after damage.
#include "record_framing.hpp"

#include <algorithm>

#include "crc32c.hpp"
#include "wire/little_endian.hpp"

namespace stepscope {
namespace {

using wire::little_endian;

// What may be checked in vain: this much, and so many times what the file holds.
constexpr uint64_t kWasteAllowed = uint64_t{256} << 20;
constexpr uint64_t kWastePerByte = 4;
// Records up to this length are always checked: those of one scalar are shorter, and their headers alone are a good part of them.
constexpr uint64_t kAlwaysChecked = 256;

bool header_is_good(const char* p) {
  return little_endian<uint64_t>(p) <= kLongestRecord && mask_crc(crc32c(p, 8)) == little_endian<uint32_t>(p + 8);
}

bool is_zero(std::string_view bytes) { return bytes.find_first_not_of('\0') == std::string_view::npos; }

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

bool header_is_at(FileWindow& file, uint64_t offset) {
  if (file.has(offset, kHeaderBytes)) return header_is_good(file.peek(offset, kHeaderBytes).data());
  char header[kHeaderBytes];  // the window is needed where it is
  return offset + kHeaderBytes <= file.size() && file.read(offset, header, kHeaderBytes) == kHeaderBytes && header_is_good(header);
}

bool RecordSearch::is_affordable(uint64_t length) const {
  const uint64_t bytes = std::max(file_.stored(), std::min(file_.size(), kLongestRecord));  // so that holes allow no more
  return length <= kAlwaysChecked || wasted_ + length <= kWasteAllowed + kWastePerByte * bytes;
}

Frame RecordSearch::look_at(uint64_t offset) {
  const std::string_view header = file_.peek(offset, kHeaderBytes);
  if (header.size() < kHeaderBytes) return {};
  if (!header_is_good(header.data())) return {Framing::bad_length, 0};
  const uint64_t length = little_endian<uint64_t>(header.data());
  if (offset + kFrameBytes + length > file_.size()) return {Framing::incomplete, length};
  if (length >= kLargeRecord) return {Framing::record, length};
  const auto whole = static_cast<size_t>(kFrameBytes + length);
  if (file_.peek(offset, whole).size() < whole) return {Framing::incomplete, length};
  return {is_intact(offset, length) ? Framing::record : Framing::bad_data, length};
}

bool RecordSearch::is_intact(uint64_t offset, uint64_t length) {
  if (!is_affordable(length)) return false;
  if (data_is_intact(file_, offset, length)) return true;
  wasted_ += length;
  return false;
}

uint64_t RecordSearch::find(uint64_t from, uint64_t to, bool unfinished) {
  first_unfinished_ = to;
  for (uint64_t at = from; at < to && at + kHeaderBytes <= file_.size();) {
    const std::string_view bytes = file_.peek(at, kHeaderBytes);
    if (bytes.size() < kHeaderBytes) break;
    if (const uint64_t data = is_zero(bytes) ? file_.end_of_hole(at) : at; data > at + kHeaderBytes) {
      at = data - (kHeaderBytes - 1);  // no header is all zeros: its checksum would not be
      continue;
    }
    const auto candidates = static_cast<size_t>(std::min<uint64_t>(bytes.size() - (kHeaderBytes - 1), to - at));
    size_t i = 0;
    for (; i < candidates; ++i)
      if (little_endian<uint64_t>(bytes.data() + i) <= kLongestRecord && header_is_good(bytes.data() + i)) break;
    at += i;
    if (i == candidates) continue;
    const uint64_t length = little_endian<uint64_t>(bytes.data() + i);
    if (at + kFrameBytes + length > file_.size()) {
      if (unfinished) return at;
      first_unfinished_ = std::min(first_unfinished_, at);
    } else if (is_intact(at, length)) {
      return at;
    }
    ++at;
  }
  return to;
}

}  // namespace stepscope
