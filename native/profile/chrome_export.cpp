// Chrome's trace JSON, with the category names of PyTorch's traces, so that tools made for those understand it.
#include <charconv>

#include "profile/kind_names.hpp"
#include "profile/trace_export.hpp"

namespace stepscope::profile {
namespace {

const char* category_of(SpanKind kind) {
  switch (kind) {
    case SpanKind::op:
      return "cpu_op";
    case SpanKind::kernel:
      return "kernel";
    case SpanKind::copy:
      return "gpu_memcpy";
    case SpanKind::fill:
      return "gpu_memset";
    case SpanKind::runtime:
    case SpanKind::sync:
    case SpanKind::alloc:
      return "cuda_runtime";
    case SpanKind::python:
      return "python_function";
    case SpanKind::collective:
    case SpanKind::input:
    case SpanKind::compile:
    case SpanKind::gc:
    case SpanKind::io:
    case SpanKind::annotation:
    case SpanKind::marker:
      return "user_annotation";
    case SpanKind::framework:
    case SpanKind::other:
      return "other";
  }
  return "other";
}

// Whether the category leaves open what the span is, so that an argument has to say it.
bool needs_kind(SpanKind kind) {
  switch (kind) {
    case SpanKind::sync:
    case SpanKind::alloc:
    case SpanKind::collective:
    case SpanKind::input:
    case SpanKind::compile:
    case SpanKind::gc:
    case SpanKind::io:
    case SpanKind::framework:
      return true;
    default:
      return false;
  }
}

// What owns no time is placed beside threads and streams by its category alone.
const char* derived_category(const Track& track) {
  if (track.name == "profiler") return "Trace";
  return track.name == "profiler overhead" ? "overhead" : "gpu_user_annotation";
}

class ChromeExport : public TraceExport {
 public:
  using TraceExport::TraceExport;

 protected:
  void begin(std::string& out) override {
    out += "{\"schemaVersion\":1,\"displayTimeUnit\":\"ms\",\"baseTimeNanoseconds\":" + std::to_string(columns_.base_ns) +
           ",\"traceEvents\":[\n";
    for (size_t i = 0; i < columns_.tracks.size(); ++i) {
      const Track& track = columns_.tracks[i];
      put_metadata(out, "process_name", i, track.process);
      put_metadata(out, "thread_name", i, track.name, track.purpose);
    }
  }

  void write_span(std::string& out, size_t row) override {
    const auto track = static_cast<size_t>(columns_.track[row]);
    const TrackRole role = track_of(row).role;
    const auto kind = static_cast<SpanKind>(columns_.kind[row]);
    // On a stream only work of the device may stand: a collective there is a kernel.
    const auto marked = marker_of_.find(row);
    const bool numbered = marked != marker_of_.end() && columns_.marker_family[marked->second] != 0 && role == TrackRole::thread;
    const char* category = role == TrackRole::derived                                  ? derived_category(track_of(row))
                           : role == TrackRole::stream && kind == SpanKind::collective ? "kernel"
                           : numbered                                                  ? "other"
                                                                                       : category_of(kind);
    separate(out);
    out += "{\"ph\":\"X\",\"cat\":\"";
    out += category;
    out += "\",\"name\":";
    put_json_text(out, text(columns_.name[row]));
    put_place(out, track);
    out += ",\"ts\":";
    put_time(out, start_of(row));
    out += ",\"dur\":";
    put_time(out, end_of(row) - start_of(row));
    const bool caused = has_cause(row);
    std::string arguments;
    if (caused || is_cause_[row])
      arguments += ",\"correlation\":" + std::to_string(caused ? static_cast<size_t>(columns_.cause[row]) : row);
    if (numbered) arguments += ",\"step_num\":" + std::to_string(columns_.marker_number[marked->second]);
    if (role == TrackRole::thread && needs_kind(kind))
      arguments += ",\"stepscope kind\":\"" + std::string(kSpanKinds[static_cast<size_t>(kind)]) + "\"";
    if (!arguments.empty()) out += ",\"args\":{" + arguments.substr(1) + "}";
    out += "}";
    if (is_cause_[row]) put_flow(out, row, row, 's');
    if (caused) put_flow(out, static_cast<size_t>(columns_.cause[row]), row, 'f');
  }

  void end_track(std::string&) override {}

  void write_counter(std::string& out, size_t at) override {
    const auto track = static_cast<size_t>(columns_.counter_track[at]);
    separate(out);
    out += "{\"ph\":\"C\",\"name\":";
    put_json_text(out, columns_.tracks[track].name);
    put_place(out, track);
    out += ",\"ts\":";
    put_time(out, columns_.counter_time[at]);
    char digits[40];
    const double value = columns_.counter_value[at];
    const auto written = std::to_chars(digits, digits + sizeof digits, value == value ? value : 0.0);
    out += ",\"args\":{\"value\":" + std::string(digits, written.ptr) + "}}";
  }

  void finish(std::string& out) override { out += "\n]}\n"; }

 private:
  void separate(std::string& out) {
    if (any_) out += ",\n";
    any_ = true;
  }

  // Processes and threads are numbered by the first track that has their name.
  void put_place(std::string& out, size_t track) const {
    out += ",\"pid\":" + std::to_string(process_[track]) + ",\"tid\":" + std::to_string(track);
  }

  void put_metadata(std::string& out, const char* what, size_t track, std::string_view name,
                    TrackPurpose purpose = TrackPurpose::unknown) {
    separate(out);
    out += "{\"ph\":\"M\",\"name\":\"";
    out += what;
    out += "\"";
    put_place(out, track);
    out += ",\"args\":{\"name\":";
    put_json_text(out, name);
    if (const auto number = static_cast<size_t>(purpose); purpose != TrackPurpose::unknown && number < kTrackPurposes.size())
      out += ",\"stepscope purpose\":\"" + std::string(kTrackPurposes[number]) + "\"";
    out += "}}";
  }

  void put_flow(std::string& out, size_t id, size_t row, char phase) {
    separate(out);
    out += "{\"ph\":\"";
    out += phase;
    out += "\",\"cat\":\"ac2g\",\"name\":\"ac2g\",\"id\":" + std::to_string(id);
    put_place(out, static_cast<size_t>(columns_.track[row]));
    out += ",\"ts\":";
    put_time(out, columns_.start[row]);
    if (phase == 'f') out += ",\"bp\":\"e\"";
    out += "}";
  }

  // Microseconds with three decimals: exact to the nanosecond.
  static void put_time(std::string& out, int64_t ns) {
    char digits[32];
    const bool negative = ns < 0;
    const uint64_t value = negative ? ~static_cast<uint64_t>(ns) + 1 : static_cast<uint64_t>(ns);
    const auto written = std::to_chars(digits, digits + sizeof digits, value / 1000);
    const auto part = static_cast<unsigned>(value % 1000);
    if (negative) out += '-';
    out.append(digits, written.ptr);
    out += '.';
    out += static_cast<char>('0' + part / 100);
    out += static_cast<char>('0' + part / 10 % 10);
    out += static_cast<char>('0' + part % 10);
  }

  bool any_ = false;
};

}  // namespace

std::unique_ptr<TraceExport> chrome_export(ExportColumns columns) { return std::make_unique<ChromeExport>(std::move(columns)); }

}  // namespace stepscope::profile
