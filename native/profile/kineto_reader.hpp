// Turns the events of a PyTorch (Kineto) trace, or of any Chrome trace, into a profile's tables.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "profile/json_trace.hpp"
#include "profile/kineto_event.hpp"
#include "profile/kineto_header.hpp"
#include "profile/kineto_links.hpp"
#include "profile/kineto_ranks.hpp"
#include "profile/kineto_rules.hpp"
#include "profile/kineto_tracks.hpp"
#include "profile/span_builder.hpp"

namespace stepscope::profile {

struct KinetoLimits {
  uint64_t bytes = uint64_t{8} << 30, ratio = 400, spans = 100000000, names = 10000000;
};

struct KinetoResult {
  Tables tables;
  std::shared_ptr<RestartIndex> index;  // of a gzip file
  bool is_json = false, is_kineto = false, is_bomb = false;
  uint64_t events = 0;
};

// Reads a whole file; throws std::system_error when it cannot be opened.
KinetoResult read_kineto(const Origin& origin, std::vector<NameRule> rules, const KinetoLimits& limits);

class KinetoReader : public TraceSink {
 public:
  KinetoReader(std::vector<NameRule> rules, const KinetoLimits& limits);

  void top_level(std::string_view key, const JsonValue& value) override {
    header_.read(key, value);
    ranks_.see(key, value);
  }
  JsonCursor::State event(const char* begin, const char* end, uint64_t offset, const char*& after, uint32_t& odd_words) override;
  bool full() const override { return builder_.size() >= limits_.spans; }

  // The tables of everything read; `faults` become notes.
  Tables finish(const TraceFaults& faults);
  bool is_kineto() const { return is_kineto_ || header_.is_kineto(); }
  uint64_t events() const { return events_; }
  // When the first span of the finished tables began, on the file's own clock.
  int64_t first_time() const { return first_time_; }

 private:
  struct Category {
    std::string text;
    CategoryClass kind = CategoryClass::unknown;
    int32_t name = kNone;
  };
  struct Open {  // begun and not ended
    int64_t start;
    int32_t name;
    int64_t offset;
    int32_t step = kNone;
  };
  struct Timed {
    JsonTime start, length;
  };

  void handle();
  const Category& category();
  int32_t name_id();
  int32_t intern(const JsonValue& value);
  bool read_times(Timed& times);
  // The step that an event's arguments say it belongs to; it does not make the event a marker.
  int32_t told_step() const;
  SpanFacts facts_of(const Timed& times, int32_t name, SpanKind kind) const;

  void add_complete();
  void add_host(const Timed& times, CategoryClass kind);
  void add_runtime(const Timed& times);
  void add_kernel(const Timed& times);
  void add_copy(const Timed& times, bool fill);
  void add_derived(const Timed& times, CategoryClass kind);
  void add_unknown(const Timed& times);
  int32_t stream_track();
  int64_t external_id(int64_t correlation) const;
  void add_memory();
  void add_metadata();
  void add_flow(bool source);
  void add_counters();
  // Numbers among the arguments as samples; `prefix` begins the names of their counters.
  void add_samples(int64_t time, const std::string& prefix);
  void begin_span();
  void end_span();
  void begin_asynchronous();
  void end_asynchronous();
  void close_open();
  uint64_t asynchronous_key();
  int32_t operation_of(int32_t name);
  int32_t with_bytes(int32_t op, int64_t bytes);
  SpanKind exported_kind(int32_t name);
  // What our own export says a span is where its category leaves it open; otherwise what was found.
  SpanKind told_kind(SpanKind found) const;
  void describe_hlo(SpanFacts& facts);
  void describe_timeline(SpanFacts& facts);
  CollectiveFacts collective_facts(int32_t name);
  void set_device_kinds(Tables& tables);
  void add_notes(const TraceFaults& faults, const Tables& tables, uint64_t unlinked, uint64_t device_spans, uint64_t unanswered);

  static constexpr size_t kMostOperations = 100000;  // no program has so many: the names are made up as it runs

  KinetoLimits limits_;
  NameRules rules_;
  SpanBuilder builder_;
  KinetoTracks tracks_;
  KinetoHeader header_;
  KinetoLinks links_;
  KinetoRanks ranks_;
  TraceEvent event_;
  std::vector<Category> categories_;
  size_t last_category_ = 0;
  Category unknown_category_;
  std::vector<int32_t> operations_;     // by name
  std::vector<int8_t> exported_kinds_;  // by name
  std::unordered_map<int32_t, std::vector<Open>> open_;
  std::unordered_map<uint64_t, std::vector<Open>> asynchronous_;
  size_t open_count_ = 0;
  std::string scratch_;
  std::vector<std::string> unproven_;
  std::string device_kind_ = "GPU";  // of devices whose processes do not say what they are
  bool is_kineto_ = false, is_timeline_ = false, too_many_operations_ = false;
  std::vector<Note> notes_;
  uint64_t events_ = 0, bad_times_ = 0, negative_ = 0, lengthless_ = 0, unfinished_ = 0;
  uint32_t odd_escapes_ = 0;
  int64_t latest_ = 0, first_time_ = 0;
};

}  // namespace stepscope::profile
