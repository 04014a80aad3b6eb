// The kinds of spans in words, by their numbers: what an exported trace calls its categories.
#pragma once

#include <array>
#include <string_view>

namespace stepscope::profile {

inline constexpr std::array<std::string_view, 17> kSpanKinds = {
    "other", "op",      "kernel", "copy", "fill",       "runtime", "sync",      "alloc",  "collective",
    "input", "compile", "gc",     "io",   "annotation", "python",  "framework", "marker",
};

// What else an exported trace says of a span among its categories, each behind the word for what it tells: "copy:host_to_device",
// "step:profiler_step:7", "track:stream", "thread:main", and "lane:3" for what belongs to the track with that number.
inline constexpr std::string_view kCopyFact = "copy:", kStepFact = "step:", kTrackFact = "track:", kThreadFact = "thread:",
                                  kLaneFact = "lane:";
inline constexpr std::array<std::string_view, 6> kCopyDirections = {
    "unknown", "host_to_device", "device_to_host", "device_to_device", "peer", "host_to_host",
};
inline constexpr std::array<std::string_view, 8> kMarkerFamilies = {
    "profiler_step", "step_num", "step_annotation", "device_step", "loop_mark", "root_call", "kernel_period", "window",
};
inline constexpr std::array<std::string_view, 5> kTrackRoles = {"thread", "stream", "derived", "marker", "counter"};
inline constexpr std::array<std::string_view, 7> kTrackPurposes = {
    "unknown", "main", "backward", "executor", "input", "communication", "other",
};

}  // namespace stepscope::profile
