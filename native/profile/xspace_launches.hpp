// Ties what a TPU ran to the host's call that enqueued it: the number of a run stands on the call and on the module's execution.
#pragma once

#include <cstdint>
#include <string_view>

#include "profile/tables.hpp"

namespace stepscope::profile::xspace {

// What both ends have in common: the device, its queue, the run (of which devices keep 27 bits) and the kind of core.
uint64_t launch_key(int64_t device, int64_t queue, int64_t run, int64_t core);

// Whether a line holds one event for each execution of a module.
bool holds_modules(std::string_view line);

// Gives everything that ran on a device while a module did the cause that the module has by a flow.
void link_modules(Tables& tables);

}  // namespace stepscope::profile::xspace
