// Walks the packets of a Perfetto trace: descriptors name tracks, interned data names events, track events begin and end slices.
#include "profile/perfetto_reader.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <string>
#include <unordered_map>
#include <vector>

#include "profile/kind_names.hpp"
#include "profile/span_builder.hpp"
#include "wire/fields.hpp"
#include "wire/reader.hpp"

namespace stepscope::profile {
namespace {

using wire::Field;
using wire::Type;
using Walker = wire::FieldWalker<wire::MemorySpace>;

constexpr uint64_t kStateCleared = 1;
constexpr uint64_t kFirstSequenceClock = 64, kLastSequenceClock = 127;  // clocks with numbers of this range belong to one sequence
constexpr uint64_t kLatest = uint64_t{1} << 62;
enum EventType : uint64_t { kBegin = 1, kEnd = 2, kInstant = 3, kCounter = 4 };

constexpr std::pair<std::string_view, SpanKind> kCategoryKinds[] = {
    {"cpu_op", SpanKind::op},
    {"gpu_memcpy", SpanKind::copy},
    {"gpu_memset", SpanKind::fill},
    {"cuda_runtime", SpanKind::runtime},
    {"cuda_driver", SpanKind::runtime},
    {"python_function", SpanKind::python},
    {"user_annotation", SpanKind::annotation},
};

SpanKind kind_of(std::string_view category) {
  for (size_t i = 0; i < kSpanKinds.size(); ++i)
    if (category == kSpanKinds[i]) return static_cast<SpanKind>(i);
  for (const auto& [text, kind] : kCategoryKinds)
    if (category == text) return kind;
  return SpanKind::other;
}

bool is_device_work(SpanKind kind) { return kind == SpanKind::kernel || kind == SpanKind::copy || kind == SpanKind::fill; }

// The number of the word that a fact holds; kNone when it is another fact or an unknown word.
template <size_t kCount>
int32_t fact_value(std::string_view text, std::string_view fact, const std::array<std::string_view, kCount>& words) {
  if (!text.starts_with(fact)) return kNone;
  text.remove_prefix(fact.size());
  const auto found = std::find(words.begin(), words.end(), text.substr(0, text.find(':')));
  return found == words.end() ? kNone : static_cast<int32_t>(found - words.begin());
}

int64_t number_of(std::string_view text) {
  int64_t number = kNone;
  return std::from_chars(text.data(), text.data() + text.size(), number).ec == std::errc() ? number : kNone;
}

// What our own export says of a slice beyond its kind.
struct Facts {
  int32_t direction = kNone, family = kNone, role = kNone, purpose = kNone;
  int64_t step = kNone, lane = kNone;

  bool read(std::string_view text) {
    if (text.starts_with(kLaneFact)) return lane = number_of(text.substr(kLaneFact.size())), true;
    if (const int32_t found = fact_value(text, kCopyFact, kCopyDirections); found != kNone) return direction = found, true;
    if (const int32_t found = fact_value(text, kTrackFact, kTrackRoles); found != kNone) return role = found, true;
    if (const int32_t found = fact_value(text, kThreadFact, kTrackPurposes); found != kNone) return purpose = found, true;
    const int32_t found = fact_value(text, kStepFact, kMarkerFamilies);
    if (found == kNone) return false;
    family = found;
    step = number_of(text.substr(text.rfind(':') + 1));
    return true;
  }
};

struct Clock {
  bool incremental = false;
  uint64_t unit = 1, last = 0;
};

struct Sequence {
  std::unordered_map<uint64_t, int32_t> names;  // interned number to name
  std::unordered_map<uint64_t, SpanKind> categories;
  std::unordered_map<uint64_t, Clock> clocks;
  uint64_t default_track = 0, default_clock = 0;
};

struct Open {
  int64_t start = 0;
  int32_t name = kNone;
  SpanKind kind = SpanKind::other;
  int64_t correlation = kNone;
  int64_t source = kNone;
  Facts facts;
};

struct TrackState {
  std::string name, process_name, thread_name;
  uint64_t parent = 0, pid = 0;
  int64_t tid = 0;
  bool counter = false, is_process = false, device_work = false;
  int32_t track = kNone, role = kNone, purpose = kNone;
  int64_t lane = kNone;  // the track that this one only continues, because slices must nest
  std::vector<Open> open;
};

struct Slice {
  uint64_t track = 0;
  int64_t end = 0;
  Open begun;
  bool unended = false;
};

struct Sample {
  uint64_t track = 0;
  int64_t time = 0;
  double value = 0;
};

struct Event {
  uint64_t type = 0, track = 0;
  int32_t name = kNone;
  SpanKind kind = SpanKind::other;
  int64_t correlation = kNone;
  double value = 0;
  Facts facts;
};

class Reader {
 public:
  Reader(std::string_view bytes, const PerfettoLimits& limits) : bytes_(bytes), space_(bytes), limits_(limits) {}

