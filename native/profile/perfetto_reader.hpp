// Perfetto's .pftrace files as tables: the slices, instants and counters of its tracks.
#pragma once

#include <cstdint>
#include <span>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "profile/tables.hpp"

namespace stepscope::profile {

// The bytes are no trace, or hold no slice and no counter.
class NoPerfettoTrace : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Categories that other writers use for what has a kind here; ours are the kinds' own names.
std::span<const std::pair<std::string_view, SpanKind>> category_kinds();

struct PerfettoLimits {
  uint64_t spans = 0, names = 0;
};

// Reads a serialised Trace. Damage costs what follows it, and is noted; raises NoPerfettoTrace when nothing is left.
Tables read_perfetto(std::string_view bytes, const PerfettoLimits& limits);

}  // namespace stepscope::profile
