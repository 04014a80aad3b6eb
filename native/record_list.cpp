// Copies whole records out of an event file.
#include "record_list.hpp"

#include "record_framing.hpp"

namespace stepscope {
namespace {

// A large record is looked at by its header alone, so its data is checked here.
bool is_whole(RecordSearch& search, uint64_t at, const Frame& frame) {
  return frame.state == Framing::record && (frame.length < kLargeRecord || search.is_intact(at, frame.length));
}

}  // namespace

std::vector<WholeRecord> read_records(const Origin& origin, uint64_t offset, uint64_t most) {
  FileWindow file(origin);
  RecordSearch search(file);
  std::vector<WholeRecord> found;
  for (uint64_t at = offset, bytes = 0; bytes < most;) {
    const Frame frame = search.look_at(at);
    if (is_whole(search, at, frame)) {
      std::string data(static_cast<size_t>(frame.length), '\0');
      if (file.read(at + kHeaderBytes, data.data(), data.size()) < data.size()) break;  // truncated just now
      at += kFrameBytes + frame.length;
      bytes += kFrameBytes + frame.length;
      found.push_back({std::move(data), at});
      continue;
    }
    if (frame.state == Framing::incomplete) break;
    at = search.find(at + 1, file.size(), false);
    if (at == file.size()) break;
  }
  return found;
}

}  // namespace stepscope
