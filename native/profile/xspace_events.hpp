// Turns the events of one line of an XSpace file into spans and what hangs on them.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "profile/span_builder.hpp"
#include "profile/xspace_stats.hpp"

namespace stepscope::profile::xspace {

// What lines gave: each thread that reads some fills its own.
struct Gathered {
  SpanBuilder builder;
  bool jax = false, tensorflow = false;
  uint64_t malformed = 0;  // messages that were skipped
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

  // Takes over what later lines gave; their i-th track is `tracks[i]` here.
  void absorb(Gathered&& part, std::span<const int32_t> tracks);
};

// What is known of the whole file; while lines are read, only looked at.
struct Reading {
  std::string_view file;
  int64_t shift = 0;  // nanoseconds to take from every time: files with absolute times count from their own start
  std::unordered_map<int32_t, int32_t> device_of_ordinal;
  Gathered all;
};

struct Plane {
  std::string_view name;
  PlaneKind kind = PlaneKind::derived;
  std::string process;
  int32_t device = kNone;
  int32_t ordinal = 0;            // of the device, as the plane's name has it
  bool has_asynchronous = false;  // a line of its own holds what runs beside the operations, from start to done
};

// An event's name with what the rules say of it, found when the first such event is met.
struct KnownName {
  explicit KnownName(const EventName& event) : name(event.name), shown(event.shown), stats(&event.stats) {}

  std::string_view name, shown;
  const std::vector<std::string_view>* stats;
  bool prepared = false, known = false, allocates = false, releases = false, region_start = false, region_stop = false;
  bool captured_function = false, root_call = false;
  SpanKind kind = SpanKind::other;
  CopyDirection direction = CopyDirection::unknown;
  int32_t text = kNone;  // the shown name in the pool
  int32_t op = kNone;
  int64_t step = kNone;  // "Profiled batch 7"
};

// The names of a plane that some of its lines use, for one thread; `events` is how many events these have.
class KnownNames {
 public:
  KnownNames(const PlaneNames& names, size_t events) : names_(names) {
    // A table of all names is only worth it, and only bounded by the file, where events are about as many.
    if (names.events().size() <= 64 + 4 * events) table_.assign(names.events().size() + 1, kNone);
  }

  // Valid until the next call.
  KnownName& at(int32_t place) {
    int32_t& number = table_.empty() ? map_.try_emplace(place, kNone).first->second : table_[static_cast<size_t>(place + 1)];
    if (number == kNone) {
      number = static_cast<int32_t>(known_.size());
      known_.emplace_back(names_.at(place));
    }
    return known_[static_cast<size_t>(number)];
  }

 private:
  const PlaneNames& names_;
  std::vector<int32_t> table_;
  std::unordered_map<int32_t, int32_t> map_;
  std::vector<KnownName> known_;
};

class LineReader {
 public:
  // The track is one of the builder that is filled.
  LineReader(const Reading& reading, Gathered& into, const Plane& plane, const PlaneNames& names, KnownNames& known, int32_t track,
             int64_t timestamp_ns);

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

  KnownName* read(std::string_view bytes);
  void prepare(KnownName& name);
  Times times() const;
  SpanFacts facts_of(const KnownName& name);
  void thread_event(const KnownName& name);
  void stream_event(const KnownName& name);
  void device_step(const KnownName& name);
  void counter(const KnownName& name);
  void allocation(const KnownName& name);
  void region_stop(const KnownName& name);
  SpanKind thread_kind(const KnownName& name) const;
  void note_groups_and_receipts(const KnownName& name, const SpanFacts& facts);
  void add_links(SpanId span);
  uint64_t run_key(int64_t device) const;
  void add_root(const KnownName& name, SpanId span, const SpanFacts& facts);
  void add_device_facts(SpanId span, SpanKind kind, CopyDirection direction, std::string_view name);
  int32_t operation(const KnownName& name);
  int32_t text_of(Stat stat);

  const Reading& reading_;
  Gathered& into_;
  SpanBuilder& builder_;
  const Plane& plane_;
  const PlaneNames& names_;
  KnownNames& known_;
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
