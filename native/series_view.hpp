// One series over the files of a run with the restart rule applied: a snapshot of spans that never changes.
//
// The rule, in short (docs/restarts.md has it in full): files that were written at the same time never hide one another; a later file
// supersedes earlier points from its first step on, unless our writer only changed files there; a session start supersedes from its step on; in one file a step that goes
// back to one already logged starts a new segment, any other disorder is sorted; a step counter that restarts each epoch hides
// nothing.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "event_file.hpp"

namespace stepscope {

enum class SegmentMode { latest, all, split };
enum class Cause : uint8_t { start, new_file, session_start, repeat };

struct Segment {
  int64_t first_step = 0, last_step = 0;  // lowest and highest
  uint64_t points = 0, superseded = 0;
  Cause cause = Cause::start;
};

// A contiguous part of a line. Spans of one line follow one another, and the steps of a line never go back.
struct ViewSpan {
  ScalarSpan points;
  uint64_t position = 0;  // of the first point among all shown
  int32_t line = 0;       // what is drawn as one curve
  int32_t segment = 0;    // of all points, when `segments` is null
  const int32_t* segments = nullptr;
  bool walls_ordered = true;
};

class SeriesView {
 public:
  // `index` is the series' place in the file, or -1 for a file of the run that lacks it (its session starts still count).
  struct Part {
    std::shared_ptr<const EventFile> file;
    int64_t index = -1;
  };

  // Files of one run in any order; those that began at the same time are taken in the order given.
  SeriesView(std::vector<Part> parts, SegmentMode mode);
  SeriesView(const SeriesView&) = delete;
  SeriesView& operator=(const SeriesView&) = delete;

  const std::vector<ViewSpan>& spans() const { return spans_; }
  const std::vector<Segment>& segments() const { return segments_; }
  uint64_t shown() const { return shown_; }
  uint64_t points() const { return points_; }
  uint64_t superseded() const { return points_ - visible_; }
  uint32_t restarts() const { return restarts_; }
  // How often files were looked at to find restarts: a measure of the work.
  uint64_t file_visits() const { return file_visits_; }
  bool two_values_per_step() const { return two_values_per_step_; }
  bool epoch_counter() const { return epoch_counter_; }
  bool concurrent_writers() const { return concurrent_writers_; }
  bool one_step_only() const { return one_step_only_; }

 private:
  friend class ViewBuilder;
  // Points that had to be sorted or filtered.
  struct Sorted {
    std::vector<int64_t> step;
    std::vector<double> wall, value;
    std::vector<int32_t> segment;
  };

  std::vector<Part> parts_;  // keeps the columns alive
  std::vector<std::unique_ptr<Sorted>> sorted_;
  std::vector<ViewSpan> spans_;
  std::vector<Segment> segments_;
  uint64_t shown_ = 0, points_ = 0, visible_ = 0, file_visits_ = 0;
  uint32_t restarts_ = 0;
  bool two_values_per_step_ = false, epoch_counter_ = false, concurrent_writers_ = false, one_step_only_ = false;
};

}  // namespace stepscope
