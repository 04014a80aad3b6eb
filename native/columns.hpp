// Columns that only grow: chunks that never move, one writing thread, any number of readers without locks.
//
// The writer fills a chunk's arrays, sets its `used`, and then publishes the column's new length with release order. A reader
// takes the length with acquire order and sees complete points up to it, never past it. A chunk that is followed by another
// is final.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace stepscope {

// What a series holds. The numbers are stored in checkpoints and known to Python (model/kinds.py).
enum class Kind : uint8_t {
  scalar = 0,
  image = 1,
  audio = 2,
  text = 3,
  histogram = 4,
  tensor = 5,
  mesh = 6,
  pr_curve = 7,
  hparams = 8,
  graph = 9,
  layout = 10,
  run_metadata = 11,
  session_log = 12,
  other = 13,
};

// A contiguous stretch of scalar points. Exactly one of f32 and f64 is set.
struct ScalarSpan {
  const int64_t* step = nullptr;
  const double* wall = nullptr;
  const float* f32 = nullptr;
  const double* f64 = nullptr;
  size_t size = 0;

  double value(size_t i) const { return f32 ? static_cast<double>(f32[i]) : f64[i]; }
  ScalarSpan slice(size_t from, size_t to) const {
    return {step + from, wall + from, f32 ? f32 + from : nullptr, f64 ? f64 + from : nullptr, to - from};
  }
};

struct BlobSpan {
  const int64_t* step = nullptr;
  const double* wall = nullptr;
  const uint64_t* offset = nullptr;
  const uint64_t* length = nullptr;
  size_t size = 0;
};

// How many points the next chunk should hold: small for short series (a million tags must be affordable), then an eighth of
// what is there, so that at most 12.5 % of the memory waits for points.
inline uint32_t next_capacity(uint64_t count) {
  if (count < 4) return 4;
  if (count < 256) return static_cast<uint32_t>(count);
  return static_cast<uint32_t>(std::min<uint64_t>(std::max<uint64_t>(count / 8, 256), 1u << 20));
}

class ScalarColumn {
 public:
  ScalarColumn() = default;
  ~ScalarColumn();
  ScalarColumn(const ScalarColumn&) = delete;
  ScalarColumn& operator=(const ScalarColumn&) = delete;

  void append(int64_t step, double wall, double value);
  void publish() { published_.store(count_, std::memory_order_release); }

  struct Summary;
  struct StartMark;
  // Takes memory that outlives the column (a pack) as the first points, without touching it: what is known of them comes
  // along, so that opening a large checkpoint reads next to nothing. Only on an empty
  // column; `publish` makes them visible.
  void restore(const ScalarSpan& span, const Summary& summary, const std::vector<StartMark>& marks);

  uint64_t size() const { return published_.load(std::memory_order_acquire); }
  std::vector<ScalarSpan> spans(uint64_t count) const;
  uint64_t memory_bytes() const { return memory_; }

  // A summary of what has been appended; each number is right by itself, the set may be a moment apart from size().
  struct Summary {
    int64_t first_step = 0, last_step = 0;
    double last = std::numeric_limits<double>::quiet_NaN();
    double min = std::numeric_limits<double>::quiet_NaN();
    double max = std::numeric_limits<double>::quiet_NaN();
    bool steps_ordered = true;   // never goes back
    bool steps_distinct = true;  // no step directly follows itself
    bool walls_ordered = true;
    double last_wall = -std::numeric_limits<double>::infinity();  // for the writer: whether walls stay ordered
  };
  Summary summary() const;

  // Where session starts fell: the n-th start of the file came before point `index` of this column.
  struct StartMark {
    uint32_t start;
    uint64_t index;
  };
  void mark_starts(uint32_t starts_so_far);
  // Readers call this with the count they read; marks past it are left out.
  std::vector<StartMark> start_marks(uint64_t count) const;

 private:
  struct Chunk {
    int64_t* step;
    double* wall;
    float* f32;
    double* f64;
    uint32_t capacity;
    std::atomic<uint32_t> used{0};
    std::atomic<Chunk*> next{nullptr};
    bool owns = true;
  };
  struct Mark {
    StartMark mark;
    std::atomic<Mark*> next{nullptr};
  };
  Chunk* grow(bool wide);
  void adopt(const ScalarSpan& span);
  void add_mark(StartMark mark);

  std::atomic<Chunk*> head_{nullptr};
  Chunk* tail_ = nullptr;
  uint64_t count_ = 0;  // appended by the writer, perhaps not yet published
  std::atomic<uint64_t> published_{0};
  std::atomic<uint64_t> memory_{0};
  double last_wall_ = -std::numeric_limits<double>::infinity();
  uint32_t seen_starts_ = 0;
  std::atomic<Mark*> marks_{nullptr};
  Mark* last_mark_ = nullptr;

  std::atomic<int64_t> first_step_{0}, last_step_{0};
  std::atomic<double> last_{std::numeric_limits<double>::quiet_NaN()};
  std::atomic<double> min_{std::numeric_limits<double>::quiet_NaN()};
  std::atomic<double> max_{std::numeric_limits<double>::quiet_NaN()};
  std::atomic<bool> steps_ordered_{true}, steps_distinct_{true}, walls_ordered_{true};
};

class BlobColumn {
 public:
  BlobColumn() = default;
  ~BlobColumn();
  BlobColumn(const BlobColumn&) = delete;
  BlobColumn& operator=(const BlobColumn&) = delete;

  void append(int64_t step, double wall, uint64_t offset, uint64_t length);
  void publish() { published_.store(count_, std::memory_order_release); }
  // Takes memory that outlives the column as the first entries, without touching it. Only on an empty column.
  void restore(const BlobSpan& span, int64_t first_step, int64_t last_step);
  uint64_t size() const { return published_.load(std::memory_order_acquire); }
  std::vector<BlobSpan> spans(uint64_t count) const;
  uint64_t memory_bytes() const { return memory_; }
  int64_t first_step() const { return first_step_.load(std::memory_order_relaxed); }
  int64_t last_step() const { return last_step_.load(std::memory_order_relaxed); }

 private:
  struct Chunk {
    int64_t* step;
    double* wall;
    uint64_t* offset;
    uint64_t* length;
    uint32_t capacity;
    std::atomic<uint32_t> used{0};
    std::atomic<Chunk*> next{nullptr};
    bool owns = true;
  };
  std::atomic<Chunk*> head_{nullptr};
  Chunk* tail_ = nullptr;
  uint64_t count_ = 0;
  std::atomic<uint64_t> published_{0};
  std::atomic<uint64_t> memory_{0};
  std::atomic<int64_t> first_step_{0}, last_step_{0};
};

}  // namespace stepscope
