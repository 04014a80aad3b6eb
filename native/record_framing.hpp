// TFRecord framing: length, masked CRC of the length, data, masked CRC of the data; and the way back after damage.
#pragma once

#include <cstdint>

#include "file_window.hpp"

namespace stepscope {

inline constexpr uint64_t kHeaderBytes = 12;
inline constexpr uint64_t kFrameBytes = 16;
// protobuf cannot hold more, so a longer record is damage even when its checksum is right.
inline constexpr uint64_t kLongestRecord = (uint64_t{1} << 31) - 1;
// Records below this are read and checked whole at load; larger ones are walked, and checked when they are shown.
inline constexpr uint64_t kLargeRecord = uint64_t{64} << 10;

enum class Framing {
  record,      // a whole record lies at the offset
  incomplete,  // the file ends inside the record: not written yet
  bad_length,  // the length's checksum is wrong, or the length is impossible
  bad_data,    // the data's checksum is wrong; where the record ends is known
};

struct Frame {
  Framing state = Framing::incomplete;
  uint64_t length = 0;  // of the data, when the header is good
};

// Looks at the record at `offset`; the data's checksum is tested when `check_data` or the record is small.
Frame look_at(FileWindow& file, uint64_t offset, bool check_data);

// The next place after `offset` where a good record, or a good header of a record still being written, begins; the file's size
// when there is none. `from` continues an earlier search.
uint64_t find_record(FileWindow& file, uint64_t offset, uint64_t from);

// Whether the data's checksum of a record with a good header is right, read in pieces.
bool data_is_intact(FileWindow& file, uint64_t offset, uint64_t length);

}  // namespace stepscope
