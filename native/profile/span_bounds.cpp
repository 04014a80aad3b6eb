// Leaves out of a recording what lies far from the rest of it; rare, so nothing here is kept ready for it.
#include <algorithm>
#include <string>

#include "profile/note_numbers.hpp"
#include "profile/span_builder.hpp"

namespace stepscope::profile {
namespace {

constexpr uint32_t kGone = std::numeric_limits<uint32_t>::max();
constexpr int64_t kDay = int64_t{86'400} * 1'000'000'000;

}  // namespace

// Around the median of spans; of samples and allocations where there are no spans.
TimeBounds SpanBuilder::bounds() const {
  std::vector<int64_t> times;
  times.reserve(static_cast<size_t>(count_));
  for (const Column<RawSpan>& spans : raw_)
    for (const RawSpan& span : spans) times.push_back(span.start);
  if (times.empty()) {
    for (const CounterFacts& counter : counters_) times.push_back(counter.time);
    for (const AllocationFacts& allocation : allocations_) times.push_back(allocation.time);
  }
  return TimeBounds::around_median(times);
}

void SpanBuilder::leave_out_far() {
  const TimeBounds kept = bounds();
  uint64_t gone = leave_out_spans(kept);
  gone += std::erase_if(allocations_, [&](const AllocationFacts& one) { return !kept.hold(one.time); });
  gone += std::erase_if(counters_, [&](const CounterFacts& one) { return !kept.hold(one.time); });
  if (gone == 0) return;
  const std::string days = std::to_string(kLongestRecording / 2 / kDay);
  tables_.notes.push_back({"warning", "far_times",
                           counted(gone, "event has a time", "events have times") + " more than " + days +
                               " days from the rest of the profile; " + (gone == 1 ? "it is" : "they are") + " skipped."});
}

// What refers to a span that goes refers to none. A span that only lacks its end stays, and ends with the last of the others.
uint64_t SpanBuilder::leave_out_spans(const TimeBounds& kept) {
  const auto stays = [&](const RawSpan& span) { return kept.hold(span.start) && (span.unended || kept.hold(span.end)); };
  int64_t latest = kept.low;
  for (const Column<RawSpan>& spans : raw_)
    for (const RawSpan& span : spans)
      if (stays(span)) latest = std::max(latest, kept.hold(span.end) ? span.end : span.start);
  std::vector<std::vector<uint32_t>> moved(raw_.size());  // the new index of each span, on tracks that lose any
  uint64_t gone = 0;
  for (size_t track = 0; track < raw_.size(); ++track) {
    Column<RawSpan>& spans = raw_[track];
    for (RawSpan& span : spans)
      if (span.unended && !kept.hold(span.end)) span.end = std::max(span.start, latest);
    if (std::all_of(spans.begin(), spans.end(), stays)) continue;
    uint32_t next = 0;
    for (RawSpan& span : spans) {
      moved[track].push_back(stays(span) ? next : kGone);
      if (!stays(span)) continue;
      span.index = next;
      spans[next++] = span;
    }
    gone += spans.size() - next;
    spans.resize(next);
  }
  count_ -= gone;
  const auto place = [&](SpanId& span) {
    if (!span.exists() || moved[static_cast<size_t>(span.track)].empty()) return;
    const uint32_t index = moved[static_cast<size_t>(span.track)][span.index];
    span = index == kGone ? SpanId{} : SpanId{span.track, index};
  };
  const auto place_all = [&](auto&... columns) {
    (std::for_each(columns.begin(), columns.end(), [&](auto& row) { place(row.span); }), ...);
  };
  place_all(launches_, launched_, kernels_, copies_, collectives_, markers_, flow_sources_, flow_targets_);
  for (auto* links : {&launches_, &launched_}) std::erase_if(*links, [](const Correlated& one) { return !one.span.exists(); });
  for (Flow& flow : flows_) {
    place(flow.source);
    place(flow.target);
  }
  return gone;
}

}  // namespace stepscope::profile
