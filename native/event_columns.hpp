// All series of one event file: a table that only grows, filled by one thread, read by any number.
#pragma once

#include <array>
#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "columns.hpp"
#include "name_pool.hpp"
#include "pack_file.hpp"

namespace stepscope {

// SummaryMetadata as the first value of a tag carries it.
struct Metadata {
  std::string plugin, display_name, description, content;
  uint32_t data_class = 0;
  std::string raw;  // as it stands in the file when it is short; empty when it came from a checkpoint
};

// A series' bytes in a pack, read and tested against their checksum at first use.
struct PackedBytes {
  const PackFile* file = nullptr;
  size_t at = 0, size = 0;
  uint32_t crc = 0;
};

struct Series {
  int32_t tag = 0;
  Kind kind = Kind::other;
  std::string_view name;                  // in the name pool
  std::unique_ptr<ScalarColumn> scalars;  // exactly one of the two is set
  std::unique_ptr<BlobColumn> blobs;
  std::atomic<const Metadata*> metadata{nullptr};  // set once, owned
  uint32_t sibling = UINT32_MAX;                   // the next series of the same name and another kind (writer only)
  uint32_t next_guess = UINT32_MAX;                // the series that followed last time (writer only)
  bool touched = false;                            // has unpublished points (writer only)
  PackedBytes pack;                                // set before publication, never changed
  mutable std::atomic<uint8_t> pack_state{0};      // 0 not read, 1 intact, 2 damaged, 3 being read

  ~Series() { delete metadata.load(std::memory_order_relaxed); }
  uint64_t size() const { return scalars ? scalars->size() : blobs->size(); }
  // Reads the part that came from a pack, if that was not done yet; to be called before points are looked at. False when it is
  // damaged: the log file has to be read again.
  bool intact() const;
};

class EventColumns {
 public:
  explicit EventColumns(std::shared_ptr<NamePool> names) : names_(std::move(names)) {}
  ~EventColumns();

  // --- for the one writing thread ---
  // The first series of that name, or null. Remembers what follows what, as training loops log tags in turn.
  Series* find_by_name(std::string_view name);
  Series& get(std::string_view name, Kind kind);
  void touch(Series& series) {
    if (!series.touched) {
      series.touched = true;
      touched_.push_back(&series);
    }
  }
  void count_point() { ++writer_points_; }
  void add_start(int64_t step);
  uint32_t starts_so_far() const { return writer_starts_; }
  // Makes everything appended so far visible to readers.
  void publish();
  // Tags with points published since the last call.
  std::vector<int32_t> take_changed();

  // --- for readers ---
  uint32_t size() const { return published_.load(std::memory_order_acquire); }
  const Series& at(uint32_t index) const { return *slot(index).load(std::memory_order_acquire); }
  // The index of a tag's series of that kind, or -1.
  int64_t find(int32_t tag, Kind kind) const;
  std::vector<int64_t> start_steps() const;
  uint64_t points() const { return points_.load(std::memory_order_relaxed); }
  uint64_t memory_bytes() const;
  const std::shared_ptr<NamePool>& names() const { return names_; }

  // Adds a series from a checkpoint; its columns are filled and published by the caller.
  Series& restore(std::string_view name, Kind kind, std::unique_ptr<Metadata> metadata);
  void restore_totals(std::vector<int64_t> starts, uint64_t points);

 private:
  // Block k holds 16 << k series, so a slot never moves and an empty file costs little.
  static constexpr uint32_t kFirstBlock = 16;
  static constexpr size_t kBlocks = 27;
  using Slot = std::atomic<Series*>;
  Slot& slot(uint32_t index) const;

  std::shared_ptr<NamePool> names_;
  mutable std::array<std::atomic<Slot*>, kBlocks> blocks_{};
  uint32_t count_ = 0;
  std::atomic<uint32_t> published_{0};
  std::unordered_map<std::string_view, uint32_t> by_name_;  // writer only
  mutable std::mutex mutex_;                                // guards by_tag_, starts_ and changed_
  std::unordered_map<uint64_t, uint32_t> by_tag_;           // tag and kind to index
  std::vector<int64_t> starts_;
  std::vector<int32_t> changed_;
  uint32_t writer_starts_ = 0;
  uint64_t writer_points_ = 0;  // published with the columns
  std::vector<Series*> touched_;
  Series* last_found_ = nullptr;
  std::atomic<uint64_t> points_{0};
};

}  // namespace stepscope
