// Sizes and texts of shapes.
#include <algorithm>

#include "profile/hlo_module.hpp"

namespace stepscope::profile::hlo {
namespace {

struct TypeFacts {
  const char* name;
  double bytes;
};

// By XLA's number; types below a byte take one unless their layout packs them.
constexpr TypeFacts kTypes[] = {
    {"invalid", 0},    {"pred", 1},       {"s8", 1},       {"s16", 2},       {"s32", 4},    {"s64", 8},
    {"u8", 1},         {"u16", 2},        {"u32", 4},      {"u64", 8},       {"f16", 2},    {"f32", 4},
    {"f64", 8},        {"tuple", 0},      {"opaque", 0},   {"c64", 8},       {"bf16", 2},   {"token", 0},
    {"c128", 16},      {"f8e5m2", 1},     {"f8e4m3fn", 1}, {"s4", 1},        {"u4", 1},     {"f8e4m3b11fnuz", 1},
    {"f8e5m2fnuz", 1}, {"f8e4m3fnuz", 1}, {"s2", 1},       {"u2", 1},        {"f8e4m3", 1}, {"f8e3m4", 1},
    {"s1", 1},         {"u1", 1},         {"f4e2m1fn", 1}, {"f8e8m0fnu", 1}, {"buffer", 0},
};

const TypeFacts& facts_of(ElementType type) {
  const auto number = static_cast<size_t>(type);
  return kTypes[number < std::size(kTypes) ? number : 0];
}

std::string joined(const std::vector<int64_t>& numbers) {
  std::string text;
  for (const int64_t number : numbers) {
    if (!text.empty()) text += ',';
    text += number == INT64_MIN ? "?" : std::to_string(number);
  }
  return text;
}

std::string layout_of(const Shape& shape) {
  std::string text = joined(shape.minor_to_major);
  std::string rest;
  if (!shape.tiles.empty()) rest += 'T';
  for (const auto& tile : shape.tiles) rest += '(' + joined(tile) + ')';
  if (shape.bits != 0) rest += "E(" + std::to_string(shape.bits) + ')';
  if (shape.memory_space != 0) rest += "S(" + std::to_string(shape.memory_space) + ')';
  if (!rest.empty()) text += ':' + rest;
  return text.empty() ? text : '{' + text + '}';
}

}  // namespace

std::string_view name_of(ElementType type) { return facts_of(type).name; }

double bytes_of(ElementType type) { return facts_of(type).bytes; }

double Shape::elements() const {
  if (type == ElementType::tuple) {
    double sum = 0;
    for (const Shape& part : parts) sum += part.elements();
    return sum;
  }
  if (bytes_of(type) == 0) return 0;
  double product = 1;
  for (const int64_t dimension : dimensions) product *= static_cast<double>(std::max<int64_t>(0, dimension));
  return product;
}

double Shape::bytes() const {
  if (type == ElementType::tuple) {
    double sum = 0;
    for (const Shape& part : parts) sum += part.bytes();
    return sum;
  }
  return elements() * (bits > 0 && bits < 8 ? bits / 8.0 : bytes_of(type));
}

std::string Shape::text() const {
  if (type == ElementType::tuple) {
    std::string text = "(";
    for (size_t i = 0; i < parts.size(); ++i) text += (i > 0 ? ", " : "") + parts[i].text();
    return text + ')';
  }
  std::string text(name_of(type));
  return text + '[' + joined(dimensions) + ']' + layout_of(*this);
}

}  // namespace stepscope::profile::hlo
