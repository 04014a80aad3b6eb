// Perfetto's .pftrace: a track for every thread and stream, slices that begin and end, names sent once.
//
// Slices of a track must nest. Spans that only overlap are dealt out to further lanes of their track.
#include <algorithm>
#include <array>

#include "profile/kind_names.hpp"
#include "profile/trace_export.hpp"
#include "wire/fields.hpp"
#include "wire/writer.hpp"

namespace stepscope::profile {
namespace {

constexpr uint32_t kSequence = 1;
constexpr uint64_t kStateCleared = 1, kNeedsState = 2;
constexpr uint64_t kBegin = 1, kEnd = 2, kCounter = 4;
constexpr uint64_t kProcesses = uint64_t{1} << 40, kLanes = uint64_t{1} << 41;  // where the numbers of such tracks begin

class PerfettoExport : public TraceExport {
 public:
  explicit PerfettoExport(ExportColumns columns) : TraceExport(std::move(columns)), sent_(columns_.names.size()) {}

 protected:
  void begin(std::string& out) override {
    std::string packet;
    wire::put_varint_field(packet, wire::TracePacket::sequence_flags, kStateCleared);
    put_packet(out, packet);
    for (size_t i = 0; i < columns_.tracks.size(); ++i) {
      const size_t process = process_[i];
      if (process == i) {
        std::string about, inner;
        wire::put_varint_field(inner, wire::ProcessDescriptor::pid, i + 1);
        wire::put_bytes_field(inner, wire::ProcessDescriptor::process_name, columns_.tracks[i].process);
        wire::put_varint_field(about, wire::TrackDescriptor::uuid, kProcesses + i);
        wire::put_bytes_field(about, wire::TrackDescriptor::process, inner);
        put_descriptor(out, about);
      }
      describe(out, i + 1, columns_.tracks[i], process);
    }
  }

  void write_span(std::string& out, size_t row) override {
    const size_t known = lanes_.size();
    const size_t lane = lane_for(out, row);
    std::string event;
    wire::put_varint_field(event, wire::TrackEvent::type, kBegin);
    wire::put_varint_field(event, wire::TrackEvent::track_uuid, lanes_[lane].uuid);
    std::string interned;
    put_category(event, interned, columns_.kind[row]);
    put_facts(event, row);
    if (lane >= known) put_track_facts(event, row, lane);
    put_name(event, interned, columns_.name[row]);
    if (is_cause_[row]) wire::put_fixed64_field(event, wire::TrackEvent::flow_ids, row + 1);
    if (has_cause(row))
      wire::put_fixed64_field(event, wire::TrackEvent::terminating_flow_ids, static_cast<uint64_t>(columns_.cause[row]) + 1);
    put_event(out, start_of(row), event, interned);
    lanes_[lane].open.push_back(end_of(row));
  }

  void end_track(std::string& out) override {
    for (Lane& lane : lanes_) close(out, lane, INT64_MAX);
    lanes_.clear();
  }

  void write_counter(std::string& out, size_t at) override {
    std::string event;
    wire::put_varint_field(event, wire::TrackEvent::type, kCounter);
    wire::put_varint_field(event, wire::TrackEvent::track_uuid, static_cast<uint64_t>(columns_.counter_track[at]) + 1);
    wire::put_double_field(event, wire::TrackEvent::double_counter_value, columns_.counter_value[at]);
    put_event(out, columns_.counter_time[at], event, {});
  }

  void finish(std::string&) override {}

 private:
  struct Lane {
    uint64_t uuid = 0;
    std::vector<int64_t> open;  // ends of the slices that have begun, the innermost last
  };

  // The lane of the row's track where it nests; slices that are over by then are ended first.
  size_t lane_for(std::string& out, size_t row) {
    const int64_t start = start_of(row), end = end_of(row);
    for (size_t i = 0; i < lanes_.size(); ++i) {
      close(out, lanes_[i], start);
      if (lanes_[i].open.empty() || lanes_[i].open.back() >= end) return i;
    }
    Lane lane;
    const auto track = static_cast<size_t>(columns_.track[row]);
    lane.uuid = lanes_.empty() ? track + 1 : kLanes + more_++;
    if (!lanes_.empty()) describe(out, lane.uuid, columns_.tracks[track], process_[track]);
    lanes_.push_back(std::move(lane));
    return lanes_.size() - 1;
  }

  void close(std::string& out, Lane& lane, int64_t until) {
    while (!lane.open.empty() && lane.open.back() <= until) {
      std::string event;
      wire::put_varint_field(event, wire::TrackEvent::type, kEnd);
      wire::put_varint_field(event, wire::TrackEvent::track_uuid, lane.uuid);
      put_event(out, lane.open.back(), event, {});
      lane.open.pop_back();
    }
  }

