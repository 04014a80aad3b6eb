// Reads values one after another through the file's own bulk reader; nothing but the sums is kept.
#include "histogram_series.hpp"

#include <algorithm>
#include <limits>

namespace stepscope {
namespace {

// A histogram of a million buckets takes 24 MB.
constexpr uint64_t kLargestValue = uint64_t{32} << 20;

HistogramState state_of(BlobState state) {
  switch (state) {
    case BlobState::read:
      return HistogramState::good;
    case BlobState::damaged:
      return HistogramState::damaged;
    case BlobState::too_large:
      return HistogramState::too_large;
    default:
      return HistogramState::unreadable;
  }
}

template <class Take>
void visit(const HistogramPlaces& places, Take&& take) {
  HistogramParser parser;
  Buckets buckets;
  places.file.visit_blobs(places.offset, places.length, kLargestValue, [&](size_t place, BlobState read, std::string_view bytes) {
    const HistogramState state = read == BlobState::read ? parser.read(bytes, places.tag, false, buckets) : state_of(read);
    take(place, state, buckets);
  });
}

}  // namespace

HistogramFacts histogram_facts(const HistogramPlaces& places) {
  const size_t size = places.offset.size();
  const double nan = std::numeric_limits<double>::quiet_NaN();
  HistogramFacts facts;
  facts.state.resize(size);
  facts.left_out.resize(size);
  facts.total.resize(size);
  facts.low.resize(size, nan);
  facts.high.resize(size, nan);
  facts.levels.resize(size * kLevels.size(), nan);
  visit(places, [&](size_t place, HistogramState state, const Buckets& buckets) {
    facts.state[place] = static_cast<uint8_t>(state);
    if (state != HistogramState::good) return;
    facts.low[place] = buckets.low;
    facts.high[place] = buckets.high;
    facts.total[place] = buckets.total;
    facts.left_out[place] = static_cast<int32_t>(buckets.left_out);
    std::ranges::copy(levels_of(buckets), facts.levels.begin() + static_cast<std::ptrdiff_t>(place * kLevels.size()));
  });
  return facts;
}

void histogram_cells(const HistogramPlaces& places, std::span<const int32_t> slot, size_t rows, double low, double high,
                     std::span<double> cells) {
  if (rows == 0 || slot.size() < places.offset.size()) return;
  const size_t width = cells.size() / rows;
  visit(places, [&](size_t place, HistogramState state, const Buckets& buckets) {
    if (state != HistogramState::good || slot[place] < 0 || static_cast<size_t>(slot[place]) >= rows) return;
    add_to_cells(buckets, low, high, cells.subspan(static_cast<size_t>(slot[place]) * width, width));
  });
}

}  // namespace stepscope
