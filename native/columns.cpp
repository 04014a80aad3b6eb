// Growth and reading of the chunked columns; see columns.hpp for what readers may rely on.
#include "columns.hpp"

#include <cmath>
#include <new>

namespace stepscope {
namespace {

// One allocation holds all arrays of a chunk, widest first so that each is aligned.
char* allocate(size_t bytes) {
  void* memory = std::malloc(bytes);
  if (!memory) throw std::bad_alloc();
  return static_cast<char*>(memory);
}

template <class Chunk>
void free_chunks(Chunk* chunk) {
  while (chunk) {
    Chunk* next = chunk->next.load(std::memory_order_relaxed);
    if (chunk->owns) std::free(chunk->step);
    delete chunk;
    chunk = next;
  }
}

template <class Chunk>
void link(std::atomic<Chunk*>& head, Chunk*& tail, Chunk* chunk) {
  if (tail)
    tail->next.store(chunk, std::memory_order_release);
  else
    head.store(chunk, std::memory_order_release);
  tail = chunk;
}

bool fits_float(double value) { return std::isnan(value) || static_cast<double>(static_cast<float>(value)) == value; }

}  // namespace

ScalarColumn::~ScalarColumn() {
  free_chunks(head_.load(std::memory_order_relaxed));
  for (Mark* mark = marks_.load(std::memory_order_relaxed); mark;) {
    Mark* next = mark->next.load(std::memory_order_relaxed);
    delete mark;
    mark = next;
  }
}

ScalarColumn::Chunk* ScalarColumn::grow(bool wide) {
  const uint32_t capacity = next_capacity(count_);
  const size_t value_size = wide ? sizeof(double) : sizeof(float);
  const size_t bytes = capacity * (sizeof(int64_t) + sizeof(double) + value_size);
  auto chunk = std::make_unique<Chunk>();
  char* memory = allocate(bytes);
  chunk->step = reinterpret_cast<int64_t*>(memory);
  chunk->wall = reinterpret_cast<double*>(memory + capacity * sizeof(int64_t));
  char* values = memory + capacity * (sizeof(int64_t) + sizeof(double));
  chunk->f32 = wide ? nullptr : reinterpret_cast<float*>(values);
  chunk->f64 = wide ? reinterpret_cast<double*>(values) : nullptr;
  chunk->capacity = capacity;
  memory_ += bytes + sizeof(Chunk);
  link(head_, tail_, chunk.get());
  return chunk.release();
}

void ScalarColumn::append(int64_t step, double wall, double value) {
  Chunk* chunk = tail_;
  const bool narrow = fits_float(value);
  // A value that float cannot hold closes a chunk of floats; chunks of doubles take everything.
  if (!chunk || chunk->used.load(std::memory_order_relaxed) == chunk->capacity || (!narrow && chunk->f32))
    chunk = grow(!narrow || (chunk && chunk->f64));
  const uint32_t at = chunk->used.load(std::memory_order_relaxed);
  chunk->step[at] = step;
  chunk->wall[at] = wall;
  if (chunk->f32)
    chunk->f32[at] = static_cast<float>(value);
  else
    chunk->f64[at] = value;
  chunk->used.store(at + 1, std::memory_order_relaxed);

  constexpr auto relaxed = std::memory_order_relaxed;
  if (count_ == 0) {
    first_step_.store(step, relaxed);
  } else {
    const int64_t before = last_step_.load(relaxed);
    if (step < before) steps_ordered_.store(false, relaxed);
    if (step == before) steps_distinct_.store(false, relaxed);
    if (!(wall >= last_wall_)) walls_ordered_.store(false, relaxed);
  }
  last_step_.store(step, relaxed);
  last_.store(value, relaxed);
  if (std::isfinite(value)) {
    if (const double low = min_.load(relaxed); !(low <= value)) min_.store(value, relaxed);
    if (const double high = max_.load(relaxed); !(high >= value)) max_.store(value, relaxed);
  }
  last_wall_ = wall;
  ++count_;
}

void ScalarColumn::adopt(const ScalarSpan& span) {
  // Chunks count in 32 bits, so a very long restored column becomes several of them.
  constexpr size_t kMost = size_t{1} << 31;
  for (size_t from = 0; from < span.size; from += kMost) {
    const ScalarSpan part = span.slice(from, std::min(span.size, from + kMost));
    auto chunk = std::make_unique<Chunk>();
    chunk->step = const_cast<int64_t*>(part.step);
    chunk->wall = const_cast<double*>(part.wall);
    chunk->f32 = const_cast<float*>(part.f32);
    chunk->f64 = const_cast<double*>(part.f64);
    chunk->capacity = static_cast<uint32_t>(part.size);
    chunk->used.store(chunk->capacity, std::memory_order_relaxed);
    chunk->owns = false;
    memory_ += sizeof(Chunk);
    link(head_, tail_, chunk.release());
  }
  count_ += span.size;
}

std::vector<ScalarSpan> ScalarColumn::spans(uint64_t count) const {
  std::vector<ScalarSpan> spans;
  for (const Chunk* chunk = head_.load(std::memory_order_acquire); chunk && count > 0;
       chunk = chunk->next.load(std::memory_order_acquire)) {
    const uint64_t size = std::min<uint64_t>(chunk->used.load(std::memory_order_acquire), count);
    if (size) spans.push_back({chunk->step, chunk->wall, chunk->f32, chunk->f64, static_cast<size_t>(size)});
    count -= size;
  }
  return spans;
}

ScalarColumn::Summary ScalarColumn::summary() const {
  constexpr auto relaxed = std::memory_order_relaxed;
  return {first_step_.load(relaxed), last_step_.load(relaxed),     last_.load(relaxed),           min_.load(relaxed),
          max_.load(relaxed),        steps_ordered_.load(relaxed), steps_distinct_.load(relaxed), walls_ordered_.load(relaxed)};
}

void ScalarColumn::restore(const ScalarSpan& span, const Summary& s, const std::vector<StartMark>& marks) {
  constexpr auto relaxed = std::memory_order_relaxed;
  adopt(span);
  last_wall_ = s.last_wall;
  for (const StartMark& mark : marks) add_mark(mark);
  first_step_.store(s.first_step, relaxed);
  last_step_.store(s.last_step, relaxed);
  last_.store(s.last, relaxed);
  min_.store(s.min, relaxed);
  max_.store(s.max, relaxed);
  steps_ordered_.store(s.steps_ordered, relaxed);
  steps_distinct_.store(s.steps_distinct, relaxed);
  walls_ordered_.store(s.walls_ordered, relaxed);
}

void ScalarColumn::mark_starts(uint32_t starts_so_far) {
  if (seen_starts_ != starts_so_far) add_mark({starts_so_far - 1, count_});
}

void ScalarColumn::add_mark(StartMark where) {
  seen_starts_ = where.start + 1;
  auto mark = std::make_unique<Mark>();
  mark->mark = where;
  memory_ += sizeof(Mark);
  link(marks_, last_mark_, mark.release());
}

std::vector<ScalarColumn::StartMark> ScalarColumn::start_marks(uint64_t count) const {
  std::vector<StartMark> marks;
  for (const Mark* mark = marks_.load(std::memory_order_acquire); mark; mark = mark->next.load(std::memory_order_acquire))
    if (mark->mark.index < count) marks.push_back(mark->mark);
  return marks;
}

BlobColumn::~BlobColumn() { free_chunks(head_.load(std::memory_order_relaxed)); }

void BlobColumn::append(int64_t step, double wall, uint64_t offset, uint64_t length) {
  Chunk* chunk = tail_;
  if (!chunk || chunk->used.load(std::memory_order_relaxed) == chunk->capacity) {
    const uint32_t capacity = next_capacity(count_);
    auto fresh = std::make_unique<Chunk>();
    char* memory = allocate(capacity * 32ull);
    fresh->step = reinterpret_cast<int64_t*>(memory);
    fresh->wall = reinterpret_cast<double*>(memory + capacity * 8ull);
    fresh->offset = reinterpret_cast<uint64_t*>(memory + capacity * 16ull);
    fresh->length = reinterpret_cast<uint64_t*>(memory + capacity * 24ull);
    fresh->capacity = capacity;
    memory_ += capacity * 32ull + sizeof(Chunk);
    chunk = fresh.get();
    link(head_, tail_, fresh.release());
  }
  const uint32_t at = chunk->used.load(std::memory_order_relaxed);
  chunk->step[at] = step;
  chunk->wall[at] = wall;
  chunk->offset[at] = offset;
  chunk->length[at] = length;
  chunk->used.store(at + 1, std::memory_order_relaxed);
  if (count_ == 0) first_step_.store(step, std::memory_order_relaxed);
  last_step_.store(step, std::memory_order_relaxed);
  ++count_;
}

void BlobColumn::restore(const BlobSpan& span, int64_t first_step, int64_t last_step) {
  auto chunk = std::make_unique<Chunk>();
  chunk->step = const_cast<int64_t*>(span.step);
  chunk->wall = const_cast<double*>(span.wall);
  chunk->offset = const_cast<uint64_t*>(span.offset);
  chunk->length = const_cast<uint64_t*>(span.length);
  chunk->capacity = static_cast<uint32_t>(span.size);
  chunk->used.store(chunk->capacity, std::memory_order_relaxed);
  chunk->owns = false;
  memory_ += sizeof(Chunk);
  link(head_, tail_, chunk.release());
  count_ += span.size;
  first_step_.store(first_step, std::memory_order_relaxed);
  last_step_.store(last_step, std::memory_order_relaxed);
}

std::vector<BlobSpan> BlobColumn::spans(uint64_t count) const {
  std::vector<BlobSpan> spans;
  for (const Chunk* chunk = head_.load(std::memory_order_acquire); chunk && count > 0;
       chunk = chunk->next.load(std::memory_order_acquire)) {
    const uint64_t size = std::min<uint64_t>(chunk->used.load(std::memory_order_acquire), count);
    if (size) spans.push_back({chunk->step, chunk->wall, chunk->offset, chunk->length, static_cast<size_t>(size)});
    count -= size;
  }
  return spans;
}

}  // namespace stepscope
