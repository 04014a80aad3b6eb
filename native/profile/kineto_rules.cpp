// Matching of names against rules.
#include "profile/kineto_rules.hpp"

#include <algorithm>

namespace stepscope::profile {
namespace {

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; }

std::string lowered(std::string_view text) {
  std::string result(text);
  std::transform(result.begin(), result.end(), result.begin(), lower);
  return result;
}

// The parts between stars, one after another; the first and last are bound to the name's ends as the rule says.
bool matches_parts(const NameRule& rule, std::string_view name) {
  std::string_view text = rule.text;
  const bool from_start = rule.match == RuleMatch::exact || rule.match == RuleMatch::prefix;
  const bool to_end = rule.match == RuleMatch::exact || rule.match == RuleMatch::suffix;
  bool first = true;
  while (true) {
    const size_t star = text.find('*');
    const std::string_view part = text.substr(0, star);
    if (first && from_start) {
      if (!name.starts_with(part)) return false;
      name.remove_prefix(part.size());
    } else if (star == std::string_view::npos && to_end) {
      return name.ends_with(part);
    } else {
      const size_t at = name.find(part);
      if (at == std::string_view::npos) return false;
      name.remove_prefix(at + part.size());
    }
    if (star == std::string_view::npos) return true;
    text.remove_prefix(star + 1);
    first = false;
  }
}

bool matches(const NameRule& rule, std::string_view name) {
  if (rule.text.find('*') != std::string::npos) return matches_parts(rule, name);
  switch (rule.match) {
    case RuleMatch::exact:
      return name == rule.text;
    case RuleMatch::prefix:
      return name.starts_with(rule.text);
    case RuleMatch::suffix:
      return name.ends_with(rule.text);
    case RuleMatch::contains:
      return name.find(rule.text) != std::string_view::npos;
  }
  return false;
}

}  // namespace

NameRules::NameRules(std::vector<NameRule> rules) : rules_(std::move(rules)) {
  for (NameRule& rule : rules_) rule.text = lowered(rule.text);
}

const NameRule* NameRules::find(RuleScope scope, std::string_view name) const {
  const std::string plain = lowered(name);
  for (const NameRule& rule : rules_)
    if (rule.scope == scope && matches(rule, plain)) return &rule;
  return nullptr;
}

int16_t NameRules::result(RuleScope scope, int32_t id, std::string_view name) {
  std::vector<int16_t>& answers = answers_[static_cast<size_t>(scope)];
  const auto at = static_cast<size_t>(id);
  if (at >= answers.size()) answers.resize(std::max(at + 1, answers.size() * 2), kUnasked);
  if (answers[at] == kUnasked) answers[at] = result(scope, name);
  return answers[at];
}

}  // namespace stepscope::profile
