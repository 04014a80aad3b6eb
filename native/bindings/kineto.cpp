// Traces in JSON as Python sees them: a whole file into tables, and single events again later.
#include <nanobind/nanobind.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>

#include <algorithm>
#include <vector>

#include "origin.hpp"
#include "profile/kineto_reader.hpp"
#include "profile/kineto_split.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace stepscope {
namespace {

using namespace profile;

std::vector<NameRule> rules_of(const nb::list& rules) {
  std::vector<NameRule> result;
  for (nb::handle item : rules) {
    const nb::tuple rule = nb::cast<nb::tuple>(item);
    const int scope = nb::cast<int>(rule[0]), match = nb::cast<int>(rule[1]);
    if (scope < 0 || scope >= static_cast<int>(RuleScope::count) || match < 0 || match > static_cast<int>(RuleMatch::contains))
      throw nb::value_error("A rule's scope or match is none that there is: see stepscope.formats.kineto.rules.");
    result.push_back({static_cast<RuleScope>(scope), static_cast<RuleMatch>(match), nb::cast<std::string>(rule[2]),
                      nb::cast<int16_t>(rule[3]), nb::cast<std::string>(rule[4])});
  }
  return result;
}

nb::tuple read(const nb::object& origin, const nb::list& rules, uint64_t bytes, uint64_t ratio, uint64_t spans, uint64_t names) {
  std::vector<NameRule> all = rules_of(rules);
  const Origin file = origin_of(origin);
  KinetoResult result;
  {
    nb::gil_scoped_release unlocked;
    result = read_kineto(file, std::move(all), {bytes, ratio, spans, names});
  }
  const char* state = result.is_bomb ? "bomb" : !result.is_json ? "unknown" : result.is_kineto ? "kineto" : "chrome";
  return nb::make_tuple(state, nb::cast(std::move(result.tables)), nb::cast(result.index), result.events);
}

nb::list read_ranks(const nb::object& origin, const nb::list& rules, uint64_t bytes, uint64_t ratio, uint64_t spans, uint64_t names) {
  const std::vector<NameRule> all = rules_of(rules);
  const Origin file = origin_of(origin);
  std::vector<Tables> tables;
  {
    nb::gil_scoped_release unlocked;
    tables = read_kineto_ranks(file, all, {bytes, ratio, spans, names});
  }
  nb::list result;
  for (Tables& one : tables) result.append(nb::cast(std::move(one)));
  return result;
}

nb::bytes read_event(const nb::object& origin, uint64_t offset, const std::shared_ptr<RestartIndex>& index) {
  const Origin file = origin_of(origin);
  std::string text;
  {
    nb::gil_scoped_release unlocked;
    text = read_event_text(file, offset, index.get(), {});
  }
  return nb::bytes(text.data(), text.size());
}

std::shared_ptr<RestartIndex> restart_index(const nb::object& origin) {
  const Origin file = origin_of(origin);
  nb::gil_scoped_release unlocked;
  Inflater inflater(file, {});
  std::vector<char> chunk(size_t{256} << 10);
  while (inflater.read(chunk.data(), chunk.size()) > 0) {
  }
  return std::make_shared<RestartIndex>(std::move(inflater.index()));
}

// Inflates from an offset on, for whoever needs a piece of a gzip file.
nb::tuple inflate(const nb::object& origin, uint64_t offset, uint64_t length, const std::shared_ptr<RestartIndex>& index,
                  uint64_t bytes, uint64_t ratio) {
  const Origin file = origin_of(origin);
  std::string text;
  InflateEnd end = InflateEnd::none;
  {
    nb::gil_scoped_release unlocked;
    const InflateLimits limits{bytes, ratio};
    const RestartPoint* from = index ? index->before(offset) : nullptr;
    auto inflater = from ? std::make_unique<Inflater>(file, limits, *from) : std::make_unique<Inflater>(file, limits);
    uint64_t at = from ? from->output : 0;
    std::vector<char> chunk(size_t{64} << 10);
    while (text.size() < length) {
      const size_t got = inflater->read(chunk.data(), chunk.size());
      if (got == 0) break;
      if (at + got > offset) {
        const size_t skipped = at < offset ? static_cast<size_t>(offset - at) : 0;
        text.append(chunk.data() + skipped, static_cast<size_t>(std::min<uint64_t>(got - skipped, length - text.size())));
      }
      at += got;
    }
    end = inflater->end();
  }
  static constexpr const char* kEnds[] = {"none", "complete", "truncated", "damaged", "too_large"};
  return nb::make_tuple(nb::bytes(text.data(), text.size()), kEnds[static_cast<size_t>(end)]);
}

}  // namespace

void bind_kineto(nb::module_& m) {
  nb::class_<RestartIndex>(m, "RestartIndex").def("__len__", &RestartIndex::size);
  m.def("read_kineto", &read, "origin"_a, "rules"_a, "bytes"_a, "ratio"_a, "spans"_a, "names"_a);
  m.def("read_kineto_ranks", &read_ranks, "origin"_a, "rules"_a, "bytes"_a, "ratio"_a, "spans"_a, "names"_a);
  m.def("read_trace_event", &read_event, "origin"_a, "offset"_a, "index"_a.none());
  m.def("restart_index", &restart_index, "origin"_a);
  m.def("inflate", &inflate, "origin"_a, "offset"_a, "length"_a, "index"_a.none(), "bytes"_a = uint64_t{64} << 30, "ratio"_a = 500);
}

}  // namespace stepscope
