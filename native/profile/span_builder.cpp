// Sorting, nesting and linking of spans.
#include "profile/span_builder.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <numeric>
#include <tuple>
#include <utility>

#include "tasks.hpp"

namespace stepscope::profile {
namespace {

constexpr size_t kDeepest = 32000;  // rows of one track that are drawn below each other; depth has 16 bits
constexpr size_t kSearched = 128;   // how many open spans are looked at where spans overlap
constexpr int kMostParents = 4096;  // how far up a point in time looks for the span around it
constexpr uint64_t kWorthThreads = 200000;

uint64_t hash_of(const Operation& op) {
  uint64_t hash = 0x9e3779b97f4a7c15u;
  const auto add = [&](uint64_t value) { hash = std::rotl((hash ^ value) * 0xd6e8feb86659fd93u, 29); };
  for (const int32_t part : {op.name, op.type, op.scope, op.program, op.source, op.category}) add(static_cast<uint32_t>(part));
  add(std::bit_cast<uint64_t>(op.flops));
  add(std::bit_cast<uint64_t>(op.bytes));
  add(static_cast<uint8_t>(op.eager));
  return hash;
}

bool same(const Operation& a, const Operation& b) {
  const auto parts = [](const Operation& op) {
    return std::tuple(op.name, op.type, op.scope, op.program, op.source, op.category, std::bit_cast<uint64_t>(op.flops),
                      std::bit_cast<uint64_t>(op.bytes), op.eager);
  };
  return parts(a) == parts(b);
}

template <class Values>
void give_back(Values& values) {
  Values().swap(values);
}

// Appends changed rows and gives their memory back.
template <class Row, class Change>
void take(Column<Row>& into, Column<Row>& from, const Change& change) {
  for (Row& row : from) change(row);
  if (into.empty())
    into = std::move(from);
  else
    into.insert(into.end(), from.begin(), from.end());
  give_back(from);
}

// Sorts by `key`, digit by digit from the lowest; digits in which all keys agree, as those of ids that count up mostly do, cost nothing.
template <class Row>
void sort_by_key(Column<Row>& rows) {
  constexpr int kDigit = 11;
  constexpr size_t kValues = size_t{1} << kDigit;
  uint64_t differ = 0;
  for (const Row& row : rows) differ |= row.key ^ rows.front().key;
  Column<Row> other;
  for (int shift = 0; shift < 64; shift += kDigit) {
    if (((differ >> shift) & (kValues - 1)) == 0) continue;
    const auto digit = [&](const Row& row) { return static_cast<size_t>(row.key >> shift) & (kValues - 1); };
    std::array<size_t, kValues> place{};
    for (const Row& row : rows) ++place[digit(row)];
    std::exclusive_scan(place.begin(), place.end(), place.begin(), size_t{0});
    other.resize(rows.size());
    for (const Row& row : rows) other[place[digit(row)]++] = row;
    std::swap(rows, other);
  }
}

}  // namespace

int32_t SpanBuilder::add_operation(const Operation& operation) {
  const uint64_t hash = hash_of(operation);
  const auto [first, last] = operations_.equal_range(hash);
  for (auto it = first; it != last; ++it)
    if (same(tables_.ops[static_cast<size_t>(it->second)], operation)) return it->second;
  tables_.ops.push_back(operation);
  const auto id = static_cast<int32_t>(tables_.ops.size() - 1);
  operations_.emplace(hash, id);
  return id;
}

int32_t SpanBuilder::add_track(Track track) {
  if (tables_.tracks.size() >= kMostTracks) return static_cast<int32_t>(kMostTracks - 1);
  tables_.tracks.push_back(std::move(track));
  raw_.emplace_back();
  numbering_.push_back(nullptr);
  return static_cast<int32_t>(raw_.size() - 1);
}

void SpanBuilder::reserve(int32_t track, size_t spans) {
  Column<RawSpan>& there = raw_[static_cast<size_t>(track)];
  const size_t most = static_cast<size_t>(most_spans_ - std::min(count_, most_spans_));
  there.reserve(there.size() + std::min(spans, most));
}

SpanId SpanBuilder::add_span(int32_t track, const SpanFacts& facts) {
  if (count_ >= most_spans_) {
    ++dropped_;
    return {};
  }
  Column<RawSpan>& spans = raw_[static_cast<size_t>(track)];
  const SpanId id{track, static_cast<uint32_t>(spans.size())};
  spans.push_back({facts.start, std::max(facts.start, facts.end), facts.source, facts.name, facts.op, facts.shape, facts.step, id.index,
                   facts.kind, facts.unended});
  extent_.add(facts.start);
  extent_.add(facts.end);
  ++count_;
  if (facts.correlation != kNone) {
    const bool on_stream = tables_.tracks[static_cast<size_t>(track)].role == TrackRole::stream;
    (on_stream ? launched_ : launches_).push_back({facts.correlation, id});
  }
  return id;
}

void SpanBuilder::end_span(SpanId id, int64_t end, int32_t name) {
  if (!id.exists()) return;
  RawSpan& span = raw_[static_cast<size_t>(id.track)][id.index];
  span.end = std::max(span.start, end);
  span.name = name;
  extent_.add(end);
}

void SpanBuilder::add_aggregate(int32_t name, int32_t track, int64_t occurrences, int64_t total_ns) {
  Aggregates& all = tables_.aggregates;
  all.name.push_back(name);
  all.track.push_back(track);
  all.occurrences.push_back(occurrences);
  all.total_ns.push_back(total_ns);
}

std::unordered_map<int32_t, uint64_t> SpanBuilder::steps_by_track() const {
  std::unordered_map<int32_t, uint64_t> counts;
  for (const MarkerFacts& marker : markers_)
    if (marker.span.exists() && marker.family <= MarkerFamily::step_num) ++counts[marker.span.track];
  return counts;
}

// Texts and operations in the order in which the part met them, so that numbers are those of a single reader.
SpanBuilder::Numbers SpanBuilder::take_texts(Tables& part, std::unordered_multimap<uint64_t, int32_t>& operations) {
  Numbers numbers;
  if (tables_.names.size() == 0 && tables_.ops.empty()) {
    tables_.names = std::move(part.names);
    tables_.ops = std::move(part.ops);
    operations_ = std::move(operations);
    return numbers;
  }
  numbers.texts.reserve(part.names.size());
  for (size_t id = 0; id < part.names.size(); ++id) numbers.texts.push_back(intern(part.names[static_cast<int32_t>(id)]));
  for (Operation op : part.ops) {
    for (int32_t* text : {&op.name, &op.type, &op.scope, &op.program, &op.source, &op.category}) *text = numbers.text(*text);
    numbers.ops.push_back(add_operation(op));
  }
  tables_.names.overflow_as(part.names);
  part.names = TextPool();
  return numbers;
}

// Spans of a track that has none yet are only moved, and numbered when rows are made of them, by whichever thread does that.
void SpanBuilder::take_spans(int32_t track, Column<RawSpan>& spans, const Numbers& numbers) {
  const auto place = static_cast<size_t>(track);
  Column<RawSpan>& there = raw_[place];
  if (there.empty()) {
    there = std::move(spans);
    numbering_[place] = &numbers;
    return;
  }
  const auto number = [](RawSpan& span, const Numbers& by) {
    span.name = by.text(span.name);
    span.shape = by.text(span.shape);
    span.op = by.op(span.op);
  };
  if (const Numbers* pending = std::exchange(numbering_[place], nullptr))
    for (RawSpan& span : there) number(span, *pending);
  const auto before = static_cast<uint32_t>(there.size());
  take(there, spans, [&](RawSpan& span) {
    number(span, numbers);
    span.index += before;
  });
}

std::vector<SpanBuilder::Place> SpanBuilder::places_of(const SpanBuilder& part, std::span<const int32_t> tracks) const {
  std::vector<Place> places;
  std::unordered_map<int32_t, uint32_t> before;
  for (size_t one = 0; one < tracks.size(); ++one) {
    uint32_t& count = before.try_emplace(tracks[one], static_cast<uint32_t>(spans_on(tracks[one]))).first->second;
    places.push_back({tracks[one], count});
    count += static_cast<uint32_t>(part.raw_[one].size());
  }
  return places;
}

const SpanBuilder::Numbers& SpanBuilder::absorb(SpanBuilder&& part, std::span<const Place> places) {
  const Numbers& numbers = numbers_.emplace_back(take_texts(part.tables_, part.operations_));
  const auto place = [&](SpanId& span) { span = Place::of(span, places); };
  const auto track_of = [&](int32_t track) { return track < 0 ? track : places[static_cast<size_t>(track)].track; };
  const auto of_span = [&](auto& row) { place(row.span); };
  take(launches_, part.launches_, of_span);
  take(launched_, part.launched_, of_span);
  take(kernels_, part.kernels_, of_span);
  take(copies_, part.copies_, of_span);
  take(markers_, part.markers_, of_span);
  take(flow_sources_, part.flow_sources_, of_span);
  take(flow_targets_, part.flow_targets_, of_span);
  take(flows_, part.flows_, [&](Flow& flow) {
    place(flow.source);
    place(flow.target);
  });
  take(collectives_, part.collectives_, [&](Of<CollectiveFacts>& row) {
    place(row.span);
    for (int32_t* text : {&row.facts.name, &row.facts.group, &row.facts.dtype}) *text = numbers.text(*text);
  });
  take(allocations_, part.allocations_, [&](AllocationFacts& row) {
    row.track = track_of(row.track);
    for (int32_t* text : {&row.allocator, &row.op, &row.shape, &row.dtype}) *text = numbers.text(*text);
  });
  take(counters_, part.counters_, [&](CounterFacts& row) { row.track = track_of(row.track); });
  Aggregates& counted = part.tables_.aggregates;
  for (size_t row = 0; row < counted.name.size(); ++row)
    add_aggregate(numbers.text(counted.name[row]), track_of(counted.track[row]), counted.occurrences[row], counted.total_ns[row]);
  for (size_t one = 0; one < places.size(); ++one)
    if (!part.raw_[one].empty()) take_spans(places[one].track, part.raw_[one], numbers);
  extent_.add(part.extent_);
  count_ += part.count_;
  dropped_ += part.dropped_;
  return numbers;
}

size_t SpanBuilder::workers() const { return count_ >= kWorthThreads ? workers_of(threads_) : 1; }

Tables SpanBuilder::finish() {
  if (extent_.too_long()) leave_out_far();
  place_rows();
  link();
  fill_kernels();
  fill_copies();
  fill_collectives();
  fill_markers();
  fill_allocations();
  fill_counters();
  Tables done = std::move(tables_);
  *this = SpanBuilder();
  return done;
}

void SpanBuilder::place_rows() {
  Spans& s = tables_.spans;
  const auto rows = static_cast<size_t>(count_);
  for (auto* column : {&s.track, &s.name, &s.parent, &s.cause, &s.op, &s.shape, &s.step}) column->resize(rows);
  for (auto* column : {&s.start, &s.end, &s.source}) column->resize(rows);
  s.depth.resize(rows);
  s.kind.resize(rows);
  place_.resize(raw_.size());
  int64_t row = 0;
  for (size_t track = 0; track < raw_.size(); ++track) {
    tables_.tracks[track].first_row = row;
    row += static_cast<int64_t>(raw_[track].size());
    tables_.tracks[track].last_row = row;
  }
  std::vector<size_t> largest(raw_.size());
  std::iota(largest.begin(), largest.end(), size_t{0});
  std::stable_sort(largest.begin(), largest.end(), [this](size_t a, size_t b) { return raw_[a].size() > raw_[b].size(); });
  for_each_task(raw_.size(), workers(), [&](size_t task) { fill_track(largest[task]); });
  if (rows == 0) return;
  tables_.window_start = std::numeric_limits<int64_t>::max();
  tables_.window_end = std::numeric_limits<int64_t>::min();
  for (const Track& track : tables_.tracks) {  // a track's first row starts first; any may end last
    if (track.first_row == track.last_row) continue;
    tables_.window_start = std::min(tables_.window_start, s.start[static_cast<size_t>(track.first_row)]);
    tables_.window_end =
        std::max(tables_.window_end, *std::max_element(s.end.begin() + track.first_row, s.end.begin() + track.last_row));
  }
}

void SpanBuilder::fill_track(size_t track) {
  Column<RawSpan>& spans = raw_[track];
  const auto before = [](const RawSpan& a, const RawSpan& b) {
    if (a.start != b.start) return a.start < b.start;
    if (a.end != b.end) return a.end > b.end;
    return a.index < b.index;
  };
  if (!std::is_sorted(spans.begin(), spans.end(), before)) {
    std::sort(spans.begin(), spans.end(), before);
    place_[track].resize(spans.size());
    for (size_t place = 0; place < spans.size(); ++place) place_[track][spans[place].index] = static_cast<uint32_t>(place);
  }
  static const Numbers kSame{};
  const Numbers& numbers = numbering_[track] != nullptr ? *numbering_[track] : kSame;
  Spans& s = tables_.spans;
  auto row = static_cast<size_t>(tables_.tracks[track].first_row);
  for (const RawSpan& span : spans) {
    s.track[row] = static_cast<int32_t>(track);
    s.start[row] = span.start;
    s.end[row] = span.end;
    s.source[row] = span.source;
    s.name[row] = numbers.text(span.name);
    s.op[row] = numbers.op(span.op);
    s.shape[row] = numbers.text(span.shape);
    s.step[row] = span.step;
    s.kind[row] = static_cast<int8_t>(span.kind);
    s.cause[row] = kNone;
    ++row;
  }
  give_back(spans);
  nest(tables_.tracks[track].first_row, tables_.tracks[track].last_row);
}

// Gives each row its parent, which must hold it wholly, and the depth at which it is drawn. Where spans overlap without one holding
// the other, the later goes to the first line below that is free, so that nothing is drawn over anything.
void SpanBuilder::nest(int64_t first, int64_t last) {
  Spans& s = tables_.spans;
  struct Open {
    int64_t end;
    int32_t row;
  };
  std::vector<Open> open;  // by depth; one that has ended stays until all below it have
  for (int64_t i = first; i < last; ++i) {
    const auto row = static_cast<size_t>(i);
    const int64_t start = s.start[row], end = s.end[row];
    const Open here{end, static_cast<int32_t>(i)};
    while (!open.empty() && open.back().end <= start) open.pop_back();
    if (open.empty() || (open.back().end >= end && open.size() < kDeepest)) {
      s.parent[row] = open.empty() ? kNone : open.back().row;
      s.depth[row] = static_cast<int16_t>(open.size());
      open.push_back(here);
      continue;
    }
    const size_t lowest = open.size() > kSearched ? open.size() - kSearched : 0;
    size_t below = open.size();  // the line after the innermost span that holds this one
    while (below > lowest && open[below - 1].end < end) --below;
    s.parent[row] = below > lowest ? open[below - 1].row : kNone;
    size_t depth = below;
    while (depth < open.size() && open[depth].end > start) ++depth;
    if (depth == open.size() && depth < kDeepest) open.push_back(here);
    depth = std::min(depth, kDeepest - 1);
    if (open[depth].end <= start) open[depth] = here;
    s.depth[row] = static_cast<int16_t>(depth);
  }
}

int32_t SpanBuilder::row_of(SpanId span) const {
  if (!span.exists()) return kNone;
  const auto track = static_cast<size_t>(span.track);
  const std::vector<uint32_t>& places = place_[track];
  const uint32_t place = places.empty() ? span.index : places[span.index];
  return static_cast<int32_t>(tables_.tracks[track].first_row + place);
}

int32_t SpanBuilder::row_around(int32_t track, int64_t time) const {
  if (track < 0) return kNone;
  const Spans& s = tables_.spans;
  const Track& owner = tables_.tracks[static_cast<size_t>(track)];
  const auto begin = s.start.begin() + owner.first_row, end = s.start.begin() + owner.last_row;
  const auto after = std::upper_bound(begin, end, time);
  if (after == begin) return kNone;
  auto row = static_cast<int32_t>(after - s.start.begin() - 1);
  for (int up = 0; row >= 0 && s.end[static_cast<size_t>(row)] < time && up < kMostParents; ++up)
    row = s.parent[static_cast<size_t>(row)];
  return row >= 0 && s.end[static_cast<size_t>(row)] >= time ? row : kNone;
}

// The cause of a span on a stream is the latest launch with its number that began before it; of calls that hold each other, the
// outermost. Numbers may be used again, so the latest matters; clocks may differ, so a launch that seems late still counts.
void SpanBuilder::find_causes() {
  Spans& s = tables_.spans;
  struct Launch {
    int64_t id, start;
    int32_t row;
  };
  Column<Launch> launches;
  launches.reserve(launches_.size());
  for (const Correlated& one : launches_) {
    const int32_t row = row_of(one.span);
    launches.push_back({one.id, s.start[static_cast<size_t>(row)], row});
  }
  std::sort(launches.begin(), launches.end(),
            [](const Launch& a, const Launch& b) { return std::tie(a.id, a.start, a.row) < std::tie(b.id, b.start, b.row); });
  for (const Correlated& one : launched_) {
    const auto row = static_cast<size_t>(row_of(one.span));
    auto found = std::upper_bound(launches.begin(), launches.end(), std::pair(one.id, s.start[row]),
                                  [](const auto& key, const Launch& launch) { return key < std::pair(launch.id, launch.start); });
    if (found != launches.begin() && (found - 1)->id == one.id) --found;
    if (found == launches.end() || found->id != one.id) continue;
    int32_t cause = found->row;
    for (size_t up = 0; up < kSearched && found != launches.begin(); ++up) {
      --found;
      if (found->id != one.id || s.parent[static_cast<size_t>(cause)] != found->row) break;
      cause = found->row;
    }
    s.cause[row] = cause;
  }
  give_back(launches_);
  give_back(launched_);
}

void SpanBuilder::fill_kernels() {
  Kernels& k = tables_.kernels;
  for (const auto& [span, facts] : kernels_) {
    if (!span.exists()) continue;
    k.row.push_back(row_of(span));
    k.grid.insert(k.grid.end(), std::begin(facts.grid), std::end(facts.grid));
    k.block.insert(k.block.end(), std::begin(facts.block), std::end(facts.block));
    k.registers.push_back(facts.registers);
    k.shared_memory.push_back(facts.shared_memory);
    k.occupancy.push_back(facts.occupancy);
    k.blocks_per_multiprocessor.push_back(facts.blocks_per_multiprocessor);
    k.graph_node.push_back(facts.graph_node);
  }
}

void SpanBuilder::fill_copies() {
  Copies& c = tables_.copies;
  for (const auto& [span, facts] : copies_) {
    if (!span.exists()) continue;
    c.row.push_back(row_of(span));
    c.direction.push_back(static_cast<int8_t>(facts.direction));
    c.source_memory.push_back(static_cast<int8_t>(facts.source_memory));
    c.target_memory.push_back(static_cast<int8_t>(facts.target_memory));
    c.bytes.push_back(facts.bytes);
  }
}

void SpanBuilder::fill_collectives() {
  Collectives& c = tables_.collectives;
  for (const auto& [span, facts] : collectives_) {
    if (!span.exists()) continue;
    c.row.push_back(row_of(span));
    c.name.push_back(facts.name);
    c.group.push_back(facts.group);
    c.group_size.push_back(facts.group_size);
    c.dtype.push_back(facts.dtype);
    c.peer.push_back(facts.peer);
    c.sequence.push_back(facts.sequence);
    c.in_bytes.push_back(facts.in_bytes);
    c.out_bytes.push_back(facts.out_bytes);
  }
}

void SpanBuilder::fill_markers() {
  std::erase_if(markers_, [](const MarkerFacts& marker) { return !marker.span.exists(); });
  const Spans& s = tables_.spans;
  const auto start_of = [&](const MarkerFacts& marker) { return s.start[static_cast<size_t>(row_of(marker.span))]; };
  std::stable_sort(markers_.begin(), markers_.end(),
                   [&](const MarkerFacts& a, const MarkerFacts& b) { return start_of(a) < start_of(b); });
  for (const MarkerFacts& marker : markers_) {
    tables_.markers.row.push_back(row_of(marker.span));
    tables_.markers.number.push_back(marker.number);
    tables_.markers.family.push_back(static_cast<int8_t>(marker.family));
  }
}

void SpanBuilder::fill_allocations() {
  std::stable_sort(allocations_.begin(), allocations_.end(),
                   [](const AllocationFacts& a, const AllocationFacts& b) { return a.time < b.time; });
  Allocations& all = tables_.allocations;
  for (const AllocationFacts& one : allocations_) {
    all.time.push_back(one.time);
    all.row.push_back(row_around(one.track, one.time));
    all.device.push_back(one.device);
    all.allocator.push_back(one.allocator);
    all.address.push_back(one.address);
    all.bytes.push_back(one.bytes);
    all.allocated.push_back(one.allocated);
    all.reserved.push_back(one.reserved);
    all.op.push_back(one.op);
    all.shape.push_back(one.shape);
    all.dtype.push_back(one.dtype);
  }
}

void SpanBuilder::fill_counters() {
  std::stable_sort(counters_.begin(), counters_.end(),
                   [](const CounterFacts& a, const CounterFacts& b) { return std::tie(a.track, a.time) < std::tie(b.track, b.time); });
  for (const CounterFacts& one : counters_) {
    tables_.counters.track.push_back(one.track);
    tables_.counters.time.push_back(one.time);
    tables_.counters.value.push_back(one.value);
  }
}

// What ties rows to each other, each kind in a thread of its own where there are several.
void SpanBuilder::link() {
  Column<End> sources, targets;
  for_each_task(3, workers(), [&](size_t task) {
    if (task == 0) sources = in_order(flow_sources_);
    if (task == 1) targets = in_order(flow_targets_);
    if (task == 2) find_causes();
  });
  fill_flows();
  pair_flows(sources, targets);
}

Column<SpanBuilder::End> SpanBuilder::in_order(Column<FlowEnd>& ends) const {
  Column<End> rows;
  rows.reserve(ends.size());
  for (const FlowEnd& end : ends)
    if (const int32_t row = row_of(end.span); row >= 0)
      rows.push_back({end.key, tables_.spans.start[static_cast<size_t>(row)], row, end.kind});
  give_back(ends);
  sort_by_key(rows);
  const auto before = [](const End& a, const End& b) { return std::tie(a.kind, a.start, a.row) < std::tie(b.kind, b.start, b.row); };
  for (auto first = rows.begin(); first != rows.end();) {  // few ends share a key
    const auto last = std::find_if(first + 1, rows.end(), [&](const End& end) { return end.key != first->key; });
    std::sort(first, last, before);
    first = last;
  }
  return rows;
}

void SpanBuilder::pair_flows(const Column<End>& sources, const Column<End>& targets) {
  size_t next = 0;
  for (const End& target : targets) {
    const auto may_be = [&](const End& source) {
      return std::tie(source.key, source.kind, source.start) <= std::tie(target.key, target.kind, target.start);
    };
    while (next < sources.size() && may_be(sources[next])) ++next;
    if (next == 0) continue;
    const End& source = sources[next - 1];
    if (source.key == target.key && source.kind == target.kind) add_flow_row(source.row, target.row, target.kind);
  }
}

void SpanBuilder::fill_flows() {
  for (const Flow& flow : flows_)
    if (flow.source.exists() && flow.target.exists()) add_flow_row(row_of(flow.source), row_of(flow.target), flow.kind);
}

void SpanBuilder::add_flow_row(int32_t source, int32_t target, FlowKind kind) {
  tables_.flows.source.push_back(source);
  tables_.flows.target.push_back(target);
  tables_.flows.kind.push_back(static_cast<int8_t>(kind));
}

}  // namespace stepscope::profile
