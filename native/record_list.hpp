// The data of whole records, for readers that decode events themselves.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "file_window.hpp"

namespace stepscope {

struct WholeRecord {
  std::string data;
  uint64_t end = 0;  // where the next record begins
};

// Records from `offset` on, until there are at least `most` bytes of them or the file ends. Damage is stepped over when a whole
// record follows it. Throws std::system_error.
std::vector<WholeRecord> read_records(const Origin& origin, uint64_t offset, uint64_t most);

}  // namespace stepscope
