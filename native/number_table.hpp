// A text file of numbers, one row a line, as float32 columns: the vectors of an embedding. Large files are thinned out evenly.
#pragma once

#include <cstdint>
#include <vector>

#include "file_window.hpp"
#include "large_memory.hpp"

namespace stepscope {

enum class RowProblem : uint8_t { kRagged = 1, kNotNumber = 2, kNotFinite = 3 };

struct BadRow {
  uint64_t line;  // counted from 1, as editors do
  RowProblem problem;
  uint64_t columns;  // that the line has; one more than expected stands for any number above
};

struct NumberTable {
  uint64_t lines = 0;         // with anything in them
  uint64_t columns = 0;       // of the first
  std::vector<int64_t> rows;  // which of these lines was kept, counted from 0, for each row of `values`
  LargeVector<float> values;  // rows × columns
  std::vector<BadRow> bad;    // the first few of the kept lines that are no vector
  uint64_t bad_total = 0;
};

// Keeps at most `most_rows` lines and `most_values` numbers, evenly spread over the file; lines that are no vector of finite numbers are
// left out and reported. Numbers are separated by tabs; where the first line has none, by commas or blanks. Throws std::system_error.
NumberTable read_number_table(const Origin& origin, uint64_t most_rows, uint64_t most_values);

}  // namespace stepscope
