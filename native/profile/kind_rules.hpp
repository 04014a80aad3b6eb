// The built-in tables by which names of all native readers get their kinds, as rows that can be listed.
#pragma once

#include <string_view>
#include <vector>

namespace stepscope::profile {

struct ListedRule {
  std::string_view format, held_against, match, text, kind;
};

// In the order in which each table is tried.
std::vector<ListedRule> listed_rules();

}  // namespace stepscope::profile
