// Scalars on their way from the training thread to the encoder: packed into chunks of bytes, so that a call costs one copy.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>

#include "event_encoder.hpp"

namespace stepscope {

// Not thread-safe: Python's interpreter lock orders its callers.
class ScalarQueue {
 public:
  void add(std::string_view tag, int64_t step, double wall_time, double value, ScalarForm form);

  size_t size() const { return size_; }
  std::optional<int64_t> highest_step() const { return highest_step_; }

  // The oldest entries, in the form that EventEncoder::add_packed reads; empty when there are none.
  PackedScalars take_chunk();
  void clear();

 private:
  std::deque<PackedScalars> chunks_;
  size_t size_ = 0;
  std::optional<int64_t> highest_step_;
};

}  // namespace stepscope
