// What is left when all events were read: the tables' finish, times from zero, and what the user has to be told.
#include <algorithm>

#include "profile/kineto_reader.hpp"
#include "profile/note_numbers.hpp"
#include "profile/xspace_rules.hpp"

namespace stepscope::profile {
namespace {

// First start and last end of what owns time; of everything when nothing does.
void set_window(Tables& tables) {
  int64_t first = std::numeric_limits<int64_t>::max(), last = std::numeric_limits<int64_t>::min();
  const Spans& s = tables.spans;
  for (const Track& track : tables.tracks) {
    if (track.first_row == track.last_row || (track.role != TrackRole::thread && track.role != TrackRole::stream)) continue;
    first = std::min(first, s.start[static_cast<size_t>(track.first_row)]);
    last = std::max(last, *std::max_element(s.end.begin() + track.first_row, s.end.begin() + track.last_row));
  }
  if (first > last) return;
  tables.window_start = first;
  tables.window_end = last;
}

// The device lines of TensorFlow's and JAX's export have no categories.
void set_exported_kinds(Tables& tables) {
  Spans& s = tables.spans;
  for (const Track& track : tables.tracks) {
    for (int64_t i = track.first_row; i < track.last_row; ++i) {
      const auto row = static_cast<size_t>(i);
      const std::string_view name = tables.names[s.name[row]];
      const auto kind = static_cast<SpanKind>(s.kind[row]);
      if (track.role == TrackRole::stream && (kind == SpanKind::other || kind == SpanKind::op)) {
        CopyDirection direction = CopyDirection::unknown;
        s.kind[row] = static_cast<int8_t>(xspace::device_kind(name, direction));
      } else if (track.role == TrackRole::thread && kind == SpanKind::other && xspace::compiles(track.name)) {
        s.kind[row] = static_cast<int8_t>(SpanKind::compile);
      } else if (track.role == TrackRole::marker) {
        s.kind[row] = static_cast<int8_t>(SpanKind::marker);
        tables.markers.row.push_back(static_cast<int32_t>(row));
        tables.markers.number.push_back(json_integer({name, JsonKind::text, false}, kNone));
        tables.markers.family.push_back(static_cast<int8_t>(MarkerFamily::device_step));
      }
    }
  }
}

}  // namespace

// Work of devices that are known by their processes: its names tell what it is.
void KinetoReader::set_device_kinds(Tables& tables) {
  Spans& s = tables.spans;
  for (const Track& track : tables.tracks) {
    if (track.role != TrackRole::stream) continue;
    for (int64_t i = track.first_row; i < track.last_row; ++i) {
      const auto row = static_cast<size_t>(i);
      const auto kind = static_cast<SpanKind>(s.kind[row]);
      if (kind != SpanKind::other && kind != SpanKind::op) continue;
      const std::string_view name = tables.names[s.name[row]];
      CopyDirection direction = CopyDirection::unknown;
      const int16_t rule = rules_.result(RuleScope::kernel, s.name[row], name);
      s.kind[row] = rule != NameRules::kNoMatch ? static_cast<int8_t>(rule) : static_cast<int8_t>(xspace::device_kind(name, direction));
    }
  }
}

Tables KinetoReader::finish(const TraceFaults& faults) {
  close_open();
  const bool kineto = is_kineto();
  tracks_.finish(kineto);
  links_.finish_facts(builder_);
  const uint64_t dropped = builder_.dropped();
  header_.finish(tracks_.ordinals(), tracks_.kinds(), device_kind_, builder_.tables());
  Tables tables = builder_.finish();
  links_.finish_rows(tables, [&](const KinetoLinks::FlowEnd& end) {
    const bool on_device = end.use == KinetoLinks::FlowUse::launch && !end.source;
    const int32_t stream = on_device ? tracks_.known(end.process, end.thread, Place::stream) : kNone;
    return stream != kNone ? stream : tracks_.known(end.process, end.thread, Place::thread);
  });
  links_.finish_waits(tables, [&](int64_t process, int64_t stream) { return tracks_.known(process, stream, Place::stream); });
  if (tracks_.exported_by_xla()) set_exported_kinds(tables);
  if (tracks_.has_device_processes()) set_device_kinds(tables);
  if (!header_.only_group().empty()) {
    const int32_t group = tables.names.intern(header_.only_group());
    for (size_t i = 0; i < tables.collectives.row.size(); ++i) {
      if (tables.collectives.group[i] != kNone) continue;
      tables.collectives.group[i] = group;
      tables.collectives.group_size[i] = static_cast<int32_t>(std::clamp<int64_t>(header_.only_group_size(), kNone, 1 << 30));
    }
  }
  tables.framework = kineto                                        ? "PyTorch"
                     : !tracks_.exported_by_xla() && !is_timeline_ ? ""
                     : tracks_.exported_by_jax()                   ? "JAX"
                                                                   : "TensorFlow";
  set_window(tables);
  first_time_ = tables.window_start;
  tables.base_ns = header_.base_ns();
  shift_times(tables, tables.window_start);
  bring_near_zero(tables);

  // Work without its launch, and launches without their work.
  const Spans& s = tables.spans;
  std::vector<bool> answered(s.start.size());
  uint64_t device_spans = 0, unlinked = 0;
  for (const Track& track : tables.tracks) {
    if (track.role != TrackRole::stream) continue;
    for (int64_t row = track.first_row; row < track.last_row; ++row) {
      const int32_t cause = s.cause[static_cast<size_t>(row)];
      ++device_spans;
      if (cause == kNone)
        ++unlinked;
      else
        answered[static_cast<size_t>(cause)] = true;
    }
  }
  uint64_t unanswered = 0;
  if (device_spans > 0) {
    for (size_t row = 0; row < s.start.size(); ++row)
      if (!answered[row] && s.kind[row] == static_cast<int8_t>(SpanKind::runtime))
        unanswered += rules_.result(RuleScope::launch, s.name[row], tables.names[s.name[row]]) == 1;
  }
  add_notes(faults, tables, unlinked, device_spans, unanswered);
  if (dropped > 0)
    notes_.push_back({"warning", "dropped_events",
                      counted(dropped, "span was", "spans were") + " skipped: the limit is " + grouped(SpanBuilder::kMostSpans) +
                          " spans; capture fewer steps."});
  tables.notes.insert(tables.notes.begin(), notes_.begin(), notes_.end());
  return tables;
}

void KinetoReader::add_notes(const TraceFaults& faults, const Tables& tables, uint64_t unlinked, uint64_t device_spans,
                             uint64_t unanswered) {
  const auto note = [&](const char* level, const char* code, std::string text) { notes_.push_back({level, code, std::move(text)}); };
  for (const std::string& text : header_.warnings()) note("warning", "capture_warning", text);
  if (faults.inflate == InflateEnd::damaged)
    note("warning", "damaged", "The gzip file is corrupt; only the events before the corrupt region are shown.");
  else if (faults.inflate == InflateEnd::too_large)
    note("warning", "too_large",
         "Reading stopped at the limit of " + grouped(limits_.bytes >> 20) +
             " MiB; only the events before it are shown. Allow more with --max-gib or capture fewer steps.");
  else if (faults.hollow)
    note("warning", "damaged",
         "The file has more than " + grouped(TraceScanner::kMostZeros >> 20) +
             " MiB of zero bytes, which are not JSON; only the events before them are shown. Copy or capture it again.");
  else if (faults.truncated)
    note("warning", "truncated", "The file is truncated; only the events in it are shown.");
  if (faults.cut_off)
    note("warning", "too_many_events",
         "Reading stopped at " + grouped(limits_.spans) + " spans, the limit; only the events before are shown. Capture fewer steps.");
  if (faults.repaired + odd_escapes_ > 0)
    note("info", "repaired",
         counted(std::max<uint64_t>(faults.repaired, 1), "event has", "events have") + " invalid JSON and could be repaired.");
  if (faults.lost > 0)
    note("warning", "dropped_events",
         counted(faults.lost, "event", "events") + " could not be read: " + counted(faults.skipped, "byte", "bytes") +
             " of the file are corrupt. The " + counted(events_, "other event is", "other events are") + " shown.");
  if (bad_times_ > 0)
    note("warning", "dropped_events",
         counted(bad_times_, "event has no valid time and is skipped.", "events have no valid time and are skipped."));
  if (lengthless_ > 0)
    note("warning", "no_durations", counted(lengthless_, "event has", "events have") + " no duration, taken as zero.");
  if (negative_ > 0)
    note("info", "negative_durations", counted(negative_, "event has", "events have") + " a negative duration, taken as zero.");
  if (unfinished_ > 0)
    note("info", "unfinished", counted(unfinished_, "event begins or ends", "events begin or end") + " outside the profile.");
  if (const std::string left_out = tables.names.left_out(); !left_out.empty()) note("warning", "too_many_names", left_out);
  if (too_many_operations_)
    note("warning", "too_many_names",
         "The file has more than " + grouped(kMostOperations) + " distinct operations: the others" + std::string(TextPool::kShown));
  if (unlinked > 0)
    note(unlinked * 20 > device_spans ? "warning" : "info", "unlinked",
         grouped(unlinked) + " of " + grouped(device_spans) +
             " device operations have no launch in this profile: they count, but no launch assigns them to a step.");
  if (unanswered > 0)
    note("info", "launches_without_work",
         counted(unanswered, "launch has", "launches have") +
             " no device work in this profile: it ran later, or the profiler dropped it.");
  if (ranks_.several()) note("info", "several_ranks", "The file contains events of several ranks.");
  if (is_kineto() && tables.rank == kNone && tables.world_size > 1) note("info", "no_rank", "The rank is not recorded in this file.");
  for (const std::string& whose : unproven_)
    note("info", "unproven_reader",
         "This reader has not been tested on a real profile of " + whose + ": check its numbers before relying on them.");
}

KinetoResult read_kineto(const Origin& origin, std::vector<NameRule> rules, const KinetoLimits& limits) {
  const std::unique_ptr<TraceSource> source = TraceSource::open(origin, {limits.bytes, limits.ratio});
  KinetoReader reader(std::move(rules), limits);
  TraceScanner scanner(*source, reader);
  KinetoResult result;
  result.is_json = scanner.run();
  result.is_bomb = scanner.faults().inflate == InflateEnd::too_large && scanner.bytes() < limits.bytes;
  result.is_json &= !scanner.faults().no_events || reader.is_kineto();
  result.events = reader.events();
  result.index = source->take_index();
  if (!result.is_json || result.is_bomb) return result;
  result.tables = reader.finish(scanner.faults());
  result.is_kineto = reader.is_kineto();
  return result;
}

}  // namespace stepscope::profile
