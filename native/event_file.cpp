// The reading loop over one event file, with damage stepped over and unfinished tails left for later.
#include "event_file.hpp"

#include <algorithm>
#include <stdexcept>

namespace stepscope {
namespace {

// The name that our writer signs such a file with; writer/event_stream.py has the same.
constexpr std::string_view kContinuingWriter = "stepscope.writer, continued";

constexpr const char* kBadLength = "the length's checksum is wrong";
constexpr const char* kBadData = "the data's checksum is wrong";
constexpr const char* kNotAnEvent = "the record is not an event";
constexpr uint64_t kPublishEvery = uint64_t{8} << 20;
constexpr uint64_t kSmallGap = 4096;
constexpr uint64_t kReadTogether = uint64_t{256} << 10;

}  // namespace

const char* known_reason(std::string_view reason) {
  for (const char* known : {kBadLength, kBadData, kNotAnEvent})
    if (reason == known) return known;
  return "damaged";
}

bool EventFile::still_same(FileWindow& file) const {
  if (file.size() < report_.offset) return false;
  if (!head_.empty() && file.peek(0, head_.size()).substr(0, head_.size()) != head_) return false;
  if (tail_.empty()) return true;
  // The window then stands at the place where reading goes on.
  return file.peek(report_.offset - tail_.size(), tail_.size()).substr(0, tail_.size()) == tail_;
}

void EventFile::take_fingerprint(FileWindow& file) {
  const uint64_t offset = report_.offset;
  const auto size = static_cast<size_t>(std::min<uint64_t>(offset, kFingerprint));
  if (head_.size() < size) head_ = file.peek(0, size).substr(0, size);
  tail_ = file.peek(offset - size, size).substr(0, size);
}

std::string EventFile::bytes_before(FileWindow& file, uint64_t end) {
  const auto size = static_cast<size_t>(std::min<uint64_t>(end, kFingerprint));
  return std::string(file.peek(end - size, size).substr(0, size));
}

// Whether what was searched in vain is still the same; a hole that the file system showed there may have been filled since.
bool EventFile::search_goes_on(FileWindow& file, uint64_t offset) const {
  return searched_for_ == offset && bytes_before(file, searched_to_) == searched_end_;
}

void EventFile::step_over(uint64_t from, uint64_t to, const char* reason) {
  ++report_.skipped;
  report_.skipped_bytes += to - from;
  if (report_.faults.size() < kMostFaults) report_.faults.push_back({from, to - from, reason});
}

// Scans the record at the current offset into columns; false when its bytes are no event.
bool EventFile::take_record(FileWindow& file, const Frame& frame) {
  const uint64_t begin = report_.offset + kHeaderBytes;
  if (frame.length >= kLargeRecord) {
    {
      std::lock_guard lock(reading_);
      large_.emplace_back(report_.offset, frame.length);
    }
    return scan_event(file, begin, begin + frame.length, columns_, report_.facts);
  }
  const std::string_view bytes = file.peek(begin, static_cast<size_t>(frame.length)).substr(0, static_cast<size_t>(frame.length));
  wire::MemorySpace space(bytes, begin);
  return scan_event(space, begin, begin + frame.length, columns_, report_.facts);
}

int64_t EventFile::scan(uint64_t limit) {
  FileWindow file(origin_);
  std::lock_guard lock(scanning_);
  if (!still_same(file)) return kReplaced;
  const uint64_t started = report_.offset;
  uint64_t published_to = started;
  tail_fault_ = {};
  report_.pending = 0;
  while (report_.offset < file.size() && (limit == 0 || report_.offset - started < limit)) {
    const uint64_t offset = report_.offset;
    const Frame frame = look_at(file, offset, false);
    const uint64_t end = offset + kFrameBytes + frame.length;
    if (frame.state == Framing::record) {
      if (take_record(file, frame))
        ++report_.records;
      else
        step_over(offset, end, kNotAnEvent);
      report_.offset = end;
    } else if (frame.state == Framing::incomplete) {
      report_.pending = file.size() - offset;
      break;
    } else if (frame.state == Framing::bad_data && end < file.size()) {
      step_over(offset, end, kBadData);
      report_.offset = end;
    } else if (frame.state == Framing::bad_data) {
      tail_fault_ = {offset, end - offset, kBadData};
      break;
    } else {
      const uint64_t from = search_goes_on(file, offset) ? searched_to_ : offset + 1;
      const uint64_t next = find_record(file, offset, from);
      if (next >= file.size()) {
        tail_fault_ = {offset, file.size() - offset, kBadLength};
        searched_for_ = offset;
        searched_to_ = std::max(offset + 1, file.size() - std::min(file.size(), kHeaderBytes - 1));
        searched_end_ = bytes_before(file, searched_to_);
        break;
      }
      step_over(offset, next, kBadLength);
      report_.offset = next;
    }
    if (report_.offset - published_to >= kPublishEvery) {
      publish();
      published_to = report_.offset;
    }
  }
  take_fingerprint(file);
  publish();
  return static_cast<int64_t>(report_.offset - started);
}

void EventFile::publish() {
  columns_.publish();
  std::lock_guard lock(reading_);
  published_ = report_;
  if (!tail_fault_.bytes) return;
  ++published_.skipped;
  published_.skipped_bytes += tail_fault_.bytes;
  if (published_.faults.size() < kMostFaults) published_.faults.push_back(tail_fault_);
}

uint64_t EventFile::verify() const {
  FileWindow file(origin_);
  const FileReport report = this->report();
  uint64_t wrong = report.skipped;
  std::vector<std::pair<uint64_t, uint64_t>> large;
  {
    std::lock_guard lock(reading_);
    large = large_;
  }
  for (const auto& [offset, length] : large) wrong += data_is_intact(file, offset, length) ? 0 : 1;
  return wrong;
}

std::string EventFile::read_blob(uint64_t offset, uint64_t length) const {
  FileWindow file(origin_);
  if (offset > file.size() || length > file.size() - offset || length > kLongestRecord)
    throw std::runtime_error("The log file has become shorter since it was read.");
  std::pair<uint64_t, uint64_t> record{0, 0};
  {
    std::lock_guard lock(reading_);
    auto after = std::upper_bound(large_.begin(), large_.end(), std::pair(offset, UINT64_MAX));
    if (after != large_.begin()) record = *std::prev(after);
  }
  const bool inside = record.second > 0 && offset < record.first + kFrameBytes + record.second;
  if (inside && !data_is_intact(file, record.first, record.second))
    throw std::runtime_error("The record is damaged: its checksum is wrong.");
  std::string bytes;
  bytes.reserve(static_cast<size_t>(length));
  while (bytes.size() < length) {
    const auto want = static_cast<size_t>(std::min<uint64_t>(length - bytes.size(), uint64_t{1} << 20));
    const std::string_view piece = file.peek(offset + bytes.size(), want);
    if (piece.size() < want) throw std::runtime_error("The log file has become shorter since it was read.");
    bytes.append(piece.substr(0, want));
  }
  return bytes;
}

void EventFile::visit_blobs(std::span<const uint64_t> offset, std::span<const uint64_t> length, uint64_t most,
                            const std::function<void(size_t, BlobState, std::string_view)>& take) const {
  FileWindow file(origin_);
  std::vector<std::pair<uint64_t, uint64_t>> large;
  {
    std::lock_guard lock(reading_);
    large = large_;
  }
  std::pair<uint64_t, bool> judged{UINT64_MAX, false};  // the large record looked at last: several blobs may be in one
  const auto damaged = [&](uint64_t at) {
    auto after = std::upper_bound(large.begin(), large.end(), std::pair(at, UINT64_MAX));
    if (after == large.begin()) return false;
    const auto [start, size] = *std::prev(after);
    if (at >= start + kFrameBytes + size) return false;
    if (judged.first != start) judged = {start, !data_is_intact(file, start, size)};
    return judged.second;
  };
  const auto readable = [&](size_t i) { return length[i] <= most && offset[i] <= file.size() && length[i] <= file.size() - offset[i]; };
  std::string bytes;
  const size_t count = std::min(offset.size(), length.size());
  for (size_t i = 0; i < count;) {
    if (!readable(i)) {
      take(i, length[i] > most ? BlobState::too_large : BlobState::unreadable, {});
      ++i;
      continue;
    }
    // Neighbours are read together with the little that lies between them.
    size_t next = i + 1;
    uint64_t end = offset[i] + length[i];
    while (next < count && readable(next) && offset[next] >= end && offset[next] - end <= kSmallGap &&
           offset[next] + length[next] - offset[i] <= kReadTogether) {
      end = offset[next] + length[next];
      ++next;
    }
    const auto wanted = static_cast<size_t>(end - offset[i]);
    if (bytes.size() < wanted) bytes.resize(wanted);
    const size_t got = file.read(offset[i], bytes.data(), wanted);
    for (const uint64_t start = offset[i]; i < next; ++i) {
      const auto from = static_cast<size_t>(offset[i] - start);
      if (from + length[i] > got)
        take(i, BlobState::unreadable, {});
      else if (damaged(offset[i]))
        take(i, BlobState::damaged, {});
      else
        take(i, BlobState::read, std::string_view(bytes).substr(from, static_cast<size_t>(length[i])));
    }
  }
}

FileReport EventFile::report() const {
  std::lock_guard lock(reading_);
  return published_;
}

double EventFile::first_wall() const {
  std::lock_guard lock(reading_);
  return published_.facts.first_wall;
}

double EventFile::last_wall() const {
  std::lock_guard lock(reading_);
  return published_.facts.last_wall;
}

bool EventFile::goes_on_from_another() const {
  std::lock_guard lock(reading_);
  return published_.facts.writer == kContinuingWriter;
}

void EventFile::recall(Memory memory, std::shared_ptr<const void> backing) {
  std::lock_guard lock(scanning_);
  report_ = std::move(memory.report);
  head_ = std::move(memory.head);
  tail_ = std::move(memory.tail);
  large_ = std::move(memory.large);
  backing_ = std::move(backing);
  publish();
}

}  // namespace stepscope
