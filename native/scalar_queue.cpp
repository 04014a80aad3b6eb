// Packing of queued scalars: a fixed head, then the tag's bytes, one entry behind the other.
#include "scalar_queue.hpp"

#include <utility>

namespace stepscope {
namespace {

// Small enough that encoding one takes a fraction of a millisecond, large enough that taking one is rare.
constexpr size_t kChunkBytes = 64 << 10;

}  // namespace

void ScalarQueue::add(std::string_view tag, int64_t step, double wall_time, double value, ScalarForm form) {
  if (chunks_.empty() || chunks_.back().bytes.size() >= kChunkBytes) {
    chunks_.emplace_back();
    chunks_.back().bytes.reserve(kChunkBytes + kChunkBytes / 8);
  }
  chunks_.back().add({step, wall_time, value, tag.size(), form}, tag);
  ++size_;
  if (!highest_step_ || step > *highest_step_) highest_step_ = step;
}

PackedScalars ScalarQueue::take_chunk() {
  if (chunks_.empty()) return {};
  PackedScalars oldest = std::move(chunks_.front());
  chunks_.pop_front();
  size_ -= oldest.count;
  return oldest;
}

void ScalarQueue::clear() {
  chunks_.clear();
  size_ = 0;
  highest_step_.reset();
}

}  // namespace stepscope
