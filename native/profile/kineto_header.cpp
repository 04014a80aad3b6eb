// The top level of a trace.
#include "profile/kineto_header.hpp"

#include <algorithm>

namespace stepscope::profile {
namespace {

constexpr size_t kMostDevices = 4096;
constexpr size_t kMostKeys = 200;
constexpr size_t kLongestText = 1000;
constexpr size_t kMostWarnings = 100;
constexpr int64_t kMostAhead = int64_t{1} << 55;  // a year

std::string text_of(const JsonValue& value) {
  std::string scratch;
  uint32_t ignored = 0;
  return std::string(json_text(value, scratch, ignored).substr(0, kLongestText));
}

bool holds(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

std::string vendor_of(std::string_view name) {
  for (const std::string_view part : {"NVIDIA", "Tesla", "GeForce", "Quadro", "TITAN"})
    if (holds(name, part)) return "NVIDIA";
  for (const std::string_view part : {"AMD", "Radeon", "Instinct"})
    if (holds(name, part)) return "AMD";
  if (holds(name, "Intel")) return "Intel";
  return "";
}

Device read_device(JsonCursor& cursor) {
  Device device;
  device.kind = "GPU";
  cursor.object([&](std::string_view key) {
    const JsonValue value = cursor.value();
    const auto number = [&] { return json_integer(value, 0); };
    if (key == "id")
      device.ordinal = static_cast<int32_t>(number());
    else if (key == "name")
      device.name = text_of(value);
    else if (key == "vendor")
      device.vendor = text_of(value);
    else if (key == "totalGlobalMem")
      device.memory_bytes = number();
    else if (key == "computeMajor")
      device.capability_major = static_cast<int32_t>(number());
    else if (key == "computeMinor")
      device.capability_minor = static_cast<int32_t>(number());
    else if (key == "maxThreadsPerMultiprocessor")
      device.threads_per_multiprocessor = number();
    else if (key == "warpSize")
      device.warp_size = number();
    else if (key == "numSms" || key == "maxComputeUnits")
      device.multiprocessors = number();
    else if (key == "regsPerMultiprocessor")
      device.registers_per_multiprocessor = number();
    else if (key == "sharedMemPerMultiprocessor" || key == "maxSharedMemoryPerMultiProcessor")
      device.shared_memory_per_multiprocessor = number();
  });
  if (device.vendor.empty()) device.vendor = vendor_of(device.name);
  return device;
}

}  // namespace

void KinetoHeader::read(std::string_view key, const JsonValue& value) {
  if (key == "deviceProperties") {
    is_kineto_ = true;
    if (value.kind == JsonKind::array) read_devices(value);
  } else if (key == "distributedInfo") {
    is_kineto_ = true;
    if (value.kind == JsonKind::object) read_distributed(value);
  } else if (key == "baseTimeNanoseconds") {
    base_ns_ = std::clamp<int64_t>(json_integer(value, 0), 0, int64_t{4} << 60);
  } else if (key == "captureWarnings") {
    if (value.kind == JsonKind::array) read_warnings(value);
  } else if (key == "host_name") {
    host_ = text_of(value);
  } else if (value.kind == JsonKind::bare || value.kind == JsonKind::text) {
    is_kineto_ |= key == "schemaVersion";
    if (key == "clockAheadNanoseconds") clock_ahead_ns_ = std::clamp<int64_t>(json_integer(value, 0), -kMostAhead, kMostAhead);
    keep(key, value);
  }
}

void KinetoHeader::keep(std::string_view key, const JsonValue& value) {
  if (environment_.size() >= kMostKeys) return;
  std::string name(key.substr(0, kLongestText)), text = text_of(value);
  const auto known = std::find_if(environment_.begin(), environment_.end(), [&](const auto& one) { return one.first == name; });
  if (known == environment_.end())
    environment_.emplace_back(std::move(name), std::move(text));
  else
    known->second = std::move(text);
}

void KinetoHeader::read_devices(const JsonValue& value) {
  JsonCursor cursor(value.raw);
  cursor.array([&] {
    if (cursor.next() != '{') {
      cursor.value();
      return;
    }
    Device device = read_device(cursor);
    if (devices_.size() < kMostDevices) devices_.push_back(std::move(device));
  });
}

void KinetoHeader::read_warnings(const JsonValue& value) {
  JsonCursor cursor(value.raw);
  cursor.array([&] {
    const JsonValue one = cursor.value();
    if (one.kind == JsonKind::text && warnings_.size() < kMostWarnings) warnings_.push_back(text_of(one));
  });
}

void KinetoHeader::read_distributed(const JsonValue& value) {
  JsonCursor cursor(value.raw);
  cursor.object([&](std::string_view key) {
    if (key == "pg_config" && cursor.next() == '[') {
      cursor.array([&] {
        if (cursor.next() != '{') {
          cursor.value();
          return;
        }
        ++groups_;
        cursor.object([&](std::string_view part) {
          const JsonValue one = cursor.value();
          if (part == "pg_name") only_group_ = text_of(one);
          if (part == "pg_size") only_group_size_ = json_integer(one, kNone);
        });
      });
      if (groups_ != 1) only_group_.clear(), only_group_size_ = kNone;
      return;
    }
    const JsonValue one = cursor.value();
    if (key == "rank")
      rank_ = std::max<int64_t>(json_integer(one, kNone), kNone);
    else if (key == "world_size")
      world_size_ = std::max<int64_t>(json_integer(one, kNone), kNone);
    else if (one.kind == JsonKind::bare || one.kind == JsonKind::text)
      keep(key == "backend" ? "distributed_backend" : key, one);
  });
}

void KinetoHeader::finish(const std::vector<int64_t>& ordinals, const std::vector<std::string>& kinds, const std::string& otherwise,
                          Tables& tables) const {
  tables.host = host_;
  tables.rank = rank_;
  tables.world_size = world_size_;
  tables.environment = environment_;
  tables.devices.clear();
  for (size_t place = 0; place < ordinals.size(); ++place) {
    const int64_t ordinal = ordinals[place];
    const std::string& kind = place < kinds.size() && !kinds[place].empty() ? kinds[place] : otherwise;
    const auto listed = std::find_if(devices_.begin(), devices_.end(), [&](const Device& device) { return device.ordinal == ordinal; });
    if (listed != devices_.end()) {
      tables.devices.push_back(*listed);
      tables.devices.back().kind = kind;
      continue;
    }
    // A process that may see only some devices counts them anew, but not everywhere: when all are alike, it is one of those.
    const bool alike = !devices_.empty() && std::all_of(devices_.begin(), devices_.end(),
                                                        [&](const Device& device) { return device.name == devices_[0].name; });
    Device device = alike ? devices_[0] : Device();
    device.kind = kind;
    device.ordinal = static_cast<int32_t>(ordinal);
    tables.devices.push_back(device);
  }
  if (ordinals.empty()) tables.devices = devices_;
}

}  // namespace stepscope::profile
