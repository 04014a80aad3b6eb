// Replays of recordings as Python sees them: columns of numpy in, new times out, without the interpreter lock.
#include "replay.hpp"

#include <tuple>
#include <utility>
#include <vector>

#include "arrays.hpp"
#include "replay_columns.hpp"

namespace stepscope {
namespace {

using Host = std::tuple<Column<int64_t>, Column<int64_t>, Column<double>>;
using Scales = std::tuple<Host, Column<double>, Column<double>>;

void construct(ReplayPlan* self, const std::vector<RankTuple>& ranks) {
  const std::vector<RankColumns> columns = columns_of(ranks);
  nb::gil_scoped_release unlocked;
  new (self) ReplayPlan(columns);
}

nb::list run(const ReplayPlan& plan, const std::vector<Scales>& scales, bool keep) {
  std::vector<RankScales> views;
  views.reserve(scales.size());
  for (const auto& [host, call, op] : scales)
    views.push_back({view(std::get<0>(host)), view(std::get<1>(host)), view(std::get<2>(host)), view(call), view(op)});
  std::vector<RankTimes> times;
  {
    nb::gil_scoped_release unlocked;
    times = plan.run(views, keep);
  }
  nb::list answer;
  for (auto& rank : times)
    answer.append(
        nb::make_tuple(to_numpy(std::move(rank.op_start)), to_numpy(std::move(rank.op_end)), to_numpy(std::move(rank.moment))));
  return answer;
}

nb::dict links(const ReplayPlan& plan, std::size_t rank) {
  const RankLinks& found = plan.links(rank);
  nb::dict answer;
  answer["launch_latency"] = found.launch_latency;
  answer["stream_gap"] = found.stream_gap;
  answer["op_cross"] = to_numpy(std::vector<int32_t>(found.op_cross));
  answer["call_waits_for"] = to_numpy(std::vector<int32_t>(found.call_waits_for));
  return answer;
}

}  // namespace

void bind_replay(nb::module_& m) {
  nb::class_<ReplayPlan>(m, "ReplayPlan")
      .def("__init__", &construct, nb::arg("ranks"))
      .def("links", &links, nb::arg("rank"))
      .def("run", &run, nb::arg("scales"), nb::arg("keep"));
}

}  // namespace stepscope
