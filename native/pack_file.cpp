// Memory for a whole pack, of which the system gives only what is written to, and reads into it.
#include "pack_file.hpp"

#include <cerrno>
#include <cstdlib>
#include <system_error>

#if !defined(_WIN32)
#include <sys/mman.h>
#endif

namespace stepscope {
namespace {

char* reserve(size_t size) {
#if defined(_WIN32)
  return static_cast<char*>(std::calloc(size, 1));
#else
  void* memory = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return memory == MAP_FAILED ? nullptr : static_cast<char*>(memory);
#endif
}

void release(char* memory, size_t size) {
#if defined(_WIN32)
  (void)size;
  std::free(memory);
#else
  ::munmap(memory, size);
#endif
}

}  // namespace

PackFile::PackFile(const std::string& path) : file_(Origin(path)), size_(static_cast<size_t>(file_.size())) {
  if (size_ == 0) return;
  data_ = reserve(size_);
  if (!data_) throw std::system_error(ENOMEM, std::generic_category(), path);
}

PackFile::~PackFile() {
  if (data_) release(data_, size_);
}

bool PackFile::load(size_t at, size_t size) const {
  const std::lock_guard locked(reading_);
  try {
    return file_.read(at, data_ + at, size) == size;
  } catch (const std::system_error&) {
    return false;
  }
}

}  // namespace stepscope
