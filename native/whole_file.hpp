// A file's whole content in memory: large ones are read by several threads into huge pages, never mapped.
#pragma once

#include <cstdint>

#include "file_window.hpp"
#include "large_memory.hpp"

namespace stepscope {

// At most `most` bytes; fewer when the file is shorter, or is cut while it is read. Throws std::system_error.
LargeVector<uint8_t> read_whole_file(const Origin& origin, uint64_t most);

}  // namespace stepscope
