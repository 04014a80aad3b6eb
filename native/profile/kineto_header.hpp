// What a trace says beside its events: devices, rank, versions, the clock's base.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "profile/json_values.hpp"
#include "profile/tables.hpp"

namespace stepscope::profile {

class KinetoHeader {
 public:
  void read(std::string_view key, const JsonValue& value);

  bool is_kineto() const { return is_kineto_; }
  // On the clock of the first rank, where the capture has measured how far this rank's is ahead.
  int64_t base_ns() const { return base_ns_ > 0 ? std::max<int64_t>(base_ns_ - clock_ahead_ns_, 0) : 0; }
  // The only process group there is; empty when there are several.
  const std::string& only_group() const { return only_group_; }
  int64_t only_group_size() const { return only_group_size_; }
  // What the capture says is missing.
  const std::vector<std::string>& warnings() const { return warnings_; }

  // Fills host, rank, environment and, in the order of `ordinals`, the devices that were met; all that are listed when none was.
  // `kinds` are what their processes call them, `otherwise` what one is whose process does not.
  void finish(const std::vector<int64_t>& ordinals, const std::vector<std::string>& kinds, const std::string& otherwise,
              Tables& tables) const;

 private:
  void read_devices(const JsonValue& value);
  void read_distributed(const JsonValue& value);
  void read_warnings(const JsonValue& value);
  void keep(std::string_view key, const JsonValue& value);

  std::vector<Device> devices_;
  std::vector<std::pair<std::string, std::string>> environment_;
  std::vector<std::string> warnings_;
  std::string host_, only_group_;
  int64_t only_group_size_ = kNone, groups_ = 0;
  int64_t rank_ = kNone, world_size_ = kNone, base_ns_ = 0, clock_ahead_ns_ = 0;
  bool is_kineto_ = false;
};

}  // namespace stepscope::profile
