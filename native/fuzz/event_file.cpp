// Fuzzes reading an event file: damages good files, first inside their events and then in their frames, reads them whole and in steps
// of growth, and checks what must hold for any bytes: above all that a point which is read is one that was written. Arguments: seconds
// to run, and a seed.
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>
#include <set>
#include <stdexcept>
#include <tuple>

#include "event_encoder.hpp"
#include "event_file.hpp"
#include "series_view.hpp"
#include "viewport.hpp"
#include "wire/writer.hpp"

namespace {

using namespace stepscope;

#define HOLDS(condition)                                                                 \
  do {                                                                                   \
    if (!(condition)) {                                                                  \
      std::fprintf(stderr, "%s:%d does not hold: %s\n", __FILE__, __LINE__, #condition); \
      std::abort();                                                                      \
    }                                                                                    \
  } while (false)

constexpr uint32_t kSeriesShown = 32;

class Fuzzer {
 public:
  Fuzzer(uint64_t seed, std::string path) : random_(seed), path_(std::move(path)) {}

  void once() {
    const std::string good = make_file(false);
    check_good(good);
    check_flip(good);
    std::string bytes = make_file(true);
    if (chance(2)) damage(bytes);
    check_any(bytes);
  }

 private:
  uint64_t below(uint64_t end) { return end ? random_() % end : 0; }
  bool chance(uint64_t one_in) { return below(one_in) == 0; }

  int64_t some_step() {
    switch (below(8)) {
      case 0:
        return static_cast<int64_t>(random_());
      case 1:
        return chance(2) ? INT64_MAX : INT64_MIN;
      default:
        return static_cast<int64_t>(below(40));
    }
  }

  double some_number() {
    switch (below(8)) {
      case 0: {
        const uint64_t bits = random_();
        double value;
        std::memcpy(&value, &bits, 8);
        return value;
      }
      case 1:
        return chance(2) ? NAN : INFINITY;
      default:
        return static_cast<double>(below(1000)) / 8;
    }
  }

  std::string some_bytes(size_t longest) {
    std::string bytes(below(longest + 1), '\0');
    for (char& byte : bytes) byte = static_cast<char>(random_());
    return bytes;
  }

  // An event with a value of any kind, perhaps with one large enough to be walked.
  std::string make_event() {
    std::string tensor, metadata, value, event;
    wire::put_varint_field(tensor, wire::TensorProto::dtype, below(32));
    if (chance(2)) wire::put_bytes_field(tensor, wire::TensorProto::tensor_shape, some_bytes(6));
    wire::put_bytes_field(tensor, static_cast<uint32_t>(4 + below(16)), some_bytes(chance(20) ? 70000 : 9));
    static constexpr const char* kPlugins[] = {"scalars", "images", "text", "hparams", "histograms", "mine", ""};
    std::string plugin;
    wire::put_bytes_field(plugin, wire::PluginData::plugin_name, kPlugins[below(7)]);
    wire::put_bytes_field(plugin, wire::PluginData::content, some_bytes(12));
    wire::put_bytes_field(metadata, wire::SummaryMetadata::plugin_data, plugin);
    wire::put_bytes_field(metadata, wire::SummaryMetadata::display_name, some_bytes(4));
    wire::put_bytes_field(value, wire::Value::tag, std::string(1, static_cast<char>('a' + below(4))));
    if (chance(3))
      wire::put_float_field(value, wire::Value::simple_value, static_cast<float>(below(100)));
    else
      wire::put_bytes_field(value, chance(4) ? static_cast<uint32_t>(3 + below(6)) : wire::Value::tensor, tensor);
    if (chance(2)) wire::put_bytes_field(value, wire::Value::metadata, metadata);
    std::string summary;
    wire::put_bytes_field(summary, wire::Summary::value, value);
    wire::put_double_field(event, wire::Event::wall_time, some_number());
    wire::put_varint_field(event, wire::Event::step, static_cast<uint64_t>(some_step()));
    wire::put_bytes_field(event, chance(5) ? static_cast<uint32_t>(3 + below(9)) : wire::Event::summary, summary);
    return event;
  }

  // An event of many scalars, long enough to be a large record.
  std::string make_merged_event() {
    std::string event, summary, value;
    for (uint64_t i = 3000 + below(1000); i > 0; --i) {
      value.clear();
      wire::put_bytes_field(value, wire::Value::tag, "merged/" + std::to_string(i));
      wire::put_float_field(value, wire::Value::simple_value, static_cast<float>(i));
      wire::put_bytes_field(summary, wire::Summary::value, value);
      ++scalars_;
    }
    wire::put_double_field(event, wire::Event::wall_time, 1.0);
    wire::put_varint_field(event, wire::Event::step, below(40));
    wire::put_bytes_field(event, wire::Event::summary, summary);
    return event;
  }

  // A blob that holds event records itself, which nobody may take for the file's own.
  std::string make_nested_event() {
    EventEncoder inner;
    for (uint64_t i = 1 + below(4); i > 0; --i) inner.add_scalar("inner", some_step(), 1.0, 1.0, ScalarForm::simple);
    std::string event, summary, value, tensor;
    wire::put_varint_field(tensor, wire::TensorProto::dtype, 7);
    wire::put_bytes_field(tensor, 8, inner.take() + std::string(chance(3) ? 70000 : 0, 'x'));
    wire::put_bytes_field(value, wire::Value::tag, "nested");
    wire::put_bytes_field(value, wire::Value::tensor, tensor);
    wire::put_bytes_field(summary, wire::Summary::value, value);
    wire::put_double_field(event, wire::Event::wall_time, 1.0);
    wire::put_bytes_field(event, wire::Event::summary, summary);
    return event;
  }

  // Good frames; with `wild`, around events that need not be good.
  std::string make_file(bool wild) {
    EventEncoder encoder;
    scalars_ = 0;
    for (uint64_t i = below(30); i > 0; --i) {
      if (wild && chance(2)) {
        std::string event = make_event();
        if (chance(2)) damage(event);
        encoder.add_event(event);
      } else if (chance(12)) {
        encoder.add_session_log(some_number(), some_step(), wire::SessionStatus::start);
      } else if (chance(25)) {
        encoder.add_event(make_nested_event());
      } else if (chance(100)) {
        encoder.add_event(make_merged_event());
      } else {
        encoder.add_scalar(std::string(1, static_cast<char>('a' + below(3))), some_step(), some_number(), some_number(),
                           static_cast<ScalarForm>(below(3)));
        ++scalars_;
      }
    }
    return encoder.take();
  }

  void damage(std::string& bytes) {
    for (uint64_t n = 1 + below(3); n > 0 && !bytes.empty(); --n) {
      const size_t at = below(bytes.size()), length = below(std::min<size_t>(bytes.size() - at, 40) + 1);
      switch (below(6)) {
        case 0:
          bytes[at] = static_cast<char>(bytes[at] ^ (1 << below(8)));
          break;
        case 1:
          bytes[at] = static_cast<char>(random_());
          break;
        case 2:
          bytes.erase(at, length);
          break;
        case 3:
          bytes.insert(at, some_bytes(20));
          break;
        case 4:
          bytes.insert(at, bytes.substr(below(bytes.size()), length));
          break;
        default:
          bytes.resize(at);
      }
    }
  }

  void write(std::string_view bytes) {
    std::ofstream file(path_, std::ios::binary | std::ios::trunc);
    file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  }

  std::shared_ptr<EventFile> fresh() { return std::make_shared<EventFile>(path_, std::make_shared<NamePool>()); }

  // Grows the file to all of `bytes` in a few steps, scanning after each. With `pauses`, the writer stops for long at some of them,
  // perhaps inside a record; what was skipped then must come back.
  std::shared_ptr<EventFile> grown(const std::string& bytes, bool pauses) {
    auto file = fresh();
    uint64_t before = 0;
    const size_t longest = bytes.size() > 50000 ? 20000 : 400;
    for (size_t size = 0; size <= bytes.size();
         size = size == bytes.size() ? size + 1 : std::min(bytes.size(), size + 1 + below(longest))) {
      write(std::string_view(bytes).substr(0, size));
      const int64_t consumed = file->scan(chance(2) ? 0 : 1 + below(200), pauses && chance(2));
      if (consumed == EventFile::kReplaced) {
        HOLDS(pauses);
        file = fresh();
        before = 0;
        continue;
      }
      const FileReport report = file->report();
      HOLDS(report.offset == before + static_cast<uint64_t>(consumed));
      HOLDS(report.offset + report.pending <= size);
      before = report.offset;
    }
    int64_t consumed;
    while ((consumed = file->scan(0)) != 0)
      if (consumed == EventFile::kReplaced) file = fresh();
    return file;
  }

  void check_good(const std::string& bytes) {
    const auto file = grown(bytes, chance(2));
    const FileReport report = file->report();
    HOLDS(report.offset == bytes.size() && report.skipped == 0 && report.pending == 0);
    HOLDS(file->columns().points() == scalars_);
    HOLDS(file->verify() == 0);
    check_columns(file, bytes.size());
  }

  using Point = std::tuple<std::string, int64_t, uint64_t, uint64_t>;

  static std::multiset<Point> points_of(const EventFile& file) {
    std::multiset<Point> points;
    for (uint32_t i = 0; i < file.columns().size(); ++i) {
      const Series& series = file.columns().at(i);
      if (!series.scalars || series.name == "inner") continue;
      for (const ScalarSpan& span : series.scalars->spans(series.size()))
        for (size_t at = 0; at < span.size; ++at)
          points.emplace(series.name, span.step[at], std::bit_cast<uint64_t>(span.wall[at]), std::bit_cast<uint64_t>(span.value(at)));
    }
    return points;
  }

  // One flipped bit, wherever it is: every point that is read is one that was written, and what is missing is reported. Records inside a
  // blob are left out: once the header around them is wrong, they look like any others.
  void check_flip(std::string bytes) {
    if (bytes.empty()) return;
    write(bytes);
    const auto good = fresh();
    good->scan(0);
    const std::multiset<Point> written = points_of(*good);
    const size_t at = below(bytes.size());
    bytes[at] = static_cast<char>(bytes[at] ^ (1 << below(8)));
    write(bytes);
    const auto bad = fresh();
    bad->scan(0);
    bad->scan(0, true);
    const std::multiset<Point> read = points_of(*bad);
    HOLDS(std::includes(written.begin(), written.end(), read.begin(), read.end()));
    const FileReport report = bad->report();
    HOLDS(read.size() == written.size() || report.skipped > 0 || report.pending > 0);
    HOLDS(bad->verify() > 0 || report.pending > 0);
  }

  void check_any(const std::string& bytes) {
    write(bytes);
    const auto file = fresh();
    const int64_t consumed = file->scan(0);
    HOLDS(consumed >= 0 && static_cast<uint64_t>(consumed) <= bytes.size());
    const FileReport first = file->report();
    const uint64_t points = file->columns().points();
    HOLDS(first.faults.size() <= EventFile::kMostFaults && first.skipped_bytes + first.records * kFrameBytes <= bytes.size());
    HOLDS(file->scan(0) == 0);
    const FileReport second = file->report();
    HOLDS(first.offset == second.offset && first.skipped == second.skipped && first.records == second.records);
    HOLDS(first.skipped_bytes == second.skipped_bytes && points == file->columns().points());
    HOLDS(file->verify() >= first.skipped);
    check_columns(file, bytes.size());
    check_settled(file, points, bytes.size());
    check_columns(grown(bytes, chance(2)), bytes.size());
  }

  // Of a file that grows no more, only more can be read than of one that may; looking again changes nothing.
  void check_settled(const std::shared_ptr<EventFile>& file, uint64_t points, uint64_t size) {
    const FileReport before = file->report();
    HOLDS(file->scan(0, true) >= 0);
    const FileReport first = file->report();
    HOLDS(first.offset >= before.offset && first.records >= before.records && file->columns().points() >= points);
    HOLDS(first.offset + first.pending <= size && first.skipped_bytes + first.records * kFrameBytes <= size);
    HOLDS(file->scan(0, true) == 0 && file->report().skipped == first.skipped);
    check_columns(file, size);
  }

  void check_columns(const std::shared_ptr<EventFile>& file, uint64_t size) {
    uint64_t points = 0;
    for (uint32_t i = 0; i < file->columns().size(); ++i) {
      const Series& series = file->columns().at(i);
      HOLDS(file->columns().find(series.tag, series.kind) == i);
      points += series.scalars ? series.size() : 0;
      // Of thousands of series from one large record, some are enough.
      if (series.scalars && !chance(1 + file->columns().size() / kSeriesShown)) continue;
      if (series.scalars)
        for (const SegmentMode mode : {SegmentMode::latest, SegmentMode::all, SegmentMode::split})
          check_view({{{file, i}}, mode}, mode);
      else
        check_blobs(*file, series, size);
    }
    HOLDS(points == file->columns().points());
  }

  void check_blobs(const EventFile& file, const Series& series, uint64_t size) {
    for (const BlobSpan& span : series.blobs->spans(series.size()))
      for (size_t i = 0; i < span.size; ++i) {
        HOLDS(span.offset[i] + span.length[i] <= size);
        try {
          HOLDS(file.read_blob(span.offset[i], span.length[i]).size() == span.length[i]);
        } catch (const std::runtime_error&) {
          HOLDS(file.verify() > 0);  // only a damaged large record may not be shown
        }
      }
  }

  void check_view(const SeriesView& view, SegmentMode mode) {
    uint64_t shown = 0, in_segments = 0, superseded = 0;
    const ViewSpan* before = nullptr;
    for (const ViewSpan& span : view.spans()) {
      HOLDS(span.points.size > 0 && span.position == shown);
      for (size_t i = 1; i < span.points.size; ++i) HOLDS(span.points.step[i - 1] <= span.points.step[i]);
      if (before && before->line == span.line) HOLDS(before->points.step[before->points.size - 1] <= span.points.step[0]);
      before = &span;
      shown += span.points.size;
    }
    for (const Segment& segment : view.segments()) {
      in_segments += segment.points;
      superseded += segment.superseded;
      HOLDS(segment.superseded <= segment.points && segment.first_step <= segment.last_step);
    }
    HOLDS(shown == view.shown() && in_segments == view.points() && superseded == view.superseded());
    HOLDS(shown == (mode == SegmentMode::latest ? view.points() - view.superseded() : view.points()));
    check_viewport(view);
  }

  void check_viewport(const SeriesView& view) {
    Viewport port{chance(2) ? Axis::step : Axis::wall,
                  chance(2) ? 0 : some_number(),
                  some_number(),
                  some_number(),
                  static_cast<uint32_t>(1 + below(50)),
                  chance(3)};
    if (chance(2)) port.low = -INFINITY, port.high = INFINITY;
    const Reduced reduced = reduce(view, port, {});
    HOLDS(reduced.in_range <= view.shown() && reduced.mark_x.size() <= reduced.nan + reduced.inf);
    HOLDS(reduced.nan + reduced.inf <= reduced.in_range);
    HOLDS(reduced.y.size() == reduced.x.size() && reduced.line.size() == reduced.x.size());
    HOLDS(!reduced.any_finite || (reduced.y_low <= reduced.y_inner_low && reduced.y_inner_low <= reduced.y_inner_high &&
                                  reduced.y_inner_high <= reduced.y_high));
    const Statistics numbers = statistics(view, port.axis, port.origin, port.low, port.high, {});
    HOLDS(numbers.count <= view.shown() && (numbers.count == 0 || numbers.min <= numbers.max));
    HOLDS(nearest(view, port.axis, port.origin, some_number()) < static_cast<int64_t>(view.shown()));
  }

  std::mt19937_64 random_;
  std::string path_;
  uint64_t scalars_ = 0;
};

}  // namespace

int main(int count, char** arguments) {
  if (count != 3) {
    std::fprintf(stderr, "Give the seconds to run and a seed.\n");
    return 2;
  }
  namespace fs = std::filesystem;
  const fs::path memory = "/dev/shm";  // a disk would be the slowest part
  const fs::path folder = fs::is_directory(memory) ? memory : fs::temp_directory_path();
  const uint64_t seed = std::strtoull(arguments[2], nullptr, 10);
  const fs::path path = folder / ("stepscope-fuzz-" + std::to_string(std::random_device{}()) + ".tfevents");
  Fuzzer fuzzer(seed, path.string());
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(std::strtoull(arguments[1], nullptr, 10));
  uint64_t rounds = 0;
  for (; std::chrono::steady_clock::now() < end; ++rounds) fuzzer.once();
  fs::remove(path);
  std::printf("%llu files, nothing found\n", static_cast<unsigned long long>(rounds));
  return 0;
}
