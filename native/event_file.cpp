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
constexpr const char* kTooLong = "the record is longer than the file";
constexpr uint64_t kPublishEvery = uint64_t{8} << 20;
constexpr uint64_t kSmallGap = 4096;
constexpr uint64_t kReadTogether = uint64_t{256} << 10;
// Up to this length a record that has to be checked is read into memory once, for its checksum and for its fields.
constexpr uint64_t kReadWhole = uint64_t{2} << 20;
// Only the last record of a file can still be under way; more are kept because what was skipped may be inside it.
constexpr size_t kMostDoubts = 16;

}  // namespace

const char* known_reason(std::string_view reason) {
  for (const char* known : {kBadLength, kBadData, kNotAnEvent, kTooLong})
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

void EventFile::note_search(FileWindow& file, uint64_t offset, uint64_t to) {
  searched_for_ = offset;
  searched_to_ = std::max(offset + 1, to);
  searched_end_ = bytes_before(file, searched_to_);
}

// The next record after damage at `offset`, or the file's size; what was searched in vain before is not searched again.
uint64_t EventFile::find_after(RecordSearch& search, FileWindow& file, uint64_t offset, bool unfinished) {
  const uint64_t from = search_goes_on(file, offset) ? searched_to_ : offset + 1;
  const uint64_t next = search.find(from, file.size(), unfinished);
  if (next == file.size())
    note_search(file, offset, std::min(search.first_unfinished(), file.size() - std::min(file.size(), kHeaderBytes - 1)));
  return next;
}

// Where to go on after the record at the current offset, whose data is wrong and which ends at `end`. When no record begins there, the
// length cannot be believed: the write was torn, and others may have been written into the rest.
uint64_t EventFile::skip_bad_data(RecordSearch& search, FileWindow& file, uint64_t end) {
  return header_is_at(file, end) ? end : search.find(report_.offset + 1, end, false);
}

// Whether a record that was skipped as too long has come to its end since, and is right.
bool EventFile::is_refuted(FileWindow& file) {
  for (auto record = doubted_.begin(); record != doubted_.end();) {
    const auto [offset, length] = *record;
    if (offset + kFrameBytes + length > file.size()) {
      ++record;
    } else if (data_is_intact(file, offset, length)) {
      return true;
    } else {
      record = doubted_.erase(record);
    }
  }
  return false;
}

void EventFile::step_over(uint64_t from, uint64_t to, const char* reason) {
  ++report_.skipped;
  report_.skipped_bytes += to - from;
  if (report_.faults.size() < kMostFaults) report_.faults.push_back({from, to - from, reason});
}

// Scans the whole record at the current offset into columns, once its data is checked. Only a blob alone in its record may wait for
// that until it is shown.
Framing EventFile::take_record(RecordSearch& search, FileWindow& file, const Frame& frame) {
  const uint64_t begin = report_.offset + kHeaderBytes, end = begin + frame.length;
  const bool is_large = frame.length >= kLargeRecord;
  if (is_large && !search.is_affordable(frame.length)) return Framing::bad_data;
  if (is_large && index_blob(file, begin, end, columns_, report_.facts)) {
    ++report_.records;
    std::lock_guard lock(reading_);
    unchecked_.emplace_back(report_.offset, frame.length);
    return Framing::record;
  }
  const auto length = static_cast<size_t>(frame.length);
  const bool in_memory = frame.length <= kReadWhole;
  if (in_memory) file.peek(begin, length + kFrameBytes - kHeaderBytes);  // so that both readings find it in the window
  if (is_large && !search.is_intact(report_.offset, frame.length)) return Framing::bad_data;
  bool is_event;
  if (in_memory) {
    wire::MemorySpace space(file.peek(begin, length).substr(0, length), begin);
    is_event = scan_event(space, begin, end, columns_, report_.facts);
  } else {
    is_event = scan_event(file, begin, end, columns_, report_.facts);
  }
  if (is_event)
    ++report_.records;
  else
    step_over(report_.offset, end + kFrameBytes - kHeaderBytes, kNotAnEvent);
  return Framing::record;
}

int64_t EventFile::scan(uint64_t limit, bool settled) {
  FileWindow file(origin_);
  std::lock_guard lock(scanning_);
  if (!still_same(file) || is_refuted(file)) return kReplaced;
  RecordSearch search(file);
  const uint64_t started = report_.offset;
  uint64_t published_to = started;
  tail_fault_ = {};
  report_.pending = 0;
  while (report_.offset < file.size() && (limit == 0 || report_.offset - started < limit)) {
    const uint64_t offset = report_.offset;
    Frame frame = search.look_at(offset);
    const uint64_t end = offset + kFrameBytes + frame.length;
    if (frame.state == Framing::record) frame.state = take_record(search, file, frame);
    if (frame.state == Framing::record) {
      report_.offset = end;
    } else if (frame.state == Framing::incomplete) {
      const bool has_header = offset + kHeaderBytes <= file.size();
      const uint64_t next = settled && has_header ? find_after(search, file, offset, false) : file.size();
      if (next == file.size()) {
        report_.pending = file.size() - offset;
        break;
      }
      if (doubted_.size() == kMostDoubts) doubted_.erase(doubted_.begin());
      doubted_.emplace_back(offset, frame.length);
      step_over(offset, next, kTooLong);
      report_.offset = next;
    } else if (frame.state == Framing::bad_data) {
      if (end + kHeaderBytes > file.size()) {
        tail_fault_ = {offset, end - offset, kBadData};
        break;
      }
      const uint64_t next = skip_bad_data(search, file, end);
      step_over(offset, next, kBadData);
      report_.offset = next;
    } else {
      const uint64_t next = find_after(search, file, offset, true);
      if (next == file.size()) {
        tail_fault_ = {offset, file.size() - offset, kBadLength};
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
  Records unchecked;
  {
    std::lock_guard lock(reading_);
    unchecked = unchecked_;
  }
  for (const auto& [offset, length] : unchecked) wrong += data_is_intact(file, offset, length) ? 0 : 1;
  return wrong;
}

std::string EventFile::read_blob(uint64_t offset, uint64_t length) const {
  FileWindow file(origin_);
  if (offset > file.size() || length > file.size() - offset || length > kLongestRecord)
    throw std::runtime_error("The log file was truncated after it was read.");
  std::pair<uint64_t, uint64_t> record{0, 0};
  {
    std::lock_guard lock(reading_);
    auto after = std::upper_bound(unchecked_.begin(), unchecked_.end(), std::pair(offset, UINT64_MAX));
    if (after != unchecked_.begin()) record = *std::prev(after);
  }
  const bool inside = record.second > 0 && offset < record.first + kFrameBytes + record.second;
  if (inside && !data_is_intact(file, record.first, record.second))
    throw std::runtime_error("The record is corrupt: its checksum is wrong.");
  std::string bytes;
  bytes.reserve(static_cast<size_t>(length));
  while (bytes.size() < length) {
    const auto want = static_cast<size_t>(std::min<uint64_t>(length - bytes.size(), uint64_t{1} << 20));
    const std::string_view piece = file.peek(offset + bytes.size(), want);
    if (piece.size() < want) throw std::runtime_error("The log file was truncated after it was read.");
    bytes.append(piece.substr(0, want));
  }
  return bytes;
}

void EventFile::visit_blobs(std::span<const uint64_t> offset, std::span<const uint64_t> length, uint64_t most,
                            const std::function<void(size_t, BlobState, std::string_view)>& take) const {
  FileWindow file(origin_);
  Records unchecked;
  {
    std::lock_guard lock(reading_);
    unchecked = unchecked_;
  }
  const auto damaged = [&](uint64_t at) {
    auto after = std::upper_bound(unchecked.begin(), unchecked.end(), std::pair(at, UINT64_MAX));
    if (after == unchecked.begin()) return false;
    const auto [start, size] = *std::prev(after);
    return at < start + kFrameBytes + size && !data_is_intact(file, start, size);
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

double EventFile::last_point() const {
  std::lock_guard lock(reading_);
  return published_.facts.last_point;
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
  unchecked_ = std::move(memory.unchecked);
  doubted_ = std::move(memory.doubted);
  backing_ = std::move(backing);
  publish();
}

}  // namespace stepscope
