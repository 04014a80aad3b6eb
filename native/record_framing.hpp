// TFRecord framing: length, masked CRC of the length, data, masked CRC of the data; and the way back after damage.
#pragma once

#include <cstdint>

#include "file_window.hpp"

namespace stepscope {

inline constexpr uint64_t kHeaderBytes = 12;
inline constexpr uint64_t kFrameBytes = 16;
// protobuf cannot hold more, so a longer record is damage even when its checksum is right.
inline constexpr uint64_t kLongestRecord = (uint64_t{1} << 31) - 1;
// Records below this are read and checked whole as they are looked at. Of larger ones only the header is: their reader decides whether
// the data can wait.
inline constexpr uint64_t kLargeRecord = uint64_t{64} << 10;

enum class Framing {
  record,      // a whole record lies at the offset; the data of a large one is not checked
  incomplete,  // the file ends inside the record: not written yet, or never
  bad_length,  // the length's checksum is wrong, or the length is impossible
  bad_data,    // the data's checksum is wrong; where the record ends is known, if the length is to be believed
};

struct Frame {
  Framing state = Framing::incomplete;
  uint64_t length = 0;  // of the data, when the header is good
};

// Whether the data's checksum of a record with a good header is right, read in pieces.
bool data_is_intact(FileWindow& file, uint64_t offset, uint64_t length);

// Whether a good header lies at the offset, of a record that may end anywhere.
bool header_is_at(FileWindow& file, uint64_t offset);

// Looks at records, and for good ones after damage. A hostile file could hold a good header with a long, wrong record at every few bytes;
// checking each would take for ever. So what is checked in vain may cost a fixed sum plus a multiple of the file. Beyond that, long
// records count as wrong without a look.
class RecordSearch {
 public:
  explicit RecordSearch(FileWindow& file) : file_(file) {}

  Frame look_at(uint64_t offset);

  bool is_affordable(uint64_t length) const;
  // Whether the data of a record is right; false also when that cannot be afforded.
  bool is_intact(uint64_t offset, uint64_t length);

  // The first place in [from, to) where a record begins, or `to`. A good header of a record that the file ends inside counts as one
  // only with `unfinished`; without it, `first_unfinished` says where the first was, or `to`.
  uint64_t find(uint64_t from, uint64_t to, bool unfinished);
  uint64_t first_unfinished() const { return first_unfinished_; }

 private:
  FileWindow& file_;
  uint64_t wasted_ = 0, first_unfinished_ = 0;
};

}  // namespace stepscope
