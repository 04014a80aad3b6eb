// Many histograms of one file at once: what is known of each, and their counts gathered into the cells of a picture.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "event_file.hpp"
#include "histogram_values.hpp"

namespace stepscope {

// Where values are in a file, and the tag they must be of.
struct HistogramPlaces {
  const EventFile& file;
  std::string_view tag;
  std::span<const uint64_t> offset, length;
};

// Of each value; levels are nine for each. A value that could not be read has NaNs.
struct HistogramFacts {
  std::vector<uint8_t> state;
  std::vector<double> low, high, total, levels;
  std::vector<int32_t> left_out;
};

// Throws std::system_error when the file cannot be opened, as do all of these.
HistogramFacts histogram_facts(const HistogramPlaces& places);

// Adds the counts of value i to row slot[i] of cells, a row being cells.size() / rows wide; a slot outside is left out.
void histogram_cells(const HistogramPlaces& places, std::span<const int32_t> slot, size_t rows, double low, double high,
                     std::span<double> cells);

}  // namespace stepscope
