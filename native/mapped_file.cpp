// Maps a file with mmap on POSIX; elsewhere reads it whole.
#include "mapped_file.hpp"

#include <cerrno>
#include <system_error>

#if defined(_WIN32)
#include "file_window.hpp"
#else
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#endif

namespace stepscope {

#if defined(_WIN32)

MappedFile::MappedFile(const std::string& path) {
  FileWindow file(path);
  copy_.reserve(static_cast<size_t>(file.size()));
  while (copy_.size() < file.size()) {
    const std::string_view piece = file.peek(copy_.size(), 1);
    if (piece.empty()) break;
    copy_.insert(copy_.end(), piece.begin(), piece.end());
  }
  data_ = copy_.data();
  size_ = copy_.size();
}

MappedFile::~MappedFile() = default;

#else

MappedFile::MappedFile(const std::string& path) {
  const auto fail = [&] { throw std::system_error(errno, std::generic_category(), path); };
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) fail();
  struct stat info;
  if (::fstat(fd, &info) != 0) {
    ::close(fd);
    fail();
  }
  size_ = static_cast<size_t>(info.st_size);
  if (size_ > 0) {
    void* memory = ::mmap(nullptr, size_, PROT_READ, MAP_SHARED, fd, 0);
    if (memory == MAP_FAILED) {
      ::close(fd);
      fail();
    }
    data_ = static_cast<const char*>(memory);
  }
  ::close(fd);
}

MappedFile::~MappedFile() {
  if (data_) ::munmap(const_cast<char*>(data_), size_);
}

#endif

}  // namespace stepscope
