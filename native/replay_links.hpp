// What waits for what in a recording: streams, launches, other streams, and calls that return when the device is done.
#pragma once

#include "replay.hpp"

namespace stepscope {

// Throws std::invalid_argument when columns differ in length, starts go back or a link leads nowhere.
RankLinks find_links(const RankColumns& columns);

}  // namespace stepscope
