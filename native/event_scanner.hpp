// One Event message into columns: scalars as values, everything else as the place of its bytes in the file.
#pragma once

#include <cstdint>
#include <string>

#include "event_columns.hpp"
#include "file_window.hpp"
#include "wire/reader.hpp"

namespace stepscope {

// What a file's events say of the file and the session that wrote it.
struct SessionFacts {
  double first_wall = std::numeric_limits<double>::quiet_NaN();
  double last_wall = std::numeric_limits<double>::quiet_NaN();
  double last_point = std::numeric_limits<double>::quiet_NaN();  // of the newest value; last_wall counts every record
  std::string file_version, writer;
  uint32_t session_status = 0;  // last SessionLog.status
  uint32_t hparams_status = 0;  // last SessionEndInfo.status
};

// Tags under which events that are not summaries are indexed.
inline constexpr std::string_view kGraphTag = "__run_graph__";
inline constexpr std::string_view kMetaGraphTag = "__meta_graph__";
inline constexpr std::string_view kSessionLogTag = "__session_log__";

// Scans the event at [begin, end) of the space; places are absolute, so blobs are found again in the file. Returns false, with
// nothing appended for the malformed part, when the bytes are not an Event.
bool scan_event(wire::MemorySpace& space, uint64_t begin, uint64_t end, EventColumns& columns, SessionFacts& facts);
bool scan_event(FileWindow& space, uint64_t begin, uint64_t end, EventColumns& columns, SessionFacts& facts);

// Scans an event that is one summary value and nothing but a blob, without reading the blob; its checksum can wait until it is
// shown. Returns false, with nothing appended, for every other event, and for one whose time is far from the file's: those have to
// be checked before they are scanned.
bool index_blob(FileWindow& space, uint64_t begin, uint64_t end, EventColumns& columns, SessionFacts& facts);

}  // namespace stepscope