  Tables read() {
    each(0, bytes_.size(), [&](const Field& f) {
      if (f.id == wire::PerfettoTrace::packet && f.type == Type::bytes) packet(f);
    });
    end_open();
    if (slices_.empty() && samples_.empty())
      throw NoPerfettoTrace("it contains neither track slices nor counters; capture one of them");
    make_tracks();
    fill();
    if (damaged_) note("warning", "truncated", "The file is corrupt or truncated; only the readable content is shown.");
    if (unended_ > 0) note("info", "unended", "Some slices have no end; they extend to the end of the trace.");
    if (dropped_ > 0 || names_full_)
      note("warning", "dropped_events", "The file has more events or names than the limit allows; the rest is skipped.");
    if (compressed_) note("warning", "unread_packets", "Compressed packets are skipped; capture without compression to see them.");
    builder_.tables().base_ns = base_;
    Tables finished = builder_.finish();
    bring_near_zero(finished);
    if (finished.base_ns <= kUnixFrom) finished.base_ns = 0;
    return finished;
  }

 private:
  static constexpr int64_t kUnixFrom = 1'000'000'000'000'000'000;  // ns: times beyond it are of the year 2001 or later, not of a boot

  template <class Use>
  void each(uint64_t begin, uint64_t end, Use use) {
    Walker walker(space_, begin, end);
    Field field;
    while (walker.next(field)) use(field);
    damaged_ |= !walker.ok();
  }

  template <class Use>
  void inside(const Field& f, Use use) {
    if (f.type == Type::bytes) each(f.offset, f.offset + f.length, use);
  }

  std::string_view text(const Field& f) const {
    if (f.type != Type::bytes) return {};
    return bytes_.substr(static_cast<size_t>(f.offset), static_cast<size_t>(f.length));
  }

  void note(const char* level, const char* code, const char* words) { builder_.tables().notes.push_back({level, code, words}); }

  int32_t intern(std::string_view name) {
    if (builder_.tables().names.size() >= limits_.names) {
      names_full_ = true;
      return builder_.intern("");
    }
    return builder_.intern(name);
  }

  void packet(const Field& message) {
    namespace P = wire::TracePacket;
    uint64_t time = 0, clock = 0, sequence = 0, flags = 0;
    bool timed = false;
    Field event, interned, defaults, snapshot, descriptor;
    inside(message, [&](const Field& f) {
      switch (f.id) {
        case P::timestamp:
          time = f.bits, timed = true;
          break;
        case P::timestamp_clock_id:
          clock = f.bits;
          break;
        case P::trusted_packet_sequence_id:
          sequence = f.bits;
          break;
        case P::sequence_flags:
          flags = f.bits;
          break;
        case P::track_event:
          event = f;
          break;
        case P::interned_data:
          interned = f;
          break;
        case P::trace_packet_defaults:
          defaults = f;
          break;
        case P::clock_snapshot:
          snapshot = f;
          break;
        case P::track_descriptor:
          descriptor = f;
          break;
        case P::compressed_packets:
          compressed_ = true;
          break;
        default:
          break;
      }
    });
    if (flags & kStateCleared) sequences_.erase(sequence);
    Sequence& state = sequences_[sequence];
    if (snapshot.id) read_clocks(snapshot, state);
    if (defaults.id) read_defaults(defaults, state);
    if (interned.id) read_interned(interned, state);
    if (descriptor.id) read_descriptor(descriptor);
    if (event.id && timed) read_event(event, time_of(state, time, clock), state, static_cast<int64_t>(message.offset));
  }

