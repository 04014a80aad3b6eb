// Fuzzes reading a Perfetto trace: makes ones with all kinds of packets, damages them, and checks what must hold of the tables for any
// bytes. Arguments: seconds to run, and a seed.
#include "profile/perfetto_reader.hpp"

#include "fuzz/damage.hpp"
#include "wire/fields.hpp"
#include "wire/writer.hpp"

namespace {

using namespace stepscope;

constexpr const char* kNames[] = {"main", "gemm", "stream 7", "kernel", "op", "\xff\xfe", ""};

class Fuzzer : fuzz::Chooser {
 public:
  using Chooser::Chooser;

  void once() {
    std::string file;
    for (uint64_t packets = 1 + below(60); packets > 0; --packets)
      wire::put_bytes_field(file, wire::PerfettoTrace::packet, make_packet());
    check(file);
    damage(file);
    check(file);
  }

 private:
  std::string make_packet() {
    namespace P = wire::TracePacket;
    std::string packet;
    if (!chance(10)) wire::put_varint_field(packet, P::timestamp, chance(6) ? some_number() : 1000 + below(1000));
    wire::put_varint_field(packet, P::trusted_packet_sequence_id, below(3));
    if (chance(8)) wire::put_varint_field(packet, P::sequence_flags, below(4));
    if (chance(12)) wire::put_varint_field(packet, P::timestamp_clock_id, below(70));
    switch (below(8)) {
      case 0:
        wire::put_bytes_field(packet, P::track_descriptor, make_descriptor());
        break;
      case 1:
        wire::put_bytes_field(packet, P::interned_data, make_interned());
        break;
      case 2:
        wire::put_bytes_field(packet, chance(2) ? P::clock_snapshot : P::trace_packet_defaults, make_clocks());
        break;
      default:
        wire::put_bytes_field(packet, P::track_event, make_event());
    }
    return packet;
  }

  std::string make_event() {
    namespace E = wire::TrackEvent;
    std::string event;
    wire::put_varint_field(event, E::type, chance(20) ? some_number() : below(5));
    if (!chance(4)) wire::put_varint_field(event, E::track_uuid, below(6));
    if (chance(2)) wire::put_varint_field(event, E::name_iid, below(5));
    if (chance(2)) wire::put_bytes_field(event, E::name, one_of(kNames));
    if (chance(3)) wire::put_bytes_field(event, E::categories, one_of(kNames));
    if (chance(3)) wire::put_varint_field(event, E::category_iids, below(5));
    if (chance(3)) wire::put_varint_field(event, E::counter_value, some_number());
    if (chance(3)) wire::put_double_field(event, E::double_counter_value, static_cast<double>(some_number()));
    if (chance(3)) wire::put_varint_field(event, chance(2) ? E::flow_ids : E::terminating_flow_ids, below(5));
    return event;
  }

  std::string make_descriptor() {
    namespace T = wire::TrackDescriptor;
    std::string track, inner;
    wire::put_varint_field(track, T::uuid, below(6));
    wire::put_varint_field(track, T::parent_uuid, below(6));  // may be its own
    wire::put_bytes_field(track, T::name, one_of(kNames));
    for (uint32_t field = 1; field < 4; ++field) wire::put_varint_field(inner, field, some_number());
    if (chance(2)) wire::put_bytes_field(track, chance(2) ? T::process : chance(2) ? T::thread : T::counter, inner);
    return track;
  }

  std::string make_interned() {
    std::string data;
    for (uint64_t n = below(5); n > 0; --n) {
      std::string entry;
      wire::put_varint_field(entry, wire::EventName::iid, below(5));
      wire::put_bytes_field(entry, wire::EventName::name, one_of(kNames));
      wire::put_bytes_field(data, chance(3) ? wire::InternedData::event_categories : wire::InternedData::event_names, entry);
    }
    return data;
  }

  std::string make_clocks() {
    std::string clocks;
    for (uint64_t n = below(4); n > 0; --n) {
      std::string clock;
      namespace C = wire::SnapshotClock;
      wire::put_varint_field(clock, C::clock_id, below(70));
      for (const uint32_t field : {C::timestamp, C::is_incremental, C::unit_multiplier_ns})
        wire::put_varint_field(clock, field, some_number());
      wire::put_bytes_field(clocks, wire::ClockSnapshot::clocks, clock);
    }
    wire::put_varint_field(clocks, wire::TracePacketDefaults::timestamp_clock_id, below(70));
    return clocks;
  }

  void check(const std::string& file) {
    try {
      fuzz::check_tables(profile::read_perfetto(file, {chance(4) ? below(20) : 1000000, chance(4) ? below(10) : 1000000}));
    } catch (const profile::NoPerfettoTrace&) {
    }
  }
};

}  // namespace

int main(int count, char** arguments) { return fuzz::run<Fuzzer>(count, arguments); }
