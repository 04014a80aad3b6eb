// Rules that give names their kinds, for Python: the readers' own as a list, and a user's patterns held against the names of a profile.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>

#include <limits>
#include <stdexcept>
#include <vector>

#include "arrays.hpp"
#include "profile/kind_rules.hpp"
#include "profile/kineto_rules.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace stepscope {
namespace {

using namespace profile;

nb::str text(std::string_view words) { return nb::str(words.data(), words.size()); }

Array<int32_t> first_fitting(const nb::sequence& names, const nb::sequence& patterns) {
  std::vector<NameRule> rules;
  for (nb::handle pattern : patterns) {
    if (rules.size() > static_cast<size_t>(std::numeric_limits<int16_t>::max())) throw nb::value_error("There are too many patterns.");
    rules.push_back({RuleScope::host, RuleMatch::exact, nb::cast<std::string>(pattern), static_cast<int16_t>(rules.size()), {}});
  }
  const NameRules all(std::move(rules));
  std::vector<int32_t> found;
  found.reserve(nb::len(names));
  for (nb::handle name : names) {
    Py_ssize_t size = 0;
    const char* bytes = PyUnicode_AsUTF8AndSize(name.ptr(), &size);
    if (!bytes) PyErr_Clear();  // no text that a pattern could be
    found.push_back(bytes ? all.result(RuleScope::host, std::string_view(bytes, static_cast<size_t>(size))) : -1);
  }
  return to_numpy(std::move(found));
}

nb::list listed() {
  nb::list rows;
  for (const ListedRule& rule : listed_rules())
    rows.append(nb::make_tuple(text(rule.format), text(rule.held_against), text(rule.match), text(rule.text), text(rule.kind)));
  return rows;
}

}  // namespace

void bind_kind_rules(nb::module_& m) {
  m.def("first_fitting", &first_fitting, "names"_a, "patterns"_a);
  m.def("listed_rules", &listed);
}

}  // namespace stepscope
