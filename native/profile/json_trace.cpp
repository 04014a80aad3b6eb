// Windows over a trace's bytes, and the walk through them.
#include "profile/json_trace.hpp"

#include <algorithm>
#include <array>
#include <condition_variable>
#include <cstring>
#include <exception>
#include <mutex>
#include <thread>

#include "file_window.hpp"
#include "profile/json_repair.hpp"

namespace stepscope::profile {
namespace {

constexpr std::string_view kEvents = "traceEvents", kEventsKey = "\"traceEvents\"";

class PlainSource : public TraceSource {
 public:
  PlainSource(const Origin& origin, uint64_t most) : file_(origin), most_(most) {}
  size_t read(char* into, size_t most) override {
    most = static_cast<size_t>(std::min<uint64_t>(most, most_ - std::min(most_, at_)));
    const std::string_view bytes = file_.peek(at_, most);
    const size_t size = std::min(bytes.size(), most);
    std::copy_n(bytes.data(), size, into);
    at_ += size;
    return size;
  }
  InflateEnd end() const override { return at_ >= most_ && file_.size() > most_ ? InflateEnd::too_large : InflateEnd::complete; }

 private:
  FileWindow file_;
  uint64_t at_ = 0, most_;
};

class GzipSource : public TraceSource {
 public:
  GzipSource(const Origin& origin, InflateLimits limits) : inflater_(origin, limits) {}
  size_t read(char* into, size_t most) override { return inflater_.read(into, most); }
  InflateEnd end() const override { return inflater_.end(); }
  std::shared_ptr<RestartIndex> take_index() override { return std::make_shared<RestartIndex>(std::move(inflater_.index())); }

 private:
  Inflater inflater_;
};

// Reads ahead on a thread of its own, so that a large file is inflated while what came out of it is scanned.
class AheadSource : public TraceSource {
 public:
  explicit AheadSource(std::unique_ptr<TraceSource> source) : source_(std::move(source)) {
    for (std::vector<char>& block : blocks_) block.resize(kBlock);
    worker_ = std::thread([this] { work(); });
  }
  ~AheadSource() override {
    {
      std::lock_guard lock(guard_);
      stop_ = true;
    }
    changed_.notify_all();
    worker_.join();
  }

  size_t read(char* into, size_t most) override {
    std::unique_lock lock(guard_);
    changed_.wait(lock, [this] { return filled_ > 0 || done_; });
    if (filled_ == 0) {
      if (failure_) std::rethrow_exception(failure_);
      return 0;
    }
    const size_t slot = taken_ % kBlocks;
    lock.unlock();  // the block is ours until it is counted as taken
    const size_t size = std::min(most, sizes_[slot] - used_);
    std::memcpy(into, blocks_[slot].data() + used_, size);
    used_ += size;
    if (used_ == sizes_[slot]) {
      lock.lock();
      used_ = 0;
      ++taken_;
      --filled_;
      lock.unlock();
      changed_.notify_all();
    }
    return size;
  }

  InflateEnd end() const override {
    std::lock_guard lock(guard_);
    return done_ ? source_->end() : InflateEnd::none;
  }

  // Waits for the worker: the index is whole only at the end.
  std::shared_ptr<RestartIndex> take_index() override {
    {
      std::lock_guard lock(guard_);
      stop_ = true;
    }
    changed_.notify_all();
    std::unique_lock lock(guard_);
    changed_.wait(lock, [this] { return done_; });
    return source_->take_index();
  }

 private:
  static constexpr size_t kBlocks = 4, kBlock = size_t{512} << 10;

  void work() {
    try {
      for (size_t next = 0; fill(next); ++next) {
      }
    } catch (...) {
      std::lock_guard lock(guard_);
      failure_ = std::current_exception();
    }
    std::lock_guard lock(guard_);
    done_ = true;
    changed_.notify_all();
  }

  bool fill(size_t next) {
    {
      std::unique_lock lock(guard_);
      changed_.wait(lock, [this] { return filled_ < kBlocks || stop_; });
      if (stop_) return false;
    }
    std::vector<char>& block = blocks_[next % kBlocks];
    size_t size = 0;
    while (size < block.size()) {
      const size_t got = source_->read(block.data() + size, block.size() - size);
      if (got == 0) break;
      size += got;
    }
    if (size == 0) return false;
    std::lock_guard lock(guard_);
    sizes_[next % kBlocks] = size;
    ++filled_;
    changed_.notify_all();
    return true;
  }

