// Critical paths as Python sees them: the columns of a replay in, segments and slack out, without the interpreter lock.
#include "critical_path.hpp"

#include <utility>

#include "arrays.hpp"
#include "replay_columns.hpp"

namespace stepscope {
namespace {

nb::tuple critical_paths(const std::vector<RankTuple>& ranks, std::size_t rank, const Column<int64_t>& bounds,
                         const Column<int32_t>& last_op, const Column<int32_t>& op_step, const Column<int64_t>& host_end) {
  const std::vector<RankColumns> columns = columns_of(ranks);
  PathSegments found;
  PathSlack slack;
  {
    nb::gil_scoped_release unlocked;
    const PathPlan plan(columns);
    found = plan.paths(rank, view(bounds), view(last_op));
    slack = plan.slack(rank, view(bounds), steps_not_to_move(found, view(last_op), view(op_step)), view(host_end));
  }
  return nb::make_tuple(to_numpy(std::move(found.step)), to_numpy(std::move(found.rank)), to_numpy(std::move(found.kind)),
                        to_numpy(std::move(found.index)), to_numpy(std::move(found.start)), to_numpy(std::move(found.end)),
                        to_numpy(std::move(slack.op)), to_numpy(std::move(slack.host_time)), to_numpy(std::move(slack.host)));
}

}  // namespace

void bind_critical_path(nb::module_& m) {
  m.def("critical_paths", &critical_paths, nb::arg("ranks"), nb::arg("rank"), nb::arg("bounds"), nb::arg("last_op"), nb::arg("op_step"),
        nb::arg("host_end"));
}

}  // namespace stepscope
