// Decodes HistogramProto (edges named by their right ends, the outer ones open) and tensors of (left, right, count) rows.
#include "histogram_values.hpp"

#include <algorithm>
#include <cmath>

#include "wire/fields.hpp"
#include "wire/little_endian.hpp"
#include "wire/reader.hpp"

namespace stepscope {
namespace {

using wire::Field;
using wire::Type;

constexpr size_t kMostBuckets = size_t{1} << 20;
constexpr double kLargest = std::numeric_limits<double>::max();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

// TensorFlow's outermost limits are the largest doubles, which stand for no limit.
double open_ended(double edge) { return edge >= kLargest ? kInfinity : edge <= -kLargest ? -kInfinity : edge; }

bool append_doubles(std::string_view message, const Field& field, std::vector<double>& list) {
  if (field.type == Type::fixed64) {
    if (list.size() >= kMostBuckets) return false;
    list.push_back(field.as_double());
    return true;
  }
  if (field.type != Type::bytes || field.length % 8 != 0 || field.length / 8 > kMostBuckets - std::min(kMostBuckets, list.size()))
    return false;
  const char* bytes = message.data() + field.offset;
  for (uint64_t at = 0; at < field.length; at += 8) list.push_back(wire::little_endian<double>(bytes + at));
  return true;
}

void clear(Buckets& out) {
  out.left.clear();
  out.right.clear();
  out.count.clear();
  out.low = out.high = std::numeric_limits<double>::quiet_NaN();
  out.total = 0;
  out.left_out = 0;
}

void add(Buckets& out, double left, double right, double count, bool with_empty) {
  left = open_ended(left);
  right = open_ended(right);
  if (count == 0 && !(left <= right)) return;  // old writers leave such buckets at the ends
  if (!(left <= right) || !(count >= 0) || !std::isfinite(count) || (std::isinf(left) && std::isinf(right))) {
    ++out.left_out;
    return;
  }
  const auto [first, last] = finite_edges(left, right);
  if (!(out.low <= first)) out.low = first;
  if (!(out.high >= last)) out.high = last;
  out.total += count;
  if (count == 0 && !with_empty) return;
  out.left.push_back(left);
  out.right.push_back(right);
  out.count.push_back(count);
}

}  // namespace

Edges finite_edges(double left, double right) {
  if (std::isinf(left)) return {right, right};
  if (std::isinf(right)) return {left, left};
  return {left, right};
}

HistogramState HistogramParser::read(std::string_view value, std::string_view tag, bool with_empty, Buckets& out) {
  clear(out);
  wire::MemorySpace space(value);
  wire::FieldWalker fields(space, 0, value.size());
  Field field;
  bool named = tag.empty();
  std::string_view histo, tensor;
  bool has_histo = false, has_tensor = false;
  while (fields.next(field)) {
    if (field.type != Type::bytes) continue;
    const std::string_view bytes = value.substr(field.offset, field.length);
    if (field.id == wire::Value::tag || field.id == wire::Value::node_name) named |= bytes == tag;
    if (field.id == wire::Value::histo) histo = bytes, has_histo = true;
    if (field.id == wire::Value::tensor) tensor = bytes, has_tensor = true;
  }
  // Bytes that were overwritten in place may still look like a value, but of this tag only by the writer's doing.
  if (!fields.ok() || !named) return HistogramState::damaged;
  if (has_tensor) return read_tensor(tensor, with_empty, out);
  return has_histo ? read_old(histo, with_empty, out) : HistogramState::no_histogram;
}

HistogramState HistogramParser::read_old(std::string_view message, bool with_empty, Buckets& out) {
  limits_.clear();
  counts_.clear();
  double least = 0, greatest = 0;
  wire::MemorySpace space(message);
  wire::FieldWalker fields(space, 0, message.size());
  Field field;
  while (fields.next(field)) {
    if (field.id == wire::HistogramProto::min && field.type == Type::fixed64) least = field.as_double();
    if (field.id == wire::HistogramProto::max && field.type == Type::fixed64) greatest = field.as_double();
    if (field.id == wire::HistogramProto::bucket_limit && !append_doubles(message, field, limits_)) return HistogramState::no_histogram;
    if (field.id == wire::HistogramProto::bucket && !append_doubles(message, field, counts_)) return HistogramState::no_histogram;
  }
  if (!fields.ok()) return HistogramState::damaged;
  if (limits_.size() != counts_.size()) return HistogramState::no_histogram;
  const auto counted = [](double count) { return count != 0; };
  const auto first = static_cast<size_t>(std::ranges::find_if(counts_, counted) - counts_.begin());
  size_t end = counts_.size();
  while (end > first && !counted(counts_[end - 1])) --end;
  for (size_t i = first; i < end; ++i) {
    double left = i == 0 ? -kInfinity : limits_[i - 1];
    double right = limits_[i];
    // The least and greatest value say where the outer buckets really begin and end, unless they contradict the limits.
    if (i == first && least >= left && least <= right) left = least;
    if (i + 1 == end && greatest >= left && greatest <= right) right = greatest;
    add(out, left, right, counts_[i], with_empty);
  }
  return HistogramState::good;
}

HistogramState HistogramParser::read_tensor(std::string_view tensor, bool with_empty, Buckets& out) {
  if (!tensor_values(tensor, 3 * kMostBuckets, tensor_)) return HistogramState::no_histogram;
  if (tensor_.shape.size() != 2 || tensor_.shape[1] != 3) return HistogramState::no_histogram;
  for (size_t i = 0; i + 2 < tensor_.values.size(); i += 3)
    add(out, tensor_.values[i], tensor_.values[i + 1], tensor_.values[i + 2], with_empty);
  return HistogramState::good;
}

std::array<double, 9> levels_of(const Buckets& buckets) {
  std::array<double, 9> levels;
  levels.fill(std::numeric_limits<double>::quiet_NaN());
  if (!(buckets.total > 0) || !std::isfinite(buckets.total)) return levels;
  size_t next = 0;
  double before = 0;
  for (size_t i = 0; i < buckets.count.size() && next < levels.size(); ++i) {
    const double after = before + buckets.count[i] * kLevels.back() / buckets.total;
    if (after == before) continue;
    const auto [left, right] = finite_edges(buckets.left[i], buckets.right[i]);
    const double from = before == 0 ? buckets.low : left;
    for (; next < levels.size() && kLevels[next] < after; ++next)
      levels[next] = from + (kLevels[next] - before) / (after - before) * (right - from);
    before = after;
  }
  for (; next < levels.size(); ++next) levels[next] = buckets.high;
  return levels;
}

void add_to_cells(const Buckets& buckets, double low, double high, std::span<double> cells) {
  const auto last = static_cast<double>(cells.size());
  const double scale = last / (high / 2 - low / 2);  // halves, because the distance of two large numbers may be none
  if (!std::isfinite(scale) || cells.empty()) return;
  for (size_t i = 0; i < buckets.count.size(); ++i) {
    const double count = buckets.count[i];
    const auto [left, right] = finite_edges(buckets.left[i], buckets.right[i]);
    const double from = (left / 2 - low / 2) * scale, to = (right / 2 - low / 2) * scale;
    if (!(count > 0) || !std::isfinite(from) || !std::isfinite(to) || to < 0 || from > last) continue;
    if (to - from < 1e-9) {
      cells[std::min(static_cast<size_t>(std::max(from, 0.0)), cells.size() - 1)] += count;
      continue;
    }
    const double begin = std::max(from, 0.0), end = std::min(to, last);
    for (auto cell = static_cast<size_t>(begin); cell < cells.size() && static_cast<double>(cell) < end; ++cell)
      cells[cell] +=
          count * ((std::min(end, static_cast<double>(cell + 1)) - std::max(begin, static_cast<double>(cell))) / (to - from));
  }
}

}  // namespace stepscope
