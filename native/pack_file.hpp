// The columns of a checkpoint: a file whose parts are read into memory when they are first needed, each to a fixed place.
//
// It is never mapped: a file that is truncated while it is used, on a network home by another machine, would kill the process. Memory
// that no part was read into costs nothing.
#pragma once

#include <cstddef>
#include <mutex>
#include <string>
#include <vector>

#include "file_window.hpp"

namespace stepscope {

class PackFile {
 public:
  // Opens the file, which stays open: it may be removed meanwhile. Throws std::system_error.
  explicit PackFile(const std::string& path);
  ~PackFile();
  PackFile(const PackFile&) = delete;
  PackFile& operator=(const PackFile&) = delete;

  // Where the bytes are once `load` has read them; before that, zeros.
  const char* data() const { return data_; }
  size_t size() const { return size_; }

  // Reads a part, which must lie inside the size, to its place; false when the file no longer holds it. For one thread per part.
  bool load(size_t at, size_t size) const;

 private:
  mutable std::mutex reading_;
  mutable FileWindow file_;
  char* data_ = nullptr;
  size_t size_ = 0;
};

}  // namespace stepscope
