// Tables of numbers in text files as Python sees them: an origin in, an array and what is wrong with lines out.
#include "number_table.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <utility>

#include "arrays.hpp"
#include "origin.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace stepscope {
namespace {

nb::tuple read_table(const nb::object& given, uint64_t most_rows, uint64_t most_values) {
  const Origin origin = origin_of(given);
  NumberTable table;
  {
    nb::gil_scoped_release unlocked;
    table = read_number_table(origin, most_rows, most_values);
  }
  nb::list bad;
  for (const BadRow& row : table.bad) bad.append(nb::make_tuple(row.line, static_cast<int>(row.problem), row.columns));
  return nb::make_tuple(to_numpy(std::move(table.values)), to_numpy(std::move(table.rows)), table.lines, table.columns, bad,
                        table.bad_total);
}

}  // namespace

void bind_number_table(nb::module_& m) { m.def("read_number_table", &read_table, "origin"_a, "most_rows"_a, "most_values"_a); }

}  // namespace stepscope
