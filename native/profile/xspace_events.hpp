// Turns the events of one line of an XSpace file into spans and what hangs on them.
#pragma once

#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "profile/span_builder.hpp"
#include "profile/xspace_stats.hpp"

namespace stepscope::profile::xspace {

// What is known of the whole file while its planes are read.
struct Reading {
  SpanBuilder builder;
  std::string_view file;
  int64_t shift = 0;  // nanoseconds to take from every time: files with absolute times count from their own start
  bool jax = false, tensorflow = false;
  uint64_t malformed = 0;  // messages that were skipped
  std::unordered_map<int32_t, int32_t> device_of_ordinal;
  // A call that may be a step. Those that run a function of the input pipeline, which has an id of its own, are none.
  struct Root {
    SpanId span;
    int64_t id;
  };
  std::vector<Root> roots;
  std::unordered_set<int64_t> input_functions;
  // Tensors that come from another process: no operation runs meanwhile, only the beginning and the end are events.
  struct Receipt {
    uint64_t key;
    int64_t end;
    int32_t op, type;  // texts
  };
  std::unordered_map<uint64_t, int64_t> awaited;  // when, by the key that ties both
  std::vector<Receipt> receipts;
  std::unordered_map<int64_t, int32_t> group_sizes;  // how many take part in a collective group, by its key
};

struct Plane {
  std::string_view name;
  PlaneKind kind = PlaneKind::derived;
  std::string process;
  int32_t device = kNone;
};

class LineReader {
 public:
  LineReader(Reading& reading, const Plane& plane, PlaneNames& names, int32_t track, int64_t timestamp_ns);

  // One XEvent; false when it is malformed.
  bool event(std::string_view bytes);

 private:
  struct Times {
    int64_t start, end;
  };
  struct Region {
    SpanId span;
    int64_t start;
  };

  bool read(std::string_view bytes);
  void prepare(EventName& name);
  Times times() const;
  SpanFacts facts_of(const EventName& name);
  void thread_event(EventName& name);
  void stream_event(EventName& name);
  void device_step(EventName& name);
  void counter(const EventName& name);
  void allocation(const EventName& name);
  void region_stop(const EventName& name);
  SpanKind thread_kind(const EventName& name) const;
  void note_groups_and_receipts(const EventName& name, const SpanFacts& facts);
  void add_links(SpanId span);
  void add_root(const EventName& name, SpanId span, const SpanFacts& facts);
  void add_device_facts(SpanId span, SpanKind kind, CopyDirection direction, std::string_view name);
  int32_t operation(const EventName& name);
  int32_t text_of(Stat stat);

  Reading& reading_;
  SpanBuilder& builder_;
  const Plane& plane_;
  PlaneNames& names_;
  int32_t track_;
  TrackRole role_;
  TrackPurpose purpose_;
  bool compiles_;
  int64_t base_;

  // The event being read.
  int64_t metadata_id_ = 0, offset_ps_ = 0, duration_ps_ = 0, occurrences_ = 0;
  bool counted_ = false;
  int64_t source_ = 0;
  StatValues stats_;
  std::vector<std::string_view> raw_stats_;

  std::vector<Region> open_regions_;
  int32_t region_text_ = kNone;
  std::unordered_map<int32_t, int64_t> root_ends_;
  std::unordered_map<int32_t, int32_t> counter_tracks_;
};

}  // namespace stepscope::profile::xspace
