// From flows between calls and modules to causes of the operations that ran meanwhile.
#include "profile/xspace_launches.hpp"

#include <algorithm>
#include <unordered_map>
#include <vector>

namespace stepscope::profile::xspace {
namespace {

constexpr size_t kMostStreams = 64;  // of one device; a file with more is none that a TPU wrote, and would take long
constexpr uint64_t kRunBits = (uint64_t{1} << 27) - 1;

uint64_t mixed(uint64_t key, uint64_t value) {
  key = (key ^ value) * 0x9e3779b97f4a7c15u;
  return key ^ (key >> 29);
}

void link_track(Spans& spans, const Track& track, int64_t start, int64_t end, int32_t cause) {
  const auto first = spans.start.begin() + track.first_row, last = spans.start.begin() + track.last_row;
  for (auto at = std::lower_bound(first, last, start); at != last && *at < end; ++at) {
    int32_t& mine = spans.cause[static_cast<size_t>(at - spans.start.begin())];
    if (mine == kNone) mine = cause;
  }
}

}  // namespace

uint64_t launch_key(int64_t device, int64_t queue, int64_t run, int64_t core) {
  uint64_t key = mixed(0x6c61756e6368, static_cast<uint64_t>(device));
  key = mixed(key, static_cast<uint64_t>(queue));
  key = mixed(key, static_cast<uint64_t>(run) & kRunBits);
  return mixed(key, static_cast<uint64_t>(core));
}

bool holds_modules(std::string_view line) { return line == "XLA Modules" || line == "Sparse Core Modules"; }

void link_modules(Tables& tables) {
  Spans& spans = tables.spans;
  std::unordered_map<std::string_view, std::vector<const Track*>> streams;
  for (const Track& track : tables.tracks)
    if (track.role == TrackRole::stream) streams[track.process].push_back(&track);
  for (size_t flow = 0; flow < tables.flows.source.size(); ++flow) {
    const int32_t source = tables.flows.source[flow], target = tables.flows.target[flow];
    const Track& line = tables.tracks[static_cast<size_t>(spans.track[static_cast<size_t>(target)])];
    if (line.role != TrackRole::derived || line.device == kNone || !holds_modules(line.name)) continue;
    const auto module = static_cast<size_t>(target);
    if (spans.cause[module] != kNone) continue;  // of several calls with its number the first that was found
    spans.cause[module] = source;
    const std::vector<const Track*>& mine = streams[line.process];
    if (mine.size() > kMostStreams) continue;
    for (const Track* track : mine) link_track(spans, *track, spans.start[module], spans.end[module], source);
  }
}

}  // namespace stepscope::profile::xspace
