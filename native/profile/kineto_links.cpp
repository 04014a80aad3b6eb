// Linking by external id, correlation and flow id.
#include "profile/kineto_links.hpp"

#include <algorithm>
#include <iterator>
#include <limits>
#include <tuple>
#include <unordered_map>
#include <utility>

namespace stepscope::profile {
namespace {

constexpr int kMostParents = 1000;
constexpr int32_t kFirstAwaited = -2;  // below kNone, so that nothing takes it for an operation

// The row a flow's end is bound to: the outermost operation that begins there, else the innermost span around that time.
int32_t row_at(const Tables& tables, int32_t track, int64_t time) {
  if (track == kNone) return kNone;
  const Spans& s = tables.spans;
  const Track& owner = tables.tracks[static_cast<size_t>(track)];
  const auto begin = s.start.begin() + owner.first_row, end = s.start.begin() + owner.last_row;
  const auto first = std::lower_bound(begin, end, time);
  int32_t exact = kNone;
  for (auto it = first; it != end && *it == time; ++it) {
    const auto row = static_cast<int32_t>(it - s.start.begin());
    if (exact == kNone) exact = row;
    if (s.kind[static_cast<size_t>(row)] == static_cast<int8_t>(SpanKind::op)) return row;
    if (it - first > 64) break;
  }
  if (exact != kNone) return exact;
  if (first == begin) return kNone;
  auto row = static_cast<int32_t>(first - s.start.begin() - 1);
  for (int up = 0; row >= 0 && s.end[static_cast<size_t>(row)] < time && up < 1000; ++up) row = s.parent[static_cast<size_t>(row)];
  return row >= 0 && s.end[static_cast<size_t>(row)] >= time ? row : kNone;
}

}  // namespace

template <class Value>
void KinetoLinks::sort(std::vector<By<Value>>& all) {
  const auto before = [](const By<Value>& a, const By<Value>& b) { return a.id < b.id; };
  if (!std::is_sorted(all.begin(), all.end(), before)) std::stable_sort(all.begin(), all.end(), before);
}

template <class Value>
const Value* KinetoLinks::find(const std::vector<By<Value>>& sorted, int64_t id) {
  const auto found = std::lower_bound(sorted.begin(), sorted.end(), id, [](const By<Value>& one, int64_t key) { return one.id < key; });
  return found != sorted.end() && found->id == id ? &found->value : nullptr;
}

int32_t KinetoLinks::await_operation(int64_t external) {
  if (external <= 0 || awaited_.size() >= static_cast<size_t>(std::numeric_limits<int32_t>::max() - 2)) return kNone;
  awaited_.push_back(external);
  return kFirstAwaited - static_cast<int32_t>(awaited_.size() - 1);
}

void KinetoLinks::add_flow(const FlowEnd& end) {
  if (end.use == FlowUse::launch && correlated_ >= kEnoughCorrelated) return;
  flows_.push_back(end);
}

void KinetoLinks::finish_facts(SpanBuilder& builder) {
  sort(communications_);
  sort(launch_facts_);
  sort(launch_bytes_);
  for (Kernel& kernel : kernels_) {
    if (!kernel.has_grid) {
      if (const KernelFacts* launch = find(launch_facts_, kernel.correlation)) {
        std::copy(std::begin(launch->grid), std::end(launch->grid), kernel.facts.grid);
        std::copy(std::begin(launch->block), std::end(launch->block), kernel.facts.block);
        if (kernel.facts.shared_memory == 0) kernel.facts.shared_memory = launch->shared_memory;
      }
    }
    builder.add_kernel(kernel.span, kernel.facts);
    if (!kernel.is_collective) continue;
    if (!kernel.has_collective_facts) {
      if (const CollectiveFacts* known = find(communications_, kernel.external)) {
        const int32_t name = kernel.collective.name;
        kernel.collective = *known;
        if (kernel.collective.name == kNone) kernel.collective.name = name;
      }
    }
    builder.add_collective(kernel.span, kernel.collective);
  }
  for (Copy& copy : copies_) {
    if (copy.facts.bytes == kNone)
      if (const int64_t* bytes = find(launch_bytes_, copy.correlation)) copy.facts.bytes = *bytes;
    builder.add_copy(copy.span, copy.facts);
  }
  std::vector<Kernel>().swap(kernels_);
  std::vector<Copy>().swap(copies_);
}

void KinetoLinks::finish_rows(Tables& tables, const TrackOf& track_of) {
  fill_flows(tables, track_of);
  fill_operations(tables);
}

// The operation of device work is the one its launch lies in. Where the file names one (external id), that one is meant when it is
// among those around the launch, and it is all there is when the launch was not recorded. External ids are nearly dense, so that a
// table by id is smaller and quicker than a sort; a sort where they are not.
void KinetoLinks::fill_operations(Tables& tables) {
  int64_t largest = 0;
  for (const By<int32_t>& one : operations_) largest = std::max(largest, one.id);
  std::vector<int32_t> table;
  if (static_cast<uint64_t>(largest) < operations_.size() * 8 + (1 << 20)) {
    table.assign(static_cast<size_t>(largest) + 1, kNone);
    for (const By<int32_t>& one : operations_)
      if (one.id >= 0) table[static_cast<size_t>(one.id)] = one.value;
  } else {
    sort(operations_);
  }
  const auto operation_of = [&](int64_t external) {
    if (!table.empty()) return external < static_cast<int64_t>(table.size()) ? table[static_cast<size_t>(external)] : kNone;
    const int32_t* found = find(operations_, external);
    return found ? *found : kNone;
  };
  Spans& s = tables.spans;
  for (const Track& track : tables.tracks) {
    if (track.role != TrackRole::stream) continue;
    for (int64_t i = track.first_row; i < track.last_row; ++i) {
      int32_t& operation = s.op[static_cast<size_t>(i)];
      const int32_t named =
          operation <= kFirstAwaited ? operation_of(awaited_[static_cast<size_t>(kFirstAwaited - operation)]) : operation;
      int32_t innermost = kNone;
      bool around = false;
      int32_t row = s.cause[static_cast<size_t>(i)];
      for (int up = 0; row >= 0 && !around && up < kMostParents; ++up, row = s.parent[static_cast<size_t>(row)]) {
        if (s.kind[static_cast<size_t>(row)] != static_cast<int8_t>(SpanKind::op)) continue;
        const int32_t here = s.op[static_cast<size_t>(row)];
        if (innermost == kNone) innermost = here;
        around = named != kNone && here == named;
      }
      operation = around || innermost == kNone ? named : innermost;
    }
  }
}

void KinetoLinks::fill_flows(Tables& tables, const TrackOf& track_of) {
  std::stable_sort(flows_.begin(), flows_.end(), [](const FlowEnd& a, const FlowEnd& b) {
    return std::tuple(a.use, a.key, a.time, !a.source) < std::tuple(b.use, b.key, b.time, !b.source);
  });
  for (size_t i = 0; i < flows_.size();) {
    size_t end = i;
    while (end < flows_.size() && flows_[end].use == flows_[i].use && flows_[end].key == flows_[i].key) ++end;
    const FlowEnd* source = nullptr;
    for (size_t at = i; at < end && !source; ++at)  // clocks may differ, so the first counts even when a target seems earlier
      if (flows_[at].source) source = &flows_[at];
    for (size_t at = i; at < end; ++at) {
      if (flows_[at].source) {
        source = &flows_[at];
        continue;
      }
      if (!source) continue;
      const int32_t from = row_at(tables, track_of(*source), source->time), to = row_at(tables, track_of(flows_[at]), flows_[at].time);
      if (from == kNone || to == kNone || from == to) continue;
      const auto role_of = [&](int32_t row) {
        return tables.tracks[static_cast<size_t>(tables.spans.track[static_cast<size_t>(row)])].role;
      };
      // Whatever a writer calls its flows: one from a thread to a stream is a launch.
      const bool starts_work =
          flows_[at].use == FlowUse::other && role_of(from) == TrackRole::thread && role_of(to) == TrackRole::stream;
      if (flows_[at].use == FlowUse::launch || starts_work) {
        int32_t& cause = tables.spans.cause[static_cast<size_t>(to)];
        if (cause == kNone) cause = from;
        continue;
      }
      tables.flows.source.push_back(from);
      tables.flows.target.push_back(to);
      tables.flows.kind.push_back(static_cast<int8_t>(flows_[at].use == FlowUse::backward ? FlowKind::backward : FlowKind::producer));
    }
    i = end;
  }
}

void KinetoLinks::finish_waits(Tables& tables, const StreamOf& stream_of) {
  sort(records_);
  std::unordered_map<int32_t, std::vector<std::pair<int64_t, int32_t>>>
      launched;  // of a stream: when its work was launched, and the rows
  const auto work_of = [&](int32_t track) -> const std::vector<std::pair<int64_t, int32_t>>& {
    const auto [found, fresh] = launched.try_emplace(track);
    if (fresh && track != kNone) {
      const Track& stream = tables.tracks[static_cast<size_t>(track)];
      for (int64_t row = stream.first_row; row < stream.last_row; ++row) {
        const int32_t cause = tables.spans.cause[static_cast<size_t>(row)];
        if (cause >= 0) found->second.emplace_back(tables.spans.start[static_cast<size_t>(cause)], static_cast<int32_t>(row));
      }
      std::sort(found->second.begin(), found->second.end());
    }
    return found->second;
  };
  for (const StreamWait& wait : waits_) {
    const int64_t* recorded = find(records_, wait.record);
    if (!recorded) continue;
    const auto& before = work_of(stream_of(wait.process, wait.other_stream));
    const auto last = std::lower_bound(before.begin(), before.end(), std::pair(*recorded, std::numeric_limits<int32_t>::min()));
    if (last == before.begin()) continue;
    const auto& after = work_of(stream_of(wait.process, wait.stream));
    const auto next = std::lower_bound(after.begin(), after.end(), std::pair(wait.time, std::numeric_limits<int32_t>::min()));
    if (next == after.end() || next->second == std::prev(last)->second) continue;
    tables.flows.source.push_back(std::prev(last)->second);
    tables.flows.target.push_back(next->second);
    tables.flows.kind.push_back(static_cast<int8_t>(FlowKind::stream_wait));
  }
}

}  // namespace stepscope::profile