  std::unique_ptr<TraceSource> source_;
  std::array<std::vector<char>, kBlocks> blocks_;
  std::array<size_t, kBlocks> sizes_{};
  size_t filled_ = 0, taken_ = 0, used_ = 0;
  bool stop_ = false, done_ = false;
  std::exception_ptr failure_;
  mutable std::mutex guard_;
  std::condition_variable changed_;
  std::thread worker_;
};

constexpr std::string_view kPhase = "\"ph\"";

uint64_t count_phases(std::string_view text) {
  uint64_t count = 0;
  for (size_t at = text.find(kPhase); at != std::string_view::npos; at = text.find(kPhase, at + kPhase.size())) ++count;
  return count;
}

constexpr uint64_t kWorthThread = uint64_t{1} << 20;  // of compressed bytes

bool is_gzip_file(const Origin& origin) {
  FileWindow file(origin);
  return Inflater::is_gzip(file.peek(0, 3));
}

}  // namespace

std::unique_ptr<TraceSource> TraceSource::open(const Origin& origin, InflateLimits limits) {
  if (is_gzip_file(origin)) {
    auto source = std::make_unique<GzipSource>(origin, limits);
    if (FileWindow(origin).size() < kWorthThread) return source;
    return std::make_unique<AheadSource>(std::move(source));
  }
  return std::make_unique<PlainSource>(origin, limits.most_output);
}

// Reads on behind what is not used yet; false at the end of the file, or when that would be longer than `longest`.
bool TraceScanner::fill(size_t longest) {
  if (last_) return false;
  if (at_ > 0) {
    std::memmove(buffer_.data(), here(), end_ - at_);
    base_ += at_;
    end_ -= at_;
    at_ = 0;
  }
  if (end_ + kChunk / 2 + JsonCursor::kPadding > buffer_.size()) {
    if (end_ > longest) return false;
    buffer_.resize(buffer_.size() * 2);
  }
  const size_t room = buffer_.size() - JsonCursor::kPadding;
  const size_t before = end_;
  while (end_ < room) {
    const size_t got = source_.read(buffer_.data() + end_, room - end_);
    if (got == 0) {
      last_ = true;
      break;
    }
    zeros_ += static_cast<uint64_t>(std::count(buffer_.data() + end_, buffer_.data() + end_ + got, '\0'));
    end_ += got;
    if (zeros_ > kMostZeros) {
      faults_.hollow = last_ = true;
      break;
    }
  }
  std::memset(buffer_.data() + end_, 0, JsonCursor::kPadding);
  return end_ > before;
}

char TraceScanner::next() {
  while (true) {
    while (at_ < end_ && static_cast<uint8_t>(buffer_[at_]) <= ' ') ++at_;
    if (at_ < end_) return buffer_[at_];
    if (!fill(kLongestEvent)) return '\0';
  }
}

bool TraceScanner::run() {
  fill(kLongestEvent);
  if (end_ >= 3 && std::memcmp(buffer_.data(), "\xef\xbb\xbf", 3) == 0) at_ = 3;
  const char first = next();
  bool is_json = true;
  if (first == '[') {
    read_events();
  } else if (first == '{') {
    ++at_;
    while (!faults_.cut_off && read_member()) {
    }
  } else {
    is_json = false;
  }
  faults_.inflate = source_.end();
  if (faults_.inflate != InflateEnd::complete && faults_.inflate != InflateEnd::none) faults_.truncated = true;
  return is_json;
}

// One member of the outermost object; false when there is no other.
bool TraceScanner::read_member() {
  char c = next();
  if (c == ',') {
    ++at_;
    c = next();
  }
  if (c == '}') return false;
  if (c != '"') {
    faults_.truncated |= c == '\0';
    return c != '\0' && faults_.no_events && find_events_key();
  }
  while (true) {
    JsonCursor cursor(here(), stop());
    const JsonValue key = cursor.value();
    if (key && cursor.take(':')) {
      const bool is_events = key.raw == kEvents;
      if (is_events && cursor.next() == '[') {
        at_ = static_cast<size_t>(cursor.at() - buffer_.data());
        read_events();
        return true;
      }
      const JsonValue value = cursor.value();
      // A value that lacks its end goes on into the events.
      const bool swallows = is_events || (value.kind >= JsonKind::object && value.raw.find(kEventsKey) != std::string_view::npos);
      if (value && faults_.no_events && swallows) return find_events_key();
      if (value) {
        sink_.top_level(key.raw, value);
        at_ = static_cast<size_t>(cursor.at() - buffer_.data());
        return true;
      }
    }
    if (cursor.state() == JsonCursor::State::more && fill(kLongestValue)) continue;
    if (faults_.no_events) return find_events_key();
    faults_.truncated = true;
    return false;
  }
}

// After something unreadable beside the events: goes on where the events begin.
bool TraceScanner::find_events_key() {
  static constexpr size_t kAround = 256;  // the key and what must follow it
  static constexpr size_t kNear = 8;      // bytes between the key and the bracket, of which some may be wrong
  ++faults_.lost;
  while (true) {
    const std::string_view text(here(), end_ - at_);
    const size_t found = text.find(kEventsKey);
    at_ = found == std::string_view::npos ? end_ - std::min(end_ - at_, kEventsKey.size() - 1) : at_ + found;
    if (found != std::string_view::npos && (last_ || end_ - at_ > kAround)) {
      JsonCursor cursor(here() + kEventsKey.size(), stop());
      const size_t bracket = std::string_view(cursor.at(), stop() - cursor.at()).substr(0, kNear).find('[');
      const bool follows = cursor.take(':') && cursor.next() == '[';
      if (follows || bracket != std::string_view::npos) {
        at_ += follows ? static_cast<size_t>(cursor.at() - here()) : kEventsKey.size() + bracket;
        read_events();
        return true;
      }
      ++at_;
      continue;
    }
    if (!fill(kLongestEvent)) {
      faults_.truncated = true;
      return false;
    }
  }
}

void TraceScanner::read_events() {
  faults_.no_events = false;
  ++at_;
  while (true) {
    switch (next()) {
      case ',':
        ++at_;
        break;
      case ']':
        ++at_;
        return;
      case '{':
        if (sink_.full()) {
          faults_.cut_off = true;
          return;
        }
        if (!read_event()) return;
        break;
      case '\0':
        faults_.truncated = true;
        return;
      default:
        if (!find_next_event()) return;
    }
  }
}

// One event; false when nothing follows.
bool TraceScanner::read_event() {
  while (true) {
    const char* after = nullptr;
    uint32_t odd_words = 0;
    const JsonCursor::State state = sink_.event(here(), stop(), base_ + at_, after, odd_words);
    if (state == JsonCursor::State::good) {
      at_ = static_cast<size_t>(after - buffer_.data());
      faults_.odd_words += odd_words;
      faults_.repaired += odd_words > 0;
      return true;
    }
    if (state == JsonCursor::State::more && fill(kLongestEvent)) continue;
    return mend_event();
  }
}

// Leaves out the event that begins here, and goes on at the next.
bool TraceScanner::skip_event() {
  ++at_;
  ++faults_.skipped;
  return find_next_event();
}

bool TraceScanner::mend_event() {
  // A file that is all traps would be gone through again for each of them: after some, they are only stepped over.
  if (in_vain_ > kMostInVain + 4 * bytes()) return skip_event();
  while (true) {
    const JsonRepair repair = repair_object({here(), end_ - at_}, false, mended_);
    if (repair.state == JsonCursor::State::more && fill(kLongestEvent)) continue;
    // A quote that was lost makes a text of the events behind it: then only the broken one is left out.
    const bool swallows = repair.state == JsonCursor::State::good && count_phases({here(), repair.used}) > 1;
    if (repair.state == JsonCursor::State::good && !swallows) {
      mended_.append(JsonCursor::kPadding, '\0');
      const char* after = nullptr;
      uint32_t odd_words = 0;
      const JsonCursor::State state =
          sink_.event(mended_.data(), mended_.data() + mended_.size() - JsonCursor::kPadding, base_ + at_, after, odd_words);
      if (state == JsonCursor::State::good) {
        ++faults_.repaired;
        at_ += repair.used;
        return true;
      }
    }
    if (repair.state == JsonCursor::State::more && last_) {  // cut off inside the last event
      faults_.truncated = true;
      return false;
    }
    in_vain_ += repair.looked;
    return skip_event();
  }
}

// Leaves out what lies before a place; each phase in it was an event that is lost.
bool TraceScanner::skip_to(size_t at) {
  const std::string_view text(here(), at - at_);
  faults_.lost += count_phases(text);
  faults_.skipped += text.size();
  at_ = at;
  return true;
}

// Goes to the next place that looks like an event's beginning; false at the end. At least one event is lost on the way.
bool TraceScanner::find_next_event() {
  const uint64_t before = faults_.lost;
  const bool found = look_for_event();
  faults_.lost = std::max(faults_.lost, before + 1);
  return found;
}

// The events end at a bracket only when no event follows
// it: among the arguments of a broken event a list ends before a key, too.
bool TraceScanner::look_for_event() {
  static constexpr size_t kHead = 512;  // an event says its phase this early
  const auto solid = [&](size_t at) {
    while (at < end_ && static_cast<uint8_t>(buffer_[at]) <= ' ') ++at;
    return at;
  };
  const auto follows_event = [&](size_t at) {
    while (at > at_ && static_cast<uint8_t>(buffer_[at - 1]) <= ' ') --at;
    return at == at_ || buffer_[at - 1] == '}' || buffer_[at - 1] == ',';
  };
  size_t look = 0;                          // behind at_, which stays where the damage begins
  size_t bracket = std::string_view::npos;  // the same of what may be the end of all events
  while (true) {
    for (; at_ + look < end_; ++look) {
      const size_t at = at_ + look;
      if (!last_ && end_ - at < 2 * kHead) break;
      if (buffer_[at] == ']' && bracket == std::string_view::npos && follows_event(at)) {
        const size_t after = solid(at + 1);
        const bool ends = after >= end_ ? last_ : buffer_[after] == '}' || (buffer_[after] == ',' && buffer_[solid(after + 1)] == '"');
        if (ends) bracket = look;
        continue;
      }
      if (buffer_[at] != '{' || buffer_[solid(at + 1)] != '"') continue;
      const std::string_view head(buffer_.data() + at, std::min(kHead, end_ - at));
      if (head.find(kPhase) != std::string_view::npos) return skip_to(at);
    }
    if (!last_ && look > kLongestEvent / 2) {  // what was skipped need not be kept any longer
      if (bracket != std::string_view::npos) return skip_to(at_ + bracket);
      skip_to(at_ + look);
      look = 0;
    }
    if (!fill(kLongestEvent)) break;
  }
  if (bracket != std::string_view::npos) return skip_to(at_ + bracket);
  skip_to(end_);
  faults_.truncated = true;
  return false;
}

std::string read_event_text(const Origin& origin, uint64_t offset, const RestartIndex* index, InflateLimits limits) {
  std::string text;
  std::string repaired;
  size_t want = size_t{16} << 10;
  const auto complete = [&](bool last) {
    if (text.empty() || text[0] != '{') return last;
    return repair_object(text, last, repaired).state == JsonCursor::State::good;
  };
  if (is_gzip_file(origin)) {
    const RestartPoint* from = index ? index->before(offset) : nullptr;
    auto inflater = from ? std::make_unique<Inflater>(origin, limits, *from) : std::make_unique<Inflater>(origin, limits);
    uint64_t at = from ? from->output : 0;
    std::vector<char> chunk(size_t{64} << 10);
    while (const size_t got = inflater->read(chunk.data(), chunk.size())) {
      if (at + got > offset) {
        const size_t skipped = at < offset ? static_cast<size_t>(offset - at) : 0;
        text.append(chunk.data() + skipped, got - skipped);
        if (text.size() >= want) {
          if (complete(false) || text[0] != '{' || text.size() > TraceScanner::kLongestEvent) break;
          want *= 2;
        }
      }
      at += got;
    }
    return complete(true) ? repaired : std::string();
  }
  FileWindow file(origin);
  for (; want <= TraceScanner::kLongestEvent; want *= 2) {
    text = file.peek(offset, want).substr(0, want);
    if (text.empty() || text[0] != '{') return {};
    if (complete(text.size() < want)) return repaired;
    if (text.size() < want) return {};
  }
  return {};
}

}  // namespace stepscope::profile
