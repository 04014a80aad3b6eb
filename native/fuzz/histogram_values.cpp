// Fuzzes reading logged histograms: makes values of every generation, damages them, and checks what must hold of buckets, percentiles and
// cells for any bytes. Arguments: seconds to run, and a seed.
#include "histogram_values.hpp"

#include <bit>
#include <cmath>

#include "fuzz/damage.hpp"
#include "wire/fields.hpp"
#include "wire/writer.hpp"

namespace {

using namespace stepscope;

class Fuzzer : fuzz::Chooser {
 public:
  using Chooser::Chooser;

  void once() {
    std::string value = make_value();
    check(value);
    damage(value);
    check(value);
  }

 private:
  double some_double() {
    constexpr double kLargest = std::numeric_limits<double>::max();
    constexpr double kOdd[] = {0.0,
                               -0.0,
                               1.0,
                               kLargest,
                               -kLargest,
                               std::numeric_limits<double>::infinity(),
                               -std::numeric_limits<double>::infinity(),
                               std::numeric_limits<double>::quiet_NaN(),
                               5e-324};
    if (chance(12)) return kOdd[below(std::size(kOdd))];
    if (chance(12)) return std::bit_cast<double>(some_number());
    return static_cast<double>(below(2000)) / 100 - 10;
  }

  std::string some_doubles(uint64_t count, bool ascending) {
    std::string packed;
    double edge = -5;
    for (uint64_t i = 0; i < count; ++i)
      wire::put_fixed64(packed, std::bit_cast<uint64_t>(ascending && !chance(40) ? (edge += 0.25) : some_double()));
    return packed;
  }

  std::string make_old() {
    namespace H = wire::HistogramProto;
    const uint64_t buckets = below(30);
    std::string message;
    for (const uint32_t field : {H::min, H::max}) wire::put_double_field(message, field, some_double());
    wire::put_bytes_field(message, H::bucket_limit, some_doubles(buckets, true));
    wire::put_bytes_field(message, H::bucket, some_doubles(chance(10) ? below(30) : buckets, false));
    return message;
  }

  std::string make_tensor() {
    namespace T = wire::TensorProto;
    const uint64_t rows = below(30);
    std::string shape;
    for (const uint64_t size : {chance(15) ? some_number() : rows, chance(15) ? some_number() : uint64_t{3}}) {
      std::string dim;
      wire::put_varint_field(dim, wire::Dim::size, size);
      wire::put_bytes_field(shape, wire::TensorShape::dim, dim);
    }
    std::string tensor;
    wire::put_varint_field(tensor, T::dtype, chance(8) ? below(30) : static_cast<uint64_t>(wire::DataType::float64));
    wire::put_bytes_field(tensor, T::tensor_shape, shape);
    wire::put_bytes_field(tensor, chance(3) ? T::double_val : T::tensor_content,
                          some_doubles(chance(8) ? below(40) : rows * 3, chance(2)));
    return tensor;
  }

  std::string make_value() {
    std::string value;
    wire::put_bytes_field(value, wire::Value::tag, "w");
    if (!chance(3)) wire::put_bytes_field(value, wire::Value::tensor, make_tensor());
    if (chance(2)) wire::put_bytes_field(value, wire::Value::histo, make_old());
    return value;
  }

  void check(const std::string& value) {
    const HistogramState state = parser_.read(value, "w", chance(2), buckets_);
    HOLDS(buckets_.left.size() == buckets_.right.size() && buckets_.left.size() == buckets_.count.size());
    if (state != HistogramState::good) return;
    for (size_t i = 0; i < buckets_.count.size(); ++i) {
      HOLDS(buckets_.left[i] <= buckets_.right[i] && buckets_.count[i] >= 0 && std::isfinite(buckets_.count[i]));
      const auto [left, right] = finite_edges(buckets_.left[i], buckets_.right[i]);
      HOLDS(std::isfinite(left) && std::isfinite(right) && left >= buckets_.low && right <= buckets_.high);
    }
    levels_of(buckets_);
    double cells[16] = {};
    add_to_cells(buckets_, chance(4) ? some_double() : buckets_.low, chance(4) ? some_double() : buckets_.high, cells);
    double sum = 0;
    for (const double cell : cells) {
      HOLDS(cell >= 0);
      sum += cell;
    }
    HOLDS(!(sum > buckets_.total * 1.0001 + 1e-300));
  }

  HistogramParser parser_;
  Buckets buckets_;
};

}  // namespace

int main(int count, char** arguments) { return fuzz::run<Fuzzer>(count, arguments); }
