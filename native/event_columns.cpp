// Creation, lookup and publication of the series of one event file.
#include "event_columns.hpp"

#include <bit>

#include "crc32c.hpp"

namespace stepscope {

bool Series::intact() const {
  if (!pack.file) return true;
  uint8_t state = pack_state.load(std::memory_order_acquire);
  if (state == 0 && pack_state.compare_exchange_strong(state, 3, std::memory_order_acquire)) {
    const bool whole = pack.file->load(pack.at, pack.size);
    state = whole && crc32c(pack.file->data() + pack.at, pack.size) == pack.crc ? 1 : 2;
    pack_state.store(state, std::memory_order_release);
    pack_state.notify_all();
  }
  while (state == 3) {
    pack_state.wait(3, std::memory_order_acquire);
    state = pack_state.load(std::memory_order_acquire);
  }
  return state == 1;
}

EventColumns::~EventColumns() {
  for (uint32_t i = 0; i < count_; ++i) delete slot(i).load(std::memory_order_relaxed);
  for (auto& block : blocks_) delete[] block.load(std::memory_order_relaxed);
}

EventColumns::Slot& EventColumns::slot(uint32_t index) const {
  const uint32_t block = static_cast<uint32_t>(std::bit_width(index / kFirstBlock + 1)) - 1;
  const uint32_t first = kFirstBlock * ((1u << block) - 1);
  Slot* slots = blocks_[block].load(std::memory_order_acquire);
  if (!slots) {  // only the writer meets an empty block: readers stay below the published size
    slots = new Slot[static_cast<size_t>(kFirstBlock) << block]();
    blocks_[block].store(slots, std::memory_order_release);
  }
  return slots[index - first];
}

Series* EventColumns::find_by_name(std::string_view name) {
  if (last_found_ && last_found_->next_guess != UINT32_MAX) {
    Series* guess = slot(last_found_->next_guess).load(std::memory_order_relaxed);
    if (guess->name == name) return last_found_ = guess;
  }
  const auto found = by_name_.find(name);
  if (found == by_name_.end()) return nullptr;
  if (last_found_) last_found_->next_guess = found->second;
  return last_found_ = slot(found->second).load(std::memory_order_relaxed);
}

Series& EventColumns::get(std::string_view name, Kind kind) {
  Series* last = nullptr;
  for (Series* series = find_by_name(name); series;) {
    if (series->kind == kind) return *series;
    last = series;
    series = series->sibling == UINT32_MAX ? nullptr : slot(series->sibling).load(std::memory_order_relaxed);
  }
  auto series = std::make_unique<Series>();
  series->tag = names_->intern(name);
  series->kind = kind;
  series->name = names_->name(series->tag);
  if (kind == Kind::scalar)
    series->scalars = std::make_unique<ScalarColumn>();
  else
    series->blobs = std::make_unique<BlobColumn>();
  const uint32_t index = count_;
  if (last)
    last->sibling = index;
  else
    by_name_.emplace(series->name, index);
  {
    std::lock_guard lock(mutex_);
    by_tag_.emplace(static_cast<uint64_t>(series->tag) << 8 | static_cast<uint64_t>(kind), index);
  }
  slot(index).store(series.get(), std::memory_order_release);
  ++count_;
  return *series.release();
}

void EventColumns::add_start(int64_t step) {
  std::lock_guard lock(mutex_);
  starts_.push_back(step);
  ++writer_starts_;
}

void EventColumns::publish() {
  published_.store(count_, std::memory_order_release);
  points_.store(writer_points_, std::memory_order_relaxed);
  for (Series* series : touched_) {
    series->touched = false;
    if (series->scalars)
      series->scalars->publish();
    else
      series->blobs->publish();
  }
  std::lock_guard lock(mutex_);
  for (const Series* series : touched_) changed_.push_back(series->tag);
  touched_.clear();
}

std::vector<int32_t> EventColumns::take_changed() {
  std::lock_guard lock(mutex_);
  std::vector<int32_t> changed = std::move(changed_);
  changed_.clear();
  std::sort(changed.begin(), changed.end());
  changed.erase(std::unique(changed.begin(), changed.end()), changed.end());
  return changed;
}

int64_t EventColumns::find(int32_t tag, Kind kind) const {
  std::lock_guard lock(mutex_);
  const auto found = by_tag_.find(static_cast<uint64_t>(tag) << 8 | static_cast<uint64_t>(kind));
  if (found == by_tag_.end() || found->second >= size()) return -1;
  return found->second;
}

std::vector<int64_t> EventColumns::start_steps() const {
  std::lock_guard lock(mutex_);
  return starts_;
}

uint64_t EventColumns::memory_bytes() const {
  uint64_t bytes = sizeof(*this);
  for (uint32_t i = 0, n = size(); i < n; ++i) {
    const Series& series = at(i);
    bytes += sizeof(Series) + (series.scalars ? sizeof(ScalarColumn) + series.scalars->memory_bytes()
                                              : sizeof(BlobColumn) + series.blobs->memory_bytes());
  }
  return bytes;
}

Series& EventColumns::restore(std::string_view name, Kind kind, std::unique_ptr<Metadata> metadata) {
  Series& series = get(name, kind);
  if (metadata) series.metadata.store(metadata.release(), std::memory_order_release);
  return series;
}

void EventColumns::restore_totals(std::vector<int64_t> starts, uint64_t points) {
  std::lock_guard lock(mutex_);
  starts_ = std::move(starts);
  writer_starts_ = static_cast<uint32_t>(starts_.size());
  writer_points_ = points;
}

}  // namespace stepscope