  void put_name(std::string& event, std::string& interned, int32_t name) {
    if (name < 0 || static_cast<size_t>(name) >= sent_.size()) {
      wire::put_bytes_field(event, wire::TrackEvent::name, "");
      return;
    }
    const uint64_t id = static_cast<uint64_t>(name) + 1;
    wire::put_varint_field(event, wire::TrackEvent::name_iid, id);
    if (sent_[static_cast<size_t>(name)]) return;
    sent_[static_cast<size_t>(name)] = true;
    std::string entry;
    wire::put_varint_field(entry, wire::EventName::iid, id);
    wire::put_bytes_field(entry, wire::EventName::name, text(name));
    wire::put_bytes_field(interned, wire::InternedData::event_names, entry);
  }

  void put_category(std::string& event, std::string& interned, int8_t kind) {
    const auto number = static_cast<size_t>(kind);
    if (number >= kSpanKinds.size()) return;
    wire::put_varint_field(event, wire::TrackEvent::category_iids, number + 1);
    if (sent_kinds_[number]) return;
    sent_kinds_[number] = true;
    std::string entry;
    wire::put_varint_field(entry, wire::EventCategory::iid, number + 1);
    wire::put_bytes_field(entry, wire::EventCategory::name, kSpanKinds[number]);
    wire::put_bytes_field(interned, wire::InternedData::event_categories, entry);
  }

  // What the kind alone does not tell; the numbers of steps are too many to send each once.
  void put_facts(std::string& event, size_t row) const {
    if (const auto copy = copy_of_.find(row); copy != copy_of_.end())
      put_fact(event, kCopyFact, kCopyDirections, columns_.copy_direction[copy->second]);
    if (const auto marker = marker_of_.find(row); marker != marker_of_.end())
      put_fact(event, kStepFact, kMarkerFamilies, columns_.marker_family[marker->second],
               ":" + std::to_string(columns_.marker_number[marker->second]));
  }

  // The first slice of each lane says what its track is, which descriptors have no words for.
  void put_track_facts(std::string& event, size_t row, size_t lane) const {
    const Track& track = track_of(row);
    if (lane > 0) {
      const std::string first = std::to_string(static_cast<size_t>(columns_.track[row]) + 1);
      wire::put_bytes_field(event, wire::TrackEvent::categories, std::string(kLaneFact) + first);
    }
    put_fact(event, kTrackFact, kTrackRoles, static_cast<int8_t>(track.role));
    if (track.purpose != TrackPurpose::unknown) put_fact(event, kThreadFact, kTrackPurposes, static_cast<int8_t>(track.purpose));
  }

  template <size_t kCount>
  static void put_fact(std::string& event, std::string_view fact, const std::array<std::string_view, kCount>& words, int8_t value,
                       const std::string& more = {}) {
    const auto number = static_cast<size_t>(value);
    if (number < kCount)
      wire::put_bytes_field(event, wire::TrackEvent::categories, std::string(fact) + std::string(words[number]) + more);
  }

  void describe(std::string& out, uint64_t uuid, const Track& track, size_t process) {
    std::string about;
    wire::put_varint_field(about, wire::TrackDescriptor::uuid, uuid);
    wire::put_bytes_field(about, wire::TrackDescriptor::name, track.name);
    wire::put_varint_field(about, wire::TrackDescriptor::parent_uuid, kProcesses + process);
    if (track.role == TrackRole::counter) wire::put_bytes_field(about, wire::TrackDescriptor::counter, "");
    put_descriptor(out, about);
  }

  static void put_descriptor(std::string& out, const std::string& about) {
    std::string packet;
    wire::put_bytes_field(packet, wire::TracePacket::track_descriptor, about);
    put_packet(out, packet);
  }

  // Perfetto's times have no sign: they count from the profile's base, which is unix time where the profile knows it.
  void put_event(std::string& out, int64_t time, const std::string& event, const std::string& interned) {
    std::string packet;
    const int64_t at = std::max<int64_t>(0, columns_.base_ns) + time;
    wire::put_varint_field(packet, wire::TracePacket::timestamp, static_cast<uint64_t>(std::max<int64_t>(0, at)));
    wire::put_bytes_field(packet, wire::TracePacket::track_event, event);
    if (!interned.empty()) wire::put_bytes_field(packet, wire::TracePacket::interned_data, interned);
    wire::put_varint_field(packet, wire::TracePacket::sequence_flags, kNeedsState);
    put_packet(out, packet);
  }

  static void put_packet(std::string& out, std::string& packet) {
    wire::put_varint_field(packet, wire::TracePacket::trusted_packet_sequence_id, kSequence);
    wire::put_bytes_field(out, wire::PerfettoTrace::packet, packet);
  }

  std::vector<bool> sent_;
  std::array<bool, kSpanKinds.size()> sent_kinds_{};
  std::vector<Lane> lanes_;
  uint64_t more_ = 0;
};

}  // namespace

std::unique_ptr<TraceExport> perfetto_export(ExportColumns columns) { return std::make_unique<PerfettoExport>(std::move(columns)); }

}  // namespace stepscope::profile
