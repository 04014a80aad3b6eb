// Walks the rows that are to be written, and leaves how they look to the format.
#include "profile/trace_export.hpp"

namespace stepscope::profile {

TraceExport::TraceExport(ExportColumns columns) : columns_(std::move(columns)), is_cause_(columns_.track.size()) {
  std::unordered_map<std::string_view, size_t> known;
  for (size_t i = 0; i < columns_.tracks.size(); ++i) process_.push_back(known.emplace(columns_.tracks[i].process, i).first->second);
  const auto place_all = [](std::span<const int32_t> rows, std::unordered_map<size_t, size_t>& into) {
    for (size_t at = 0; at < rows.size(); ++at) into.emplace(static_cast<size_t>(rows[at]), at);
  };
  place_all(columns_.marker_row, marker_of_);
  place_all(columns_.copy_row, copy_of_);
  for (size_t row = 0; row < columns_.track.size(); ++row)
    if (has_cause(row) && is_written(row)) is_cause_[static_cast<size_t>(columns_.cause[row])] = true;
}

std::string TraceExport::next(size_t wanted) {
  std::string out;
  while (part_ != Part::done && out.size() < wanted) step(out);
  return out;
}

void TraceExport::step(std::string& out) {
  const size_t rows = columns_.track.size();
  switch (part_) {
    case Part::start:
      begin(out);
      part_ = Part::spans;
      return;
    case Part::spans:
      if (at_ < rows && is_written(at_)) write_span(out, at_);
      if (rows > 0 && (at_ + 1 >= rows || columns_.track[at_ + 1] != columns_.track[at_])) end_track(out);
      if (++at_ >= rows) part_ = Part::counters, at_ = 0;
      return;
    case Part::counters:
      if (at_ < columns_.counter_track.size()) {
        const int64_t time = columns_.counter_time[at_];
        const bool known = static_cast<size_t>(columns_.counter_track[at_]) < columns_.tracks.size();
        if (known && time >= columns_.low && time < columns_.high) write_counter(out, at_);
        ++at_;
      } else {
        part_ = Part::end;
      }
      return;
    case Part::end:
      finish(out);
      part_ = Part::done;
      return;
    case Part::done:
      return;
  }
}

std::string_view TraceExport::text(int32_t name) const {
  return name >= 0 && static_cast<size_t>(name) < columns_.names.size() ? std::string_view(columns_.names[static_cast<size_t>(name)])
                                                                        : std::string_view{};
}

bool TraceExport::is_written(size_t row) const {
  if (!has_track(row)) return false;
  const int64_t start = columns_.start[row], end = columns_.end[row];
  return start < columns_.high && (end > columns_.low || (end == start && start >= columns_.low));
}

bool TraceExport::has_cause(size_t row) const {
  const int32_t cause = columns_.cause[row];
  return cause >= 0 && static_cast<size_t>(cause) < columns_.track.size() && is_written(static_cast<size_t>(cause));
}

void TraceExport::put_json_text(std::string& out, std::string_view text) {
  static constexpr char kHex[] = "0123456789abcdef";
  out += '"';
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (byte < 0x20) {
      out += "\\u00";
      out += kHex[byte >> 4];
      out += kHex[byte & 15];
    } else {
      out += c;
    }
  }
  out += '"';
}

}  // namespace stepscope::profile
