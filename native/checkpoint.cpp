// Writing and reading of checkpoints; every length that is read is tested before it is used.
#include "checkpoint.hpp"

#include <cstring>

#include "crc32c.hpp"

namespace stepscope {
namespace {

class Writer {
 public:
  template <class T>
  void number(T value) {
    static_assert(std::is_arithmetic_v<T>);
    bytes_.append(reinterpret_cast<const char*>(&value), sizeof(T));
  }
  void text(std::string_view text) {
    number<uint64_t>(text.size());
    bytes_.append(text);
  }
  std::string take() { return std::move(bytes_); }

 private:
  std::string bytes_;
};

class Reader {
 public:
  explicit Reader(std::string_view bytes) : bytes_(bytes) {}

  template <class T>
  T number() {
    T value;
    std::memcpy(&value, piece(sizeof(T)).data(), sizeof(T));
    return value;
  }
  std::string_view text() { return piece(number<uint64_t>()); }
  // A count of things that take at least `size` bytes each: never more than there can be.
  uint64_t count(uint64_t size) {
    const auto n = number<uint64_t>();
    if (n > bytes_.size() / size) throw CheckpointError("A count in the checkpoint is impossible.");
    return n;
  }

 private:
  std::string_view piece(uint64_t size) {
    if (size > bytes_.size()) throw CheckpointError("The checkpoint ends early.");
    const std::string_view result = bytes_.substr(0, static_cast<size_t>(size));
    bytes_.remove_prefix(static_cast<size_t>(size));
    return result;
  }
  std::string_view bytes_;
};

// Passes bytes on, counting and checksumming them.
class PackWriter {
 public:
  PackWriter(uint64_t base, const WriteBytes& write) : at_(base), write_(write) {}

  uint64_t place() const { return at_; }
  void begin() { crc_ = 0; }
  uint32_t crc() const { return crc_; }
  template <class T>
  void column(const T* values, size_t n) {
    const auto* bytes = reinterpret_cast<const char*>(values);
    crc_ = crc32c(bytes, n * sizeof(T), crc_);
    write_(bytes, n * sizeof(T));
    at_ += n * sizeof(T);
  }
  void align() {
    static constexpr char kZeros[8] = {};
    const auto pad = static_cast<size_t>(-at_ & 7);
    if (pad) write_(kZeros, pad);
    at_ += pad;
  }

