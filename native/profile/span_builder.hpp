// Takes spans and what hangs on them in any order, and makes of them sorted, nested and linked tables.
//
// A reader adds tracks, then spans; add_span gives a SpanId that later calls refer to. finish() sorts the rows, finds parents and
// causes, and turns every SpanId into a row. Texts are numbers of `names()`.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "profile/tables.hpp"
#include "profile/time_bounds.hpp"

namespace stepscope::profile {

// A span before rows have their order.
struct SpanId {
  int32_t track = kNone;
  uint32_t index = 0;
  bool exists() const { return track >= 0; }
};

struct SpanFacts {
  int64_t start = 0, end = 0;  // an end before the start is taken as the start
  bool unended = false;        // the file has no end of it, and `end` is that of the recording
  int32_t name = kNone;
  SpanKind kind = SpanKind::other;
  int32_t op = kNone, shape = kNone, step = kNone;
  int64_t source = kNone;
  // Ties what a thread launched to what ran on streams: a thread's span with the same number is the cause of the stream's.
  int64_t correlation = kNone;
};

struct KernelFacts {
  int32_t grid[3] = {0, 0, 0}, block[3] = {0, 0, 0};
  int32_t registers = 0;
  int64_t shared_memory = 0;
  float occupancy = std::numeric_limits<float>::quiet_NaN();
  float blocks_per_multiprocessor = std::numeric_limits<float>::quiet_NaN();
  int64_t graph_node = kNone;
};

struct CopyFacts {
  CopyDirection direction = CopyDirection::unknown;
  MemoryKind source_memory = MemoryKind::unknown, target_memory = MemoryKind::unknown;
  int64_t bytes = kNone;
};

struct CollectiveFacts {
  int32_t name = kNone, group = kNone, group_size = kNone, dtype = kNone;
  int32_t peer = kNone;  // the rank that is sent to or received from
  int64_t sequence = kNone, in_bytes = kNone, out_bytes = kNone;
};

struct AllocationFacts {
  int64_t time = 0;
  int32_t track = kNone;  // the thread it happened on: its row will be the innermost span around the time
  int32_t device = kNone, allocator = kNone, op = kNone, shape = kNone, dtype = kNone;
  int64_t address = kNone, bytes = 0, allocated = kNone, reserved = kNone;
};

class SpanBuilder {
 public:
  static constexpr uint64_t kMostSpans = 2'000'000'000;  // rows are 32-bit numbers
  static constexpr size_t kMostTracks = 1 << 20;
  static constexpr int64_t kMostBytes = int64_t{1} << 50;  // no machine has more, and sums of these stay numbers

  // Everything that is set directly: host, devices, programs, notes, tracks' purposes while reading.
  Tables& tables() { return tables_; }
  int32_t intern(std::string_view text) { return tables_.names.intern(text); }
  std::string_view text(int32_t id) const { return tables_.names[id]; }
  std::string left_out_names() const { return tables_.names.left_out(); }
  int32_t add_operation(const Operation& operation);

  int32_t add_track(Track track);
  // Makes room for so many more spans, which saves moving them.
  void reserve(int32_t track, size_t spans);
  SpanId add_span(int32_t track, const SpanFacts& facts);
  // For formats that write begin and end apart: the end and the name that a span gets later.
  void end_span(SpanId span, int64_t end, int32_t name);
  // Spans beyond the limit are not kept but counted.
  void limit_spans(uint64_t most) { most_spans_ = std::min(most, kMostSpans); }
  uint64_t dropped() const { return dropped_; }
  uint64_t size() const { return count_; }
  size_t spans_on(int32_t track) const { return raw_[static_cast<size_t>(track)].size(); }

  void add_kernel(SpanId span, const KernelFacts& facts) { kernels_.push_back({span, facts}); }
  void add_copy(SpanId span, const CopyFacts& facts) { copies_.push_back({span, facts}); }
  void add_collective(SpanId span, const CollectiveFacts& facts) { collectives_.push_back({span, facts}); }
  void add_allocation(AllocationFacts facts) {
    for (int64_t* bytes : {&facts.bytes, &facts.allocated, &facts.reserved}) *bytes = std::clamp(*bytes, -kMostBytes, kMostBytes);
    allocations_.push_back(facts);
    extent_.add(facts.time);
  }
  void add_marker(SpanId span, int64_t number, MarkerFamily family) { markers_.push_back({span, number, family}); }
  // How many markers of numbered steps each track holds.
  std::unordered_map<int32_t, uint64_t> steps_by_track() const;
  void add_counter(int32_t track, int64_t time, double value) {
    counters_.push_back({time, value, track});
    extent_.add(time);
  }
  void add_aggregate(int32_t name, int32_t track, int64_t occurrences, int64_t total_ns);

