// The outline of an XSpace file: its planes and lines and where they lie; and what planes say of devices, programs and the capture.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "profile/xspace_events.hpp"
#include "profile/xspace_stats.hpp"

namespace stepscope::profile::xspace {

struct LineOutline {
  std::string_view bytes;
  std::string name;
  int64_t id = 0, timestamp_ns = 0;
  size_t events = 0;
};

struct PlaneOutline {
  std::string_view bytes;
  std::string name;
  std::vector<LineOutline> lines;
  bool cut = false;  // the file ends inside it
};

struct Outline {
  std::vector<PlaneOutline> planes;
  std::vector<std::string> errors, warnings, hostnames;
  bool cut = false;       // the file ends inside a message
  uint64_t readable = 0;  // how many bytes could be walked
  uint64_t malformed = 0;
};

// Never throws for content: what is malformed ends the walk and is told by `cut` and `readable`.
Outline read_outline(std::string_view file);

// How many of the entries are malformed and left out.
uint64_t read_names(const PlaneOutline& plane, PlaneNames& names);
void read_environment(const PlaneOutline& plane, const PlaneNames& names, Tables& tables);
void read_programs(const PlaneNames& names, std::string_view file, Tables& tables);
// Adds the device, unless an earlier plane of the same one did.
void read_device(const PlaneOutline& plane, const PlaneNames& names, Reading& reading, Plane& described);

}  // namespace stepscope::profile::xspace
