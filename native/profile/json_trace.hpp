// Reads a Chrome trace, plain or gzip, as a stream of events and of top-level values, in constant memory and whatever state it is in.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "inflate.hpp"
#include "profile/json_cursor.hpp"

namespace stepscope::profile {

// What scanning ran into; the events it gives are good all the same.
struct TraceFaults {
  uint64_t repaired = 0;   // events that were mended
  uint64_t lost = 0;       // events that could not be, as far as what was skipped shows how many there were
  uint64_t skipped = 0;    // bytes of them
  uint64_t odd_words = 0;  // N/A, inf, nan
  bool truncated = false;  // the file ends before its JSON does
  bool cut_off = false;    // stopped at a limit
  bool hollow = false;     // stopped because of zero bytes: no JSON has any
  InflateEnd inflate = InflateEnd::complete;
  bool no_events = true;
};

class TraceSink {
 public:
  virtual ~TraceSink() = default;
  // A value beside the events.
  virtual void top_level(std::string_view key, const JsonValue& value) = 0;
  // One element of the events, as text with padding behind it; false when it is broken and should be mended first.
  virtual JsonCursor::State event(const char* begin, const char* end, uint64_t offset, const char*& after, uint32_t& odd_words) = 0;
  // Whether to stop here, because there is enough.
  virtual bool full() const = 0;
};

// Bytes of a file after decompression, in order.
class TraceSource {
 public:
  static std::unique_ptr<TraceSource> open(const Origin& origin, InflateLimits limits);
  virtual ~TraceSource() = default;
  virtual size_t read(char* into, size_t most) = 0;
  virtual InflateEnd end() const { return InflateEnd::complete; }
  virtual std::shared_ptr<RestartIndex> take_index() { return nullptr; }
};

class TraceScanner {
 public:
  static constexpr size_t kChunk = size_t{1} << 20;
  static constexpr size_t kLongestEvent = size_t{16} << 20;  // a longer one is lost
  static constexpr uint64_t kMostInVain = uint64_t{64} << 20;
  static constexpr size_t kLongestValue = size_t{64} << 20;   // of a value beside the events
  static constexpr uint64_t kMostZeros = uint64_t{16} << 20;  // beyond it the file is mostly holes, which cost nothing to make

  TraceScanner(TraceSource& source, TraceSink& sink) : source_(source), sink_(sink) { buffer_.resize(kChunk + JsonCursor::kPadding); }

  // Reads to the end. False when the text is no JSON at all.
  bool run();
  const TraceFaults& faults() const { return faults_; }
  uint64_t bytes() const { return base_ + end_; }

 private:
  bool fill(size_t longest);
  char next();
  bool read_member();
  void read_events();
  bool read_event();
  bool mend_event();
  bool skip_event();
  bool find_next_event();
  bool look_for_event();
  bool skip_to(size_t at);
  bool find_events_key();
  const char* here() const { return buffer_.data() + at_; }
  const char* stop() const { return buffer_.data() + end_; }

  TraceSource& source_;
  TraceSink& sink_;
  TraceFaults faults_;
  std::vector<char> buffer_;
  size_t at_ = 0, end_ = 0;
  uint64_t base_ = 0;  // file offset of buffer_[0]
  bool last_ = false;
  std::string mended_;
  uint64_t zeros_ = 0;
  uint64_t in_vain_ = 0;  // bytes gone through to mend what could not be
};

// The event at an offset of the uncompressed file as valid JSON; empty when there is none. `index` speeds up gzip files.
std::string read_event_text(const Origin& origin, uint64_t offset, const RestartIndex* index, InflateLimits limits);

}  // namespace stepscope::profile
