// The sentences.
#include "profile/xspace_notes.hpp"

#include <algorithm>

#include "profile/note_numbers.hpp"

namespace stepscope::profile::xspace {

std::string why_nothing(std::string_view file, const Outline& outline) {
  if (file.empty())
    return "is empty: profilers write an empty file when a capture is larger than 2 GB, so capture fewer steps or at a lower tracer "
           "level.";
  if (outline.cut) return "is not an XSpace file, or corrupt from its start: give a *.xplane.pb file written by TensorFlow or JAX.";
  return "contains no planes: the capture recorded nothing, so capture again while training runs.";
}

void add_notes(const Reading& reading, const Outline& outline, const std::vector<PlaneFacts>& planes, std::vector<Note>& notes) {
  for (const std::string& text : outline.errors) notes.push_back({"error", "capture_error", text});
  for (const std::string& text : outline.warnings) {
    const bool dropped = text.find("drop") != std::string::npos || text.find("Drop") != std::string::npos;
    notes.push_back({"warning", dropped ? "dropped_events" : "capture_warning", text});
  }
  if (outline.cut) {
    size_t lost = 0;
    for (const PlaneFacts& plane : planes) lost += plane.nameless ? plane.lines : 0;
    std::string text =
        "The file is truncated: " + grouped(outline.readable) + " of " + grouped(reading.file.size()) + " bytes can be read";
    if (lost > 0) text += ", and " + counted(lost, "line", "lines") + " without a name are skipped";
    notes.push_back({"warning", "truncated", text + "."});
  }
  if (const uint64_t malformed = reading.all.malformed + outline.malformed; malformed > 0)
    notes.push_back({"warning", "dropped_events", counted(malformed, "corrupt message was", "corrupt messages were") + " skipped."});
  if (reading.all.builder.dropped() > 0)
    notes.push_back({"warning", "dropped_events",
                     counted(reading.all.builder.dropped(), "event was", "events were") +
                         " skipped: the profile has more events than the limit; capture fewer steps."});
  if (const std::string left_out = reading.all.builder.left_out_names(); !left_out.empty())
    notes.push_back({"warning", "too_many_names", left_out});
  if (reading.all.builder.size() == 0)
    notes.push_back({"warning", "empty", "The capture recorded no events: capture again while training runs."});
  const auto any = [&](auto test) { return std::any_of(planes.begin(), planes.end(), test); };
  if (any([](const PlaneFacts& plane) { return plane.kind == PlaneKind::gpu && plane.lines > 0 && plane.vendor != "AMD"; }))
    notes.push_back({"info", "unproven_reader",
                     "TensorFlow and JAX profiles of NVIDIA GPUs are read by the published format, which has not "
                     "been tested on a real capture yet."});
  if (any([](const PlaneFacts& plane) { return plane.kind == PlaneKind::tpu && plane.lines > 0; }))
    notes.push_back({"info", "unproven_reader",
                     "TPU profiles are read by the published format, which has not been tested on a real "
                     "capture yet."});
}

}  // namespace stepscope::profile::xspace
