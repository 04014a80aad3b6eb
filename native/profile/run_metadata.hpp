// TensorFlow 1's RunMetadata: the statistics of one session.run, node by node, as tables.
#pragma once

#include <cstdint>
#include <span>
#include <stdexcept>
#include <string_view>

#include "profile/tables.hpp"

namespace stepscope::profile {

// The bytes are no RunMetadata, or hold no node's statistics.
class NoRunMetadata : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// How nodes get their kinds: on threads an operation's type begins with the text, on devices the label holds it in any
// case.
struct NodeRule {
  std::string_view text;
  SpanKind kind;
};
std::span<const NodeRule> node_kinds_of_threads();
std::span<const NodeRule> node_kinds_of_devices();

struct RunMetadataLimits {
  uint64_t spans = 0, names = 0;
};

// Reads a serialised RunMetadata. Damage in the middle costs what follows it, and is noted; raises NoRunMetadata when nothing is left.
Tables read_run_metadata(std::string_view bytes, const RunMetadataLimits& limits);

}  // namespace stepscope::profile