 private:
  uint64_t at_;
  uint32_t crc_ = 0;
  const WriteBytes& write_;
};

void save_scalars(const ScalarColumn& column, Writer& index, PackWriter& pack) {
  const std::vector<ScalarSpan> spans = column.spans(column.size());
  bool wide = false;
  for (const ScalarSpan& span : spans) wide |= span.f64 != nullptr;
  const ScalarColumn::Summary s = column.summary();
  index.number<uint8_t>(wide);
  index.number(s.first_step);
  index.number(s.last_step);
  index.number(s.last);
  index.number(s.min);
  index.number(s.max);
  index.number(spans.empty() ? s.last_wall : spans.back().wall[spans.back().size - 1]);
  index.number<uint8_t>(static_cast<uint8_t>(s.steps_ordered | s.steps_distinct << 1 | s.walls_ordered << 2));
  const auto marks = column.start_marks(column.size());
  index.number<uint64_t>(marks.size());
  for (const auto& mark : marks) {
    index.number(mark.start);
    index.number(mark.index);
  }
  for (const ScalarSpan& span : spans) pack.column(span.step, span.size);
  for (const ScalarSpan& span : spans) pack.column(span.wall, span.size);
  for (const ScalarSpan& span : spans) {
    if (!wide) {
      pack.column(span.f32, span.size);
    } else if (span.f64) {
      pack.column(span.f64, span.size);
    } else {
      const std::vector<double> widened(span.f32, span.f32 + span.size);
      pack.column(widened.data(), widened.size());
    }
  }
}

void save_blobs(const BlobColumn& column, Writer& index, PackWriter& pack) {
  index.number(column.first_step());
  index.number(column.last_step());
  const std::vector<BlobSpan> spans = column.spans(column.size());
  for (const BlobSpan& span : spans) pack.column(span.step, span.size);
  for (const BlobSpan& span : spans) pack.column(span.wall, span.size);
  for (const BlobSpan& span : spans) pack.column(span.offset, span.size);
  for (const BlobSpan& span : spans) pack.column(span.length, span.size);
}

void save_series(const Series& series, Writer& index, PackWriter& pack) {
  index.text(series.name);
  index.number(static_cast<uint8_t>(series.kind));
  const Metadata* metadata = series.metadata.load(std::memory_order_acquire);
  index.number<uint8_t>(metadata != nullptr);
  if (metadata) {
    for (const std::string* text : {&metadata->plugin, &metadata->display_name, &metadata->description, &metadata->content})
      index.text(*text);
    index.number(metadata->data_class);
  }
  index.number(series.size());
  index.number(pack.place());
  pack.begin();
  if (series.scalars)
    save_scalars(*series.scalars, index, pack);
  else
    save_blobs(*series.blobs, index, pack);
  index.number(pack.crc());
  pack.align();
}

void save_memory(const EventFile::Memory& memory, Writer& index) {
  const FileReport& r = memory.report;
  for (const uint64_t n : {r.offset, r.records, r.skipped, r.skipped_bytes}) index.number(n);
  index.number<uint64_t>(r.faults.size());
  for (const Fault& fault : r.faults) {
    index.number(fault.offset);
    index.number(fault.bytes);
    index.text(fault.reason);
  }
  index.number(r.facts.first_wall);
  index.number(r.facts.last_wall);
  index.number(r.facts.last_point);
  index.text(r.facts.file_version);
  index.text(r.facts.writer);
  index.number(r.facts.session_status);
  index.number(r.facts.hparams_status);
  index.text(memory.head);
  index.text(memory.tail);
  for (const EventFile::Records* records : {&memory.unchecked, &memory.doubted}) {
    index.number<uint64_t>(records->size());
    for (const auto& [offset, length] : *records) {
      index.number(offset);
      index.number(length);
    }
  }
}

EventFile::Memory read_memory(Reader& index) {
  EventFile::Memory memory;
  FileReport& r = memory.report;
  for (uint64_t* n : {&r.offset, &r.records, &r.skipped, &r.skipped_bytes}) *n = index.number<uint64_t>();
  for (uint64_t n = index.count(24); n > 0; --n) {
    Fault fault;
    fault.offset = index.number<uint64_t>();
    fault.bytes = index.number<uint64_t>();
    fault.reason = known_reason(index.text());
    r.faults.push_back(fault);
  }
  r.facts.first_wall = index.number<double>();
  r.facts.last_wall = index.number<double>();
  r.facts.last_point = index.number<double>();
  r.facts.file_version = index.text();
  r.facts.writer = index.text();
  r.facts.session_status = index.number<uint32_t>();
  r.facts.hparams_status = index.number<uint32_t>();
  memory.head = index.text();
  memory.tail = index.text();
  for (EventFile::Records* records : {&memory.unchecked, &memory.doubted})
    for (uint64_t n = index.count(16); n > 0; --n) {
      const auto offset = index.number<uint64_t>();
      records->emplace_back(offset, index.number<uint64_t>());
    }
  return memory;
}

class SeriesReader {
 public:
  SeriesReader(Reader& index, const PackFile& pack, EventColumns& columns) : index_(index), pack_(pack), columns_(columns) {}

  void read() {
    const std::string_view name = index_.text();
    const auto kind = index_.number<uint8_t>();
    if (kind > static_cast<uint8_t>(Kind::other)) throw CheckpointError("The checkpoint names an unknown kind.");
    std::unique_ptr<Metadata> metadata;
    if (index_.number<uint8_t>()) {
      metadata = std::make_unique<Metadata>();
      for (std::string* text : {&metadata->plugin, &metadata->display_name, &metadata->description, &metadata->content})
        *text = index_.text();
      metadata->data_class = index_.number<uint32_t>();
    }
    Series& series = columns_.restore(name, static_cast<Kind>(kind), std::move(metadata));
    size_ = index_.number<uint64_t>();
    place_ = index_.number<uint64_t>();
    if (place_ & 7) throw CheckpointError("A column in the checkpoint is not aligned.");
    if (series.scalars)
      read_scalars(*series.scalars);
    else
      read_blobs(*series.blobs);
    columns_.touch(series);
    const auto crc = index_.number<uint32_t>();
    series.pack = {&pack_, static_cast<size_t>(place_ - taken_), static_cast<size_t>(taken_), crc};
  }