  void add_flow(SpanId source, SpanId target, FlowKind kind) { flows_.push_back({source, target, kind}); }
  // Ends of flows that find each other by a key: every target is paired with the latest source of its key that began before it.
  void add_flow_source(uint64_t key, SpanId span, FlowKind kind) { flow_sources_.push_back({key, span, kind}); }
  void add_flow_target(uint64_t key, SpanId span, FlowKind kind) { flow_targets_.push_back({key, span, kind}); }

  // What a part's texts and operations are here; without an entry, the same.
  struct Numbers {
    std::vector<int32_t> texts, ops;
    int32_t text(int32_t id) const { return id < 0 || texts.empty() ? id : texts[static_cast<size_t>(id)]; }
    int32_t op(int32_t id) const { return id < 0 || ops.empty() ? id : ops[static_cast<size_t>(id)]; }
  };
  // Where a track of a part comes to be here, behind how many spans.
  struct Place {
    int32_t track;
    uint32_t before;
    static SpanId of(SpanId span, std::span<const Place> places) {
      if (!span.exists()) return span;
      const Place& place = places[static_cast<size_t>(span.track)];
      return {place.track, span.index + place.before};
    }
  };
  // The places of a part's tracks, of which the i-th is to be `tracks[i]` of this builder.
  std::vector<Place> places_of(const SpanBuilder& part, std::span<const int32_t> tracks) const;
  // Takes over what another builder was given, as if it had been given here. Readers fill a builder in each of several threads this
  // way, and absorb them in the file's order. What is set directly in the tables of a part is not taken.
  const Numbers& absorb(SpanBuilder&& part, std::span<const Place> places);

  // How many threads may sort and link; 0 for as many as there are cores.
  void use_threads(size_t most) { threads_ = most; }

  // The tables; the builder is empty afterwards. Events whose times lie far from the others' are left out with a note.
  Tables finish();

 private:
  struct RawSpan {
    int64_t start, end, source;
    int32_t name, op, shape, step;
    uint32_t index;
    SpanKind kind;
    bool unended;
  };
  struct Correlated {
    int64_t id;
    SpanId span;
  };
  template <class Facts>
  struct Of {
    SpanId span;
    Facts facts;
  };
  struct MarkerFacts {
    SpanId span;
    int64_t number;
    MarkerFamily family;
  };
  struct CounterFacts {
    int64_t time;
    double value;
    int32_t track;
  };
  struct Flow {
    SpanId source, target;
    FlowKind kind;
  };
  struct FlowEnd {
    uint64_t key;
    SpanId span;
    FlowKind kind;
  };
  // A flow's end once rows have their order.
  struct End {
    uint64_t key;
    int64_t start;
    int32_t row;
    FlowKind kind;
  };

  size_t workers() const;
  void leave_out_far();
  TimeBounds bounds() const;
  uint64_t leave_out_spans(const TimeBounds& bounds);
  Numbers take_texts(Tables& part, std::unordered_multimap<uint64_t, int32_t>& operations);
  void take_spans(int32_t track, Column<RawSpan>& spans, const Numbers& numbers);
  void place_rows();
  void fill_track(size_t track);
  void nest(int64_t first, int64_t last);
  int32_t row_of(SpanId span) const;
  int32_t row_around(int32_t track, int64_t time) const;
  void find_causes();
  void fill_kernels();
  void fill_copies();
  void fill_collectives();
  void fill_markers();
  void fill_allocations();
  void fill_counters();
  void fill_flows();
  void link();
  Column<End> in_order(Column<FlowEnd>& ends) const;
  void pair_flows(const Column<End>& sources, const Column<End>& targets);
  void add_flow_row(int32_t source, int32_t target, FlowKind kind);

  Tables tables_;
  std::vector<Column<RawSpan>> raw_;
  std::deque<Numbers> numbers_;               // of absorbed parts
  std::vector<const Numbers*> numbering_;     // per track: what its raw spans' texts and operations mean; null: what they say
  std::vector<std::vector<uint32_t>> place_;  // per track: index of a span to its place among the track's rows; empty when the same
  uint64_t count_ = 0, dropped_ = 0, most_spans_ = kMostSpans;
  size_t threads_ = 0;
  TimeExtent extent_;  // of everything that has a time
  std::unordered_multimap<uint64_t, int32_t> operations_;
  Column<Correlated> launches_, launched_;
  Column<Of<KernelFacts>> kernels_;
  Column<Of<CopyFacts>> copies_;
  Column<Of<CollectiveFacts>> collectives_;
  Column<AllocationFacts> allocations_;
  Column<MarkerFacts> markers_;
  Column<CounterFacts> counters_;
  Column<Flow> flows_;
  Column<FlowEnd> flow_sources_, flow_targets_;
};

}  // namespace stepscope::profile
