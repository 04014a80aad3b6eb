// Replays of recordings as Python sees them: columns of numpy in, new times out, without the interpreter lock.
#include "replay.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <tuple>
#include <utility>
#include <vector>

#include "arrays.hpp"

namespace nb = nanobind;

namespace stepscope {
namespace {

template <class T>
using Column = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Calls = std::tuple<Column<int64_t>, Column<int64_t>, Column<int32_t>, Column<uint8_t>>;
using Ops = std::tuple<Column<int64_t>, Column<int64_t>, Column<int32_t>, Column<int32_t>, Column<int32_t>, Column<int32_t>>;
using Rank = std::tuple<Calls, Ops, Column<int64_t>, int64_t>;
using Host = std::tuple<Column<int64_t>, Column<int64_t>, Column<double>>;
using Scales = std::tuple<Host, Column<double>, Column<double>>;

template <class T>
std::span<const T> view(const Column<T>& column) {
  return {column.data(), column.size()};
}

RankColumns columns_of(const Rank& rank) {
  const auto& [calls, ops, moment, clock] = rank;
  RankColumns c;
  c.call_start = view(std::get<0>(calls));
  c.call_end = view(std::get<1>(calls));
  c.call_name = view(std::get<2>(calls));
  c.call_kind = view(std::get<3>(calls));
  c.op_start = view(std::get<0>(ops));
  c.op_end = view(std::get<1>(ops));
  c.op_stream = view(std::get<2>(ops));
  c.op_launch = view(std::get<3>(ops));
  c.op_waits_for = view(std::get<4>(ops));
  c.op_collective = view(std::get<5>(ops));
  c.moment = view(moment);
  c.clock = clock;
  return c;
}

void construct(ReplayPlan* self, const std::vector<Rank>& ranks) {
  std::vector<RankColumns> columns;
  columns.reserve(ranks.size());
  for (const auto& rank : ranks) columns.push_back(columns_of(rank));
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
