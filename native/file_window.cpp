// Positioned reads on POSIX and Windows, and of ranges, behind one window.
#include "file_window.hpp"

#include <algorithm>
#include <cerrno>
#include <system_error>

#if defined(_WIN32)
#include <fcntl.h>
#include <io.h>
#include <share.h>
#include <sys/stat.h>
#include <windows.h>
#else
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#endif

namespace stepscope {
namespace {

[[noreturn]] void fail(int code, const std::string& path) { throw std::system_error(code, std::generic_category(), path); }

#if defined(_WIN32)
int open_file(const std::string& path, uint64_t& size, uint64_t& stored) {
  const int wide = MultiByteToWideChar(CP_UTF8, 0, path.c_str(), -1, nullptr, 0);
  std::wstring name(static_cast<size_t>(wide), L'\0');
  MultiByteToWideChar(CP_UTF8, 0, path.c_str(), -1, name.data(), wide);
  int fd = -1;
  if (const errno_t error = _wsopen_s(&fd, name.c_str(), _O_RDONLY | _O_BINARY | _O_NOINHERIT, _SH_DENYNO, 0); error) fail(error, path);
  struct _stat64 info;
  if (_fstat64(fd, &info) != 0 || (info.st_mode & _S_IFREG) == 0) {
    _close(fd);
    fail(EINVAL, path);
  }
  size = stored = static_cast<uint64_t>(info.st_size);
  return fd;
}

void close_file(int fd) { _close(fd); }

int64_t read_at(int fd, char* into, size_t size, uint64_t at) {
  if (_lseeki64(fd, static_cast<int64_t>(at), SEEK_SET) < 0) return -1;
  return _read(fd, into, static_cast<unsigned>(size));
}

uint64_t next_data(int, uint64_t at, uint64_t) { return at; }
#else
int open_file(const std::string& path, uint64_t& size, uint64_t& stored) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) fail(errno, path);
  struct stat info;
  int error = ::fstat(fd, &info) != 0 ? errno : S_ISREG(info.st_mode) ? 0 : EINVAL;
  if (error) {
    ::close(fd);
    fail(error, path);
  }
  size = static_cast<uint64_t>(info.st_size);
  stored = std::min(size, static_cast<uint64_t>(info.st_blocks) * 512);
  return fd;
}

void close_file(int fd) { ::close(fd); }

int64_t read_at(int fd, char* into, size_t size, uint64_t at) {
  ssize_t got;
  do got = ::pread(fd, into, size, static_cast<off_t>(at));
  while (got < 0 && errno == EINTR);
  return got;
}

#if defined(SEEK_DATA)
uint64_t next_data(int fd, uint64_t at, uint64_t size) {
  const off_t found = ::lseek(fd, static_cast<off_t>(at), SEEK_DATA);
  if (found >= 0) return static_cast<uint64_t>(found);
  return errno == ENXIO ? size : at;
}
#else
uint64_t next_data(int, uint64_t at, uint64_t) { return at; }
#endif
#endif

}  // namespace

FileWindow::FileWindow(const Origin& origin) : ranges_(origin.ranges) {
  if (ranges_)
    size_ = stored_ = ranges_->size();
  else
    fd_ = open_file(origin.path, size_, stored_);
}

FileWindow::~FileWindow() {
  if (!ranges_) close_file(fd_);
}

// What a reader of ranges says it has read is never more than there is room for.
int64_t FileWindow::read_some(uint64_t at, char* into, size_t size) {
  return ranges_ ? static_cast<int64_t>(std::min(ranges_->read(at, into, size), size)) : read_at(fd_, into, size, at);
}

uint64_t FileWindow::end_of_hole(uint64_t at) const {
  return ranges_ || at >= size_ ? at : std::clamp(next_data(fd_, at, size_), at, size_);
}

std::string_view FileWindow::refill(uint64_t at, size_t want) {
  if (at >= size_) return {};
  const bool straight_on = filled_ > 0 && at >= start_ && at <= start_ + filled_;
  ahead_ = straight_on ? std::min(ahead_ * 2, kLargest) : kSmallest;
  const auto target = static_cast<size_t>(std::min<uint64_t>(std::max(want, ahead_), size_ - at));
  size_t kept = 0;
  if (straight_on) {  // keep the tail of the window: the head of the record that did not fit
    kept = static_cast<size_t>(start_ + filled_ - at);
    std::copy(buffer_.begin() + static_cast<std::ptrdiff_t>(at - start_), buffer_.begin() + static_cast<std::ptrdiff_t>(filled_),
              buffer_.begin());
  }
  start_ = at;
  filled_ = kept;
  if (buffer_.size() < target) buffer_.resize(target);
  filled_ += read(at + filled_, buffer_.data() + filled_, target - filled_);
  return view(at);
}

size_t FileWindow::read(uint64_t at, char* into, size_t size) {
  size_t done = 0;
  while (done < size) {
    const int64_t got = read_some(at + done, into + done, size - done);
    if (got < 0) fail(errno, "read");
    if (got == 0) break;  // truncated since it was opened
    done += static_cast<size_t>(got);
  }
  bytes_read_ += done;
  return done;
}

}  // namespace stepscope
