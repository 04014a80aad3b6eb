// A file read through one moving window with positioned reads: never mapped, because a log may be truncated while we read.
// The bytes are those of a local file, or of ranges that somebody else reads: a bucket, an archive, memory.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace stepscope {

// Reads ranges of bytes that are not in a local file. May be called from any thread.
class RangeReader {
 public:
  virtual ~RangeReader() = default;
  // How many bytes there are now. Throws std::system_error, as does `read`.
  virtual uint64_t size() = 0;
  // Reads at most `size` bytes into `into` and returns how many there were; 0 at the end.
  virtual size_t read(uint64_t at, char* into, size_t size) = 0;
};

// Where the bytes of a file are: at a local path, or behind `ranges`, when there are any, whatever the path says.
struct Origin {
  Origin(std::string path, std::shared_ptr<RangeReader> ranges = nullptr) : path(std::move(path)), ranges(std::move(ranges)) {}

  std::string path;
  std::shared_ptr<RangeReader> ranges;
};

class FileWindow {
 public:
  static constexpr bool kInMemory = false;

  // Opens the file; throws std::system_error. Only regular files are read: a pipe or device in a log folder must not block us.
  explicit FileWindow(const Origin& origin);
  ~FileWindow();
  FileWindow(const FileWindow&) = delete;
  FileWindow& operator=(const FileWindow&) = delete;

  // The size when the file was opened. What is appended later belongs to the next scan.
  uint64_t size() const { return size_; }

  // How much of that the storage holds: less than the size when the file has holes.
  uint64_t stored() const { return stored_; }

  // At least `want` bytes from `at` on, or what there is before the end. Valid until the next call.
  std::string_view peek(uint64_t at, size_t want) { return has(at, want) ? view(at) : refill(at, want); }
  // Whether the window has these bytes, so that looking at them does not move it.
  bool has(uint64_t at, size_t want) const { return at >= start_ && at + want <= start_ + filled_; }

  // Reads beside the window, for places far from each other; returns how many bytes there were.
  size_t read(uint64_t at, char* into, size_t size);

  // The end of the hole at `at`, which the file system shows as zeros without storing them; `at` where there is none or none is known.
  uint64_t end_of_hole(uint64_t at) const;

  uint64_t bytes_read() const { return bytes_read_; }

 private:
  std::string_view view(uint64_t at) const { return {buffer_.data() + (at - start_), static_cast<size_t>(start_ + filled_ - at)}; }
  std::string_view refill(uint64_t at, size_t want);

  static constexpr size_t kSmallest = size_t{16} << 10;
  static constexpr size_t kLargest = size_t{2} << 20;

  int64_t read_some(uint64_t at, char* into, size_t size);

  int fd_ = -1;
  std::shared_ptr<RangeReader> ranges_;
  uint64_t size_ = 0, stored_ = 0;
  std::vector<char> buffer_;
  uint64_t start_ = 0;
  size_t filled_ = 0;
  size_t ahead_ = kSmallest;  // how much to read beyond what is wanted: doubles while reading goes straight on
  uint64_t bytes_read_ = 0;
};

}  // namespace stepscope