 private:
  template <class T>
  const T* column() {
    const uint64_t bytes = size_ * sizeof(T);
    if (size_ > pack_.size() / sizeof(T) || place_ > pack_.size() || bytes > pack_.size() - place_)
      throw CheckpointError("A column lies outside its pack.");
    const auto* values = reinterpret_cast<const T*>(pack_.data() + place_);
    place_ += bytes;
    taken_ += bytes;
    return values;
  }

  void read_scalars(ScalarColumn& column) {
    const bool wide = index_.number<uint8_t>() != 0;
    ScalarColumn::Summary s;
    s.first_step = index_.number<int64_t>();
    s.last_step = index_.number<int64_t>();
    s.last = index_.number<double>();
    s.min = index_.number<double>();
    s.max = index_.number<double>();
    s.last_wall = index_.number<double>();
    const auto flags = index_.number<uint8_t>();
    s.steps_ordered = flags & 1;
    s.steps_distinct = flags & 2;
    s.walls_ordered = flags & 4;
    std::vector<ScalarColumn::StartMark> marks;
    for (uint64_t n = index_.count(12); n > 0; --n) {
      const auto start = index_.number<uint32_t>();
      marks.push_back({start, index_.number<uint64_t>()});
    }
    ScalarSpan span;
    span.size = static_cast<size_t>(size_);
    span.step = this->column<int64_t>();
    span.wall = this->column<double>();
    if (wide)
      span.f64 = this->column<double>();
    else
      span.f32 = this->column<float>();
    column.restore(span, s, marks);
  }

  void read_blobs(BlobColumn& column) {
    const auto first_step = index_.number<int64_t>();
    const auto last_step = index_.number<int64_t>();
    BlobSpan span;
    span.size = static_cast<size_t>(size_);
    span.step = this->column<int64_t>();
    span.wall = this->column<double>();
    span.offset = this->column<uint64_t>();
    span.length = this->column<uint64_t>();
    column.restore(span, first_step, last_step);
  }

  Reader& index_;
  const PackFile& pack_;
  EventColumns& columns_;
  uint64_t size_ = 0, place_ = 0, taken_ = 0;
};

}  // namespace

std::string save_columns(const EventFile& file, uint64_t base, const WriteBytes& write) {
  Writer index;
  PackWriter pack(base, write);
  file.while_still([&](const EventFile::Memory& memory) {
    const EventColumns& columns = file.columns();
    for (uint32_t i = 0; i < columns.size(); ++i)
      if (!columns.at(i).intact()) {  // saved again, damage would get a checksum that is right
        file.note_damaged_pack();
        throw CheckpointError("Columns of the checkpoint are damaged.");
      }
    index.number(kCheckpointVersion);
    save_memory(memory, index);
    const std::vector<int64_t> starts = columns.start_steps();
    index.number<uint64_t>(starts.size());
    for (const int64_t start : starts) index.number(start);
    index.number(columns.points());
    const uint32_t size = columns.size();
    index.number<uint64_t>(size);
    for (uint32_t i = 0; i < size; ++i) save_series(columns.at(i), index, pack);
  });
  return index.take();
}

std::shared_ptr<EventFile> restore_columns(Origin origin, std::shared_ptr<NamePool> names, std::string_view bytes,
                                           std::shared_ptr<const PackFile> pack) {
  Reader index(bytes);
  if (index.number<uint32_t>() != kCheckpointVersion) throw CheckpointError("The checkpoint is of another version.");
  auto file = std::make_shared<EventFile>(std::move(origin), std::move(names));
  EventFile::Memory memory = read_memory(index);
  std::vector<int64_t> starts;
  for (uint64_t n = index.count(8); n > 0; --n) starts.push_back(index.number<int64_t>());
  file->columns().restore_totals(std::move(starts), index.number<uint64_t>());
  for (uint64_t n = index.count(32); n > 0; --n) SeriesReader(index, *pack, file->columns()).read();
  file->columns().publish();
  file->columns().take_changed();
  file->recall(std::move(memory), std::move(pack));
  return file;
}

}  // namespace stepscope
