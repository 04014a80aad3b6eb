// Gathers the rows of the readers' own tables.
#include "profile/kind_rules.hpp"

#include "profile/kind_names.hpp"
#include "profile/perfetto_reader.hpp"
#include "profile/run_metadata.hpp"
#include "profile/xspace_rules.hpp"

namespace stepscope::profile {
namespace {

std::string_view word(SpanKind kind) { return kSpanKinds[static_cast<size_t>(kind)]; }

std::string_view word(xspace::Match match) {
  constexpr std::string_view kWords[] = {"exact", "prefix", "suffix", "contains", "call", "frame"};
  return kWords[static_cast<size_t>(match)];
}

}  // namespace

std::vector<ListedRule> listed_rules() {
  std::vector<ListedRule> rows;
  for (const auto& rule : xspace::host_kinds()) rows.push_back({"xplane", "host", word(rule.match), rule.text, word(rule.kind)});
  for (const auto& rule : xspace::device_kinds()) rows.push_back({"xplane", "device", word(rule.match), rule.text, word(rule.kind)});
  for (const auto& rule : xspace::hlo_kinds()) rows.push_back({"xplane", "hlo", word(rule.match), rule.text, word(rule.kind)});
  for (const auto& rule : node_kinds_of_threads()) rows.push_back({"run_metadata", "host", "prefix", rule.text, word(rule.kind)});
  for (const auto& rule : node_kinds_of_devices()) rows.push_back({"run_metadata", "device", "contains", rule.text, word(rule.kind)});
  for (const auto& [category, kind] : category_kinds()) rows.push_back({"perfetto", "category", "exact", category, word(kind)});
  return rows;
}

}  // namespace stepscope::profile
