// Operations that C and C++ libraries mark with stepscope_op.h, while a capture records.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace stepscope {

struct MarkedOps {
  static constexpr size_t kMost = 1 << 20;

  struct Op {
    uint32_t name;            // among `names`
    uint64_t start, end;      // nanoseconds of the monotonic clock
    uint64_t thread, hashed;  // the thread's number as the kernel has it, and as the lines of an XSpace have it
    uint64_t bytes;
  };

  std::vector<std::string> names;
  std::vector<Op> ops;
  uint64_t dropped = 0;  // beyond kMost
};

// Gives a recorder to every library of the process that includes the header; what was marked before is forgotten.
void start_marked_ops();

// Takes it away again, and returns what was marked.
MarkedOps stop_marked_ops();

}  // namespace stepscope
