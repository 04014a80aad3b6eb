// Fuzzes reading tables of numbers: makes tables with odd separators, numbers and lines, damages them, and checks what must hold of any
// bytes. Arguments: seconds to run, and a seed.
#include "number_table.hpp"

#include <cmath>
#include <cstring>
#include <iterator>
#include <memory>

#include "fuzz/damage.hpp"

namespace {

using namespace stepscope;

class Text : public RangeReader {
 public:
  explicit Text(std::string text) : text_(std::move(text)) {}
  uint64_t size() override { return text_.size(); }
  size_t read(uint64_t at, char* into, size_t size) override {
    const size_t got = at < text_.size() ? std::min<size_t>(size, text_.size() - at) : 0;
    std::memcpy(into, text_.data() + at, got);
    return got;
  }

 private:
  std::string text_;
};

class Fuzzer : fuzz::Chooser {
 public:
  using Chooser::Chooser;

  void once() {
    std::string text = make_table();
    check(text);
    damage(text);
    check(text);
  }

 private:
  std::string make_table() {
    constexpr const char* kOdd[] = {"nan", "inf", "-inf", "1e999", "1e-999", "", "x", "+1", "--1", "0x10", "1,5"};
    constexpr const char* kSeparators[] = {"\t", ",", " ", "  "};
    const char* separator = kSeparators[below(std::size(kSeparators))];
    const uint64_t columns = 1 + below(6);
    std::string text;
    for (uint64_t row = below(40); row > 0; --row) {
      for (uint64_t i = chance(20) ? below(9) : columns; i > 0; --i) {
        text += chance(20) ? kOdd[below(std::size(kOdd))] : std::to_string(static_cast<double>(below(1000)) / 7 - 50);
        if (i > 1) text += separator;
      }
      text += chance(12) ? "\r\n" : chance(12) ? "\n\n" : "\n";
    }
    return text;
  }

  void check(const std::string& text) {
    const uint64_t most_rows = 1 + below(50), most_values = 1 + below(200);
    const NumberTable table = read_number_table(Origin("text", std::make_shared<Text>(text)), most_rows, most_values);
    HOLDS(table.rows.size() <= most_rows && table.values.size() <= most_values);
    HOLDS(table.values.size() == table.rows.size() * table.columns || table.rows.empty());
    HOLDS(table.bad.size() <= table.bad_total && table.rows.size() + table.bad_total <= table.lines);
    for (const float value : table.values) HOLDS(std::isfinite(value));
    for (size_t i = 0; i < table.rows.size(); ++i)
      HOLDS(table.rows[i] >= 0 && static_cast<uint64_t>(table.rows[i]) < table.lines && (i == 0 || table.rows[i] > table.rows[i - 1]));
  }
};

}  // namespace

int main(int count, char** arguments) { return fuzz::run<Fuzzer>(count, arguments); }
