// Walking planes without looking into their events.
#include "profile/xspace_planes.hpp"

#include <algorithm>
#include <charconv>

namespace stepscope::profile::xspace {
namespace {

using wire::Field;
using wire::Type;

constexpr size_t kMostPlanes = 1 << 16;
constexpr size_t kMostMessages = 1000;  // errors and warnings that are kept
constexpr size_t kLongestMessage = 2000;

LineOutline read_line(std::string_view bytes) {
  LineOutline line;
  line.bytes = bytes;
  Message message(bytes);
  Field field;
  std::string_view name, shown;
  while (message.next(field)) {
    switch (field.id) {
      case wire::XLine::id:
        line.id = static_cast<int64_t>(field.bits);
        break;
      case wire::XLine::name:
        name = message.bytes(field);
        break;
      case wire::XLine::display_name:
        shown = message.bytes(field);
        break;
      case wire::XLine::timestamp_ns:
        line.timestamp_ns = static_cast<int64_t>(field.bits);
        break;
      case wire::XLine::events:
        ++line.events;
        break;
      default:
        break;
    }
  }
  line.name = (shown.empty() ? name : shown).substr(0, TextPool::kLongest);
  return line;
}

PlaneOutline read_plane(std::string_view bytes, bool cut, Outline& outline) {
  PlaneOutline plane;
  plane.bytes = bytes;
  plane.cut = cut;
  Message message(bytes);
  Field field;
  while (message.next(field)) {
    if (field.id == wire::XPlane::name) plane.name = message.bytes(field).substr(0, TextPool::kLongest);
    if (field.id == wire::XPlane::lines && field.type == Type::bytes) plane.lines.push_back(read_line(message.bytes(field)));
  }
  if (!message.ok() && !cut) ++outline.malformed;
  return plane;
}

void keep(std::vector<std::string>& texts, std::string_view text) {
  if (texts.size() < kMostMessages) texts.emplace_back(text.substr(0, kLongestMessage));
}

std::string to_text(const PlaneNames& names, const RawStat& stat) {
  switch (stat.form) {
    case Form::real:
      return std::to_string(stat.number());
    case Form::natural:
      return std::to_string(stat.bits);
    case Form::whole:
      return std::to_string(stat.integer());
    case Form::text:
    case Form::reference:
      return std::string(names.text(stat).substr(0, kLongestMessage));
    default:
      return {};
  }
}

// Calls `take(stat)` for each of a plane's own stats.
template <class Take>
void for_each_stat(const PlaneOutline& plane, const Take& take) {
  Message message(plane.bytes);
  Field field;
  RawStat stat;
  while (message.next(field))
    if (field.id == wire::XPlane::stats && field.type == Type::bytes && read_stat(message.bytes(field), stat)) take(stat);
}

void read_options(std::string_view bytes, Tables& tables) {
  static constexpr std::pair<uint32_t, const char*> kOptions[] = {
      {wire::ProfileOptions::include_dataset_ops, "include_dataset_ops"},
      {wire::ProfileOptions::host_tracer_level, "host_tracer_level"},
      {wire::ProfileOptions::device_tracer_level, "device_tracer_level"},
      {wire::ProfileOptions::python_tracer_level, "python_tracer_level"},
      {wire::ProfileOptions::enable_hlo_proto, "enable_hlo_proto"},
      {wire::ProfileOptions::duration_ms, "duration_ms"},
  };
  Message message(bytes);
  Field field;
  while (message.next(field))
    for (const auto& [number, name] : kOptions)
      if (field.id == number && field.type == Type::varint) tables.environment.emplace_back(name, std::to_string(field.bits));
}

}  // namespace

Outline read_outline(std::string_view file) {
  Outline outline;
  wire::Cursor cursor(file);
  uint64_t key, length;
  std::string_view bytes;
  while (cursor.left() > 0) {
    outline.readable = file.size() - cursor.left();
    // All four fields of the message are bytes; a writer of a later version may add others.
    if (!cursor.varint(key) || key >> 3 == 0) break;
    const auto type = static_cast<Type>(key & 7);
    if (type == Type::varint && cursor.varint(length)) continue;
    if (type == Type::fixed64 && cursor.text(8, bytes)) continue;
    if (type == Type::fixed32 && cursor.text(4, bytes)) continue;
    if (type != Type::bytes || !cursor.varint(length)) break;
    const bool cut = length > cursor.left();
    if (!cursor.text(cut ? cursor.left() : length, bytes)) break;
    outline.cut |= cut;
    switch (key >> 3) {
      case wire::XSpace::planes:
        if (outline.planes.size() < kMostPlanes)
          outline.planes.push_back(read_plane(bytes, cut, outline));
        else
          ++outline.malformed;
        break;
      case wire::XSpace::errors:
        keep(outline.errors, bytes);
        break;
      case wire::XSpace::warnings:
        keep(outline.warnings, bytes);
        break;
      case wire::XSpace::hostnames:
        keep(outline.hostnames, bytes);
        break;
      default:
        break;
    }
    if (!cut) outline.readable = file.size() - cursor.left();
  }
  outline.cut |= outline.readable < file.size();
  return outline;
}

uint64_t read_names(const PlaneOutline& plane, PlaneNames& names) {
  Message message(plane.bytes);
  Field field;
  uint64_t malformed = 0;
  while (message.next(field)) {
    if (field.type != Type::bytes) continue;
    if (field.id == wire::XPlane::event_metadata && !names.add_event(message.bytes(field))) ++malformed;
    if (field.id == wire::XPlane::stat_metadata && !names.add_stat(message.bytes(field))) ++malformed;
  }
  return malformed;
}

void read_environment(const PlaneOutline& plane, const PlaneNames& names, Tables& tables) {
  for_each_stat(plane, [&](const RawStat& stat) {
    const Stat known = names.stat(stat.metadata_id);
    if (known == Stat::profile_options) return read_options(stat.text, tables);
    if (known == Stat::profile_start_time) tables.base_ns = stat.integer();
    const std::string name(names.stat_name(stat.metadata_id));
    if (name.empty() || stat.form == Form::bytes || stat.form == Form::none) return;
    const bool there =
        std::any_of(tables.environment.begin(), tables.environment.end(), [&](const auto& one) { return one.first == name; });
    if (!there && tables.environment.size() < kMostMessages) tables.environment.emplace_back(name, to_text(names, stat));
  });
}

void read_programs(const PlaneNames& names, std::string_view file, Tables& tables) {
  for (const EventName& event : names.events()) {
    RawStat stat, proto;
    int64_t number = kNone;
    for (const std::string_view raw : event.stats) {
      if (!read_stat(raw, stat)) continue;
      const Stat known = names.stat(stat.metadata_id);
      if (known == Stat::hlo_proto && stat.form == Form::bytes) proto = stat;
      if (known == Stat::program_id) number = stat.integer();
    }
    if (proto.form == Form::none) continue;
    const size_t open = event.name.rfind('(');
    if (number == kNone && open != std::string_view::npos && event.name.ends_with(')'))
      std::from_chars(event.name.data() + open + 1, event.name.data() + event.name.size() - 1, number);
    tables.programs.push_back({std::string(event.name.substr(0, TextPool::kLongest)), number,
                               static_cast<uint64_t>(proto.text.data() - file.data()), proto.text.size()});
  }
}

void read_device(const PlaneOutline& plane, const PlaneNames& names, Reading& reading, Plane& described) {
  // "/device:GPU:0", "/device:TPU:3 SparseCore 1"
  std::string_view rest = std::string_view(plane.name).substr(std::string_view("/device:").size());
  const size_t colon = std::min(rest.find(':'), rest.size());
  Device device;
  device.kind = rest.substr(0, colon);
  rest.remove_prefix(std::min(colon + 1, rest.size()));
  const auto end = std::from_chars(rest.data(), rest.data() + rest.size(), device.ordinal).ptr;
  rest.remove_prefix(static_cast<size_t>(end - rest.data()));
  described.ordinal = device.ordinal;
  described.process = device.kind + " " + std::to_string(device.ordinal) + std::string(rest);
  for_each_stat(plane, [&](const RawStat& stat) {
    const std::string_view name = names.stat_name(stat.metadata_id);
    if (name == "gpu_device_name" || name == "device_type_string") device.name = names.text(stat).substr(0, 200);
    if (name == "device_vendor") device.vendor = names.text(stat).substr(0, 200);
    if (!stat.is_number()) return;
    if (name == "clock_rate") device.clock_hz = stat.number() * 1e3;
    if (name == "core_count") device.multiprocessors = stat.integer();
    if (name == "memory_bandwidth") device.memory_bandwidth = stat.number();
    if (name == "memory_size") device.memory_bytes = stat.integer();
    if (name == "compute_cap_major") device.capability_major = static_cast<int32_t>(std::clamp<int64_t>(stat.integer(), 0, 1000));
    if (name == "compute_cap_minor") device.capability_minor = static_cast<int32_t>(std::clamp<int64_t>(stat.integer(), 0, 1000));
    if (name == "peak_teraflops_per_second") device.peak_flops = stat.number() * 1e12;
    if (name == "peak_hbm_bw_gigabytes_per_second") device.memory_bandwidth = stat.number() * 1e9;
  });
  std::vector<Device>& devices = reading.all.builder.tables().devices;
  const auto same = std::find_if(devices.begin(), devices.end(),
                                 [&](const Device& one) { return one.kind == device.kind && one.ordinal == device.ordinal; });
  described.device = static_cast<int32_t>(same - devices.begin());
  if (same == devices.end()) devices.push_back(device);
  reading.device_of_ordinal.try_emplace(device.ordinal, described.device);
}

}  // namespace stepscope::profile::xspace
