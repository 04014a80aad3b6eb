// A whole file in memory for reading: mapped where the system can, read otherwise. Only for files that never change.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace stepscope {

class MappedFile {
 public:
  // Throws std::system_error.
  explicit MappedFile(const std::string& path);
  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  const char* data() const { return data_; }
  size_t size() const { return size_; }

 private:
  const char* data_ = nullptr;
  size_t size_ = 0;
  std::vector<char> copy_;  // used where nothing can be mapped
};

}  // namespace stepscope