  static int64_t time_of(Sequence& state, uint64_t time, uint64_t clock) {
    if (clock == 0) clock = state.default_clock;
    if (clock >= kFirstSequenceClock && clock <= kLastSequenceClock) {
      const auto known = state.clocks.find(clock);
      if (known != state.clocks.end()) {
        Clock& own = known->second;
        const uint64_t ns = std::min(time, kLatest / own.unit) * own.unit;
        own.last = own.incremental ? std::min(kLatest, own.last + ns) : ns;
        return static_cast<int64_t>(std::min(own.last, kLatest));
      }
    }
    return static_cast<int64_t>(std::min(time, kLatest));
  }

  void read_clocks(const Field& message, Sequence& state) {
    inside(message, [&](const Field& f) {
      if (f.id != wire::ClockSnapshot::clocks) return;
      Clock clock;
      uint64_t id = 0;
      inside(f, [&](const Field& c) {
        if (c.id == wire::SnapshotClock::clock_id) id = c.bits;
        if (c.id == wire::SnapshotClock::timestamp) clock.last = std::min(c.bits, kLatest);
        if (c.id == wire::SnapshotClock::is_incremental) clock.incremental = c.bits != 0;
        if (c.id == wire::SnapshotClock::unit_multiplier_ns) clock.unit = std::clamp<uint64_t>(c.bits, 1, 1'000'000'000);
      });
      clock.last = std::min(clock.last, kLatest / clock.unit) * clock.unit;
      if (id >= kFirstSequenceClock && id <= kLastSequenceClock) state.clocks[id] = clock;
    });
  }

  void read_defaults(const Field& message, Sequence& state) {
    inside(message, [&](const Field& f) {
      if (f.id == wire::TracePacketDefaults::timestamp_clock_id) state.default_clock = f.bits;
      if (f.id == wire::TracePacketDefaults::track_event_defaults)
        inside(f, [&](const Field& d) {
          if (d.id == wire::TrackEventDefaults::track_uuid) state.default_track = d.bits;
        });
    });
  }

  void read_interned(const Field& message, Sequence& state) {
    inside(message, [&](const Field& f) {
      if (f.id != wire::InternedData::event_names && f.id != wire::InternedData::event_categories) return;
      uint64_t iid = 0;
      std::string_view name;
      inside(f, [&](const Field& e) {
        if (e.id == wire::EventName::iid) iid = e.bits;
        if (e.id == wire::EventName::name) name = text(e);
      });
      if (f.id == wire::InternedData::event_names)
        state.names[iid] = intern(name);
      else
        state.categories[iid] = kind_of(name);
    });
  }

  void read_descriptor(const Field& message) {
    uint64_t uuid = 0;
    TrackState found;
    inside(message, [&](const Field& f) {
      switch (f.id) {
        case wire::TrackDescriptor::uuid:
          uuid = f.bits;
          break;
        case wire::TrackDescriptor::name:
          found.name = text(f);
          break;
        case wire::TrackDescriptor::parent_uuid:
          found.parent = f.bits;
          break;
        case wire::TrackDescriptor::counter:
          found.counter = true;
          break;
        case wire::TrackDescriptor::process:
          found.is_process = true;
          inside(f, [&](const Field& p) {
            if (p.id == wire::ProcessDescriptor::pid) found.pid = p.bits;
            if (p.id == wire::ProcessDescriptor::process_name) found.process_name = text(p);
          });
          break;
        case wire::TrackDescriptor::thread:
          inside(f, [&](const Field& t) {
            if (t.id == wire::ThreadDescriptor::pid) found.pid = t.bits;
            if (t.id == wire::ThreadDescriptor::tid) found.tid = static_cast<int64_t>(t.bits);
            if (t.id == wire::ThreadDescriptor::thread_name) found.thread_name = text(t);
          });
          break;
        default:
          break;
      }
    });
    TrackState& state = track(uuid);
    found.open = std::move(state.open);
    found.device_work = state.device_work;
    found.lane = state.lane;
    found.role = state.role;
    found.purpose = state.purpose;
    state = std::move(found);
  }

  TrackState& track(uint64_t uuid) {
    const auto [place, fresh] = tracks_.try_emplace(uuid);
    if (fresh) order_.push_back(uuid);
    return place->second;
  }

  void read_event(const Field& message, int64_t time, const Sequence& state, int64_t source) {
    Event event;
    event.track = state.default_track;
    inside(message, [&](const Field& f) { event_field(f, state, event); });
    // Beyond the limit ends are left out too: they would end slices that are not theirs.
    if (dropped_ > 0 || (event.type != kEnd && ++begun_ > limits_.spans)) {
      ++dropped_;
      return;
    }
    TrackState& place = track(event.track);
    latest_ = std::max(latest_, time);
    switch (event.type) {
      case kBegin:
        place.open.push_back({time, event.name, event.kind, event.correlation, source, event.facts});
        break;
      case kEnd:
        if (place.open.empty()) break;  // it began before the recording
        add_slice(event.track, place, place.open.back(), time);
        place.open.pop_back();
        break;
      case kInstant:
        add_slice(event.track, place, {time, event.name, event.kind, event.correlation, source, event.facts}, time);
        break;
      case kCounter:
        samples_.push_back({event.track, time, event.value});
        place.counter = true;
        break;
      default:
        break;
    }
  }

  void event_field(const Field& f, const Sequence& state, Event& event) {
    namespace E = wire::TrackEvent;
    switch (f.id) {
      case E::type:
        event.type = f.bits;
        break;
      case E::track_uuid:
        event.track = f.bits;
        break;
      case E::name:
        event.name = intern(text(f));
        break;
      case E::name_iid: {
        const auto known = state.names.find(f.bits);
        if (known != state.names.end()) event.name = known->second;
        break;
      }
      case E::category_iids: {
        uint64_t iid = f.bits;
        if (f.type == Type::bytes && !wire::Cursor(text(f)).varint(iid)) break;
        const auto known = state.categories.find(iid);
        if (known != state.categories.end() && event.kind == SpanKind::other) event.kind = known->second;
        break;
      }
      case E::categories:
        if (!event.facts.read(text(f)) && event.kind == SpanKind::other) event.kind = kind_of(text(f));
        break;
      case E::counter_value:
        event.value = static_cast<double>(static_cast<int64_t>(f.bits));
        break;
      case E::double_counter_value:
        event.value = f.as_double();
        break;
      case E::flow_ids:
      case E::terminating_flow_ids:
        if (f.type == Type::fixed64 && event.correlation == kNone) event.correlation = static_cast<int64_t>(f.bits & INT64_MAX);
        break;
      default:
        break;
    }
  }

  void add_slice(uint64_t uuid, TrackState& place, const Open& begun, int64_t end) {
    place.device_work |= is_device_work(begun.kind);
    if (begun.facts.lane != kNone) place.lane = begun.facts.lane;
    if (begun.facts.role != kNone) place.role = begun.facts.role;
    if (begun.facts.purpose != kNone) place.purpose = begun.facts.purpose;
    slices_.push_back({uuid, std::max(end, begun.start), begun});
  }

  void end_open() {
    for (const uint64_t uuid : order_) {
      TrackState& place = tracks_[uuid];
      unended_ += place.open.size();
      while (!place.open.empty()) {
        add_slice(uuid, place, place.open.back(), latest_);
        slices_.back().unended = true;
        place.open.pop_back();
      }
    }
  }

  std::string process_of(const TrackState& place) const {
    const TrackState* at = &place;
    for (int depth = 0; depth < 16 && !at->is_process; ++depth) {  // a hostile file can make parents go in circles
      const auto above = tracks_.find(at->parent);
      if (at->parent == 0 || above == tracks_.end()) break;
      at = &above->second;
    }
    if (!at->process_name.empty()) return at->process_name;
    return at->pid != 0 ? "process " + std::to_string(at->pid) : "host";
  }

  void make_tracks() {
    std::unordered_map<uint64_t, bool> used;
    for (const Slice& slice : slices_) used[slice.track] = true;
    for (const Sample& sample : samples_) used[sample.track] = true;
    for (const uint64_t uuid : order_) {
      if (!used.contains(uuid)) continue;
      TrackState& place = tracks_[uuid];
      if (const auto first = tracks_.find(static_cast<uint64_t>(place.lane)); place.lane != kNone && first != tracks_.end()) {
        place.track = first->second.track;
        if (place.track != kNone) continue;
      }
      Track track;
      track.process = process_of(place);
      track.name = !place.name.empty() ? place.name : !place.thread_name.empty() ? place.thread_name : track.process;
      track.number = place.tid;
      track.role = place.counter ? TrackRole::counter : place.device_work ? TrackRole::stream : TrackRole::thread;
      if (track.role != TrackRole::counter && place.role != kNone) track.role = static_cast<TrackRole>(place.role);
      if (place.purpose != kNone) track.purpose = static_cast<TrackPurpose>(place.purpose);
      if (track.role == TrackRole::stream) track.device = device_of(track.process);
      place.track = builder_.add_track(std::move(track));
    }
  }

  int32_t device_of(const std::string& process) {
    auto& devices = builder_.tables().devices;
    for (size_t i = 0; i < devices.size(); ++i)
      if (devices[i].name == process) return static_cast<int32_t>(i);
    Device device;
    device.name = process;
    device.kind = "GPU";
    device.ordinal = static_cast<int32_t>(devices.size());
    devices.push_back(std::move(device));
    return static_cast<int32_t>(devices.size()) - 1;
  }

  void fill() {
    base_ = INT64_MAX;
    for (const Slice& slice : slices_) base_ = std::min(base_, slice.begun.start);
    for (const Sample& sample : samples_) base_ = std::min(base_, sample.time);
    for (const Slice& slice : slices_) {
      const int32_t track = tracks_[slice.track].track;
      SpanFacts facts;
      facts.start = slice.begun.start - base_;
      facts.end = slice.end - base_;
      facts.unended = slice.unended;
      facts.name = slice.begun.name == kNone ? builder_.intern("") : slice.begun.name;
      facts.kind = slice.begun.kind;
      facts.correlation = slice.begun.correlation;
      facts.source = slice.begun.source;
      if (track != kNone) add_span(track, facts, slice.begun.facts);
    }
    for (const Sample& sample : samples_)
      if (const int32_t track = tracks_[sample.track].track; track != kNone)
        builder_.add_counter(track, sample.time - base_, sample.value);
  }

  void add_span(int32_t track, SpanFacts facts, const Facts& told) {
    const bool numbered = told.family != kNone && told.step >= 0 && told.step <= INT32_MAX;
    if (numbered) facts.step = static_cast<int32_t>(told.step);
    const SpanId span = builder_.add_span(track, facts);
    if (told.direction != kNone) builder_.add_copy(span, {static_cast<CopyDirection>(told.direction)});
    if (told.family != kNone) builder_.add_marker(span, told.step, static_cast<MarkerFamily>(told.family));
  }

  std::string_view bytes_;
  wire::MemorySpace space_;
  const PerfettoLimits limits_;
  SpanBuilder builder_;
  std::unordered_map<uint64_t, Sequence> sequences_;
  std::unordered_map<uint64_t, TrackState> tracks_;
  std::vector<uint64_t> order_;  // tracks as they were first seen
  std::vector<Slice> slices_;
  std::vector<Sample> samples_;
  int64_t base_ = 0, latest_ = 0;
  uint64_t begun_ = 0, dropped_ = 0, unended_ = 0;
  bool names_full_ = false;
  bool damaged_ = false, compressed_ = false;
};

}  // namespace

std::span<const std::pair<std::string_view, SpanKind>> category_kinds() { return kCategoryKinds; }

Tables read_perfetto(std::string_view bytes, const PerfettoLimits& limits) { return Reader(bytes, limits).read(); }

}  // namespace stepscope::profile
