// Parses a text file of numbers in windows: one pass counts the lines, a second parses those that are kept, on all cores.
#include "number_table.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <span>
#include <string_view>
#include <utility>

#include "tasks.hpp"

namespace stepscope {
namespace {

constexpr size_t kWindow = size_t{4} << 20;  // small, because a window of nothing but line ends makes a line of every byte
constexpr size_t kLongestLine = size_t{64} << 20;
constexpr size_t kMostReported = 20;
constexpr size_t kLinesPerTask = 512;

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

bool is_empty(std::string_view line) { return std::all_of(line.begin(), line.end(), is_blank); }

// Calls `take(lines)` with the whole lines of one window after the other.
template <class Take>
void for_each_window(FileWindow& file, const Take& take) {
  std::vector<char> buffer;
  std::vector<std::string_view> lines;
  size_t left = 0;  // bytes of an unfinished line at the buffer's beginning
  for (uint64_t at = 0; at < file.size() || left > 0;) {
    buffer.resize(std::max(buffer.size(), left + kWindow));
    const size_t got = at < file.size() ? file.read(at, buffer.data() + left, kWindow) : 0;
    at = got == 0 ? file.size() : at + got;
    const bool last = at >= file.size();
    const char *begin = buffer.data(), *end = begin + left + got;
    lines.clear();
    while (begin < end) {
      const char* stop = static_cast<const char*>(std::memchr(begin, '\n', static_cast<size_t>(end - begin)));
      if (stop == nullptr && !last && static_cast<size_t>(end - begin) < kLongestLine) break;
      lines.emplace_back(begin, static_cast<size_t>((stop == nullptr ? end : stop) - begin));
      begin = stop == nullptr ? end : stop + 1;
    }
    take(lines);
    left = static_cast<size_t>(end - begin);
    std::memmove(buffer.data(), begin, left);
    if (last) break;
  }
}

char separator_of(std::string_view line) {
  for (const char one : {'\t', ',', ';'})
    if (line.find(one) != std::string_view::npos) return one;
  return ' ';
}

// The next number's text; false at the end of the line. Blanks count as one separator, other separators each as one.
bool next_cell(std::string_view& rest, char separator, std::string_view& cell, bool& more) {
  if (separator == ' ') {
    while (!rest.empty() && is_blank(rest.front())) rest.remove_prefix(1);
    if (rest.empty()) return false;
    const size_t stop = std::min(rest.find_first_of(" \t\r"), rest.size());
    cell = rest.substr(0, stop);
    rest.remove_prefix(stop);
    return true;
  }
  if (!more) return false;
  const size_t stop = rest.find(separator);
  more = stop != std::string_view::npos;
  cell = rest.substr(0, stop);
  rest.remove_prefix(more ? stop + 1 : rest.size());
  while (!cell.empty() && is_blank(cell.front())) cell.remove_prefix(1);
  while (!cell.empty() && is_blank(cell.back())) cell.remove_suffix(1);
  return true;
}

uint64_t count_cells(std::string_view line, char separator) {
  uint64_t count = 0;
  bool more = true;
  for (std::string_view cell; next_cell(line, separator, cell, more);) ++count;
  return count;
}

bool to_number(std::string_view text, float& number) {
  if (text.size() > 1 && text.front() == '+' && text[1] != '-') text.remove_prefix(1);
  double found = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), found);
  if (end != text.data() + text.size() || text.empty()) return false;
  if (error == std::errc::result_out_of_range) {  // beyond a double: too small is zero, too large is infinite
    const size_t exponent = text.find_first_of("eE");
    found = exponent != std::string_view::npos && text.substr(exponent + 1, 1) == "-" ? 0.0 : HUGE_VAL;
  } else if (error != std::errc()) {
    return false;
  }
  number = static_cast<float>(found);
  return true;
}

struct Kept {
  std::string_view text;
  uint64_t line, row;
  RowProblem problem{};
  uint64_t columns = 0;
};

// Fills one row, or says what is wrong with it.
void parse(Kept& kept, char separator, std::span<float> into) {
  std::string_view rest = kept.text, cell;
  bool more = true, number = true, finite = true;
  while (next_cell(rest, separator, cell, more)) {
    if (kept.columns < into.size()) {
      float& value = into[kept.columns];
      number = number && to_number(cell, value);
      finite = finite && (!number || std::isfinite(value));
    }
    if (++kept.columns > into.size()) break;
  }
  if (kept.columns != into.size())
    kept.problem = RowProblem::kRagged;
  else if (!number)
    kept.problem = RowProblem::kNotNumber;
  else if (!finite)
    kept.problem = RowProblem::kNotFinite;
}

struct Shape {
  uint64_t lines = 0, columns = 0;
  char separator = '\t';
};

Shape shape_of(FileWindow& file) {
  Shape shape;
  for_each_window(file, [&](const std::vector<std::string_view>& lines) {
    for (const std::string_view line : lines) {
      if (is_empty(line)) continue;
      if (shape.lines++ > 0) continue;
      shape.separator = separator_of(line);
      shape.columns = count_cells(line, shape.separator);
    }
  });
  return shape;
}

// Moves the rows without a problem together, and notes the others.
void settle(std::vector<Kept>& block, size_t first, NumberTable& table) {
  float* values = table.values.data();
  for (size_t i = 0; i < block.size(); ++i) {
    const Kept& kept = block[i];
    if (kept.problem != RowProblem{}) {
      if (table.bad_total++ < kMostReported) table.bad.push_back({kept.line, kept.problem, kept.columns});
      continue;
    }
    const size_t place = table.rows.size();
    if (place != first + i)
      std::memmove(values + place * table.columns, values + (first + i) * table.columns, table.columns * sizeof(float));
    table.rows.push_back(static_cast<int64_t>(kept.row));
  }
}

}  // namespace

NumberTable read_number_table(const Origin& origin, uint64_t most_rows, uint64_t most_values) {
  FileWindow file(origin);
  const Shape shape = shape_of(file);
  NumberTable table;
  table.lines = shape.lines;
  table.columns = shape.columns;
  if (shape.lines == 0 || shape.columns == 0 || shape.columns > most_values) return table;
  const uint64_t keep = std::min({shape.lines, most_rows, most_values / shape.columns});
  table.values.reserve(keep * shape.columns);
  uint64_t line_number = 0, row = 0, wanted = 0;
  std::vector<Kept> block;
  for_each_window(file, [&](const std::vector<std::string_view>& lines) {
    block.clear();
    for (const std::string_view line : lines) {
      ++line_number;
      if (is_empty(line)) continue;
      // The wanted-th row that is kept is the one at this share of the file; the file may have grown meanwhile.
      if (wanted < keep && row == wanted * (shape.lines / keep) + wanted * (shape.lines % keep) / keep) {
        block.push_back({line, line_number, row});
        ++wanted;
      }
      ++row;
    }
    const size_t first = table.rows.size();
    table.values.resize((first + block.size()) * shape.columns);
    const size_t tasks = (block.size() + kLinesPerTask - 1) / kLinesPerTask;
    for_each_task(tasks, workers_of(0), [&](size_t task) {
      const size_t end = std::min(block.size(), (task + 1) * kLinesPerTask);
      for (size_t i = task * kLinesPerTask; i < end; ++i)
        parse(block[i], shape.separator, {table.values.data() + (first + i) * shape.columns, shape.columns});
    });
    settle(block, first, table);
  });
  table.values.resize(table.rows.size() * shape.columns);
  return table;
}

}  // namespace stepscope
