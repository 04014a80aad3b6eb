// The columns of a recording as replays and critical paths take them from numpy.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <span>
#include <tuple>
#include <vector>

#include "replay.hpp"

namespace stepscope {

namespace nb = nanobind;

template <class T>
using Column = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using CallColumns = std::tuple<Column<int64_t>, Column<int64_t>, Column<int32_t>, Column<uint8_t>>;
using OpColumns = std::tuple<Column<int64_t>, Column<int64_t>, Column<int32_t>, Column<int32_t>, Column<int32_t>, Column<int32_t>>;
using RankTuple = std::tuple<CallColumns, OpColumns, Column<int64_t>, int64_t>;

template <class T>
std::span<const T> view(const Column<T>& column) {
  return {column.data(), column.size()};
}

inline RankColumns columns_of(const RankTuple& rank) {
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

inline std::vector<RankColumns> columns_of(const std::vector<RankTuple>& ranks) {
  std::vector<RankColumns> columns;
  columns.reserve(ranks.size());
  for (const RankTuple& rank : ranks) columns.push_back(columns_of(rank));
  return columns;
}

}  // namespace stepscope
