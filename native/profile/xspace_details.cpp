// Parsing of those texts; what is malformed is left as unknown.
#include "profile/xspace_details.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace stepscope::profile::xspace {
namespace {

constexpr std::string_view kBlank = " \n\t";  // collectors of other years write a line for each

// Calls `take(key, value)` for each "key:value" of a text; blanks separate them, and some may follow the colon.
template <class Take>
void for_each_pair(std::string_view text, const Take& take) {
  while (!text.empty()) {
    const size_t colon = text.find(':');
    if (colon == std::string_view::npos) return;
    std::string_view key = text.substr(0, colon);
    key.remove_prefix(std::min(key.find_last_of(kBlank) + 1, key.size()));
    text.remove_prefix(colon + 1);
    text.remove_prefix(std::min(text.find_first_not_of(kBlank), text.size()));
    const std::string_view value = text.substr(0, text.find_first_of(kBlank));
    take(key, value);
    text.remove_prefix(value.size());
  }
}

template <class Number>
Number to_number(std::string_view text, Number otherwise) {
  Number number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc{} && end != text.data() ? number : otherwise;
}

// "31.25"; not every library reads fractions from characters yet.
float percent_of(std::string_view text) {
  const size_t point = std::min(text.find('.'), text.size());
  const std::string_view fraction = text.substr(std::min(point + 1, text.size())).substr(0, 4);
  auto percent = static_cast<float>(to_number<int32_t>(text.substr(0, point), 0));
  if (!fraction.empty()) percent += static_cast<float>(to_number<int32_t>(fraction, 0) / std::pow(10.0, fraction.size()));
  return percent;
}

// Some ROCm collectors leave memory they never set in the text; no kernel uses as many.
int32_t registers_of(std::string_view text) {
  const auto number = to_number<int64_t>(text, 0);
  return number > 0 && number <= 1024 ? static_cast<int32_t>(number) : 0;
}

void parse_three(std::string_view text, int32_t (&into)[3]) {
  for (int32_t& one : into) {
    const std::string_view part = text.substr(0, text.find(','));
    one = to_number<int32_t>(part, 1);
    text.remove_prefix(std::min(part.size() + 1, text.size()));
  }
}

MemoryKind memory_of(std::string_view text) {
  if (text == "pageable") return MemoryKind::pageable;
  if (text == "pinned") return MemoryKind::pinned;
  if (text == "device" || text == "device_static") return MemoryKind::device;
  if (text == "managed" || text == "managed_static" || text == "unified") return MemoryKind::managed;
  if (text == "array") return MemoryKind::array;
  return MemoryKind::unknown;
}

bool is_host(MemoryKind kind) { return kind == MemoryKind::pageable || kind == MemoryKind::pinned; }

CopyDirection direction_of(MemoryKind source, MemoryKind target) {
  if (source == MemoryKind::unknown || target == MemoryKind::unknown) return CopyDirection::unknown;
  if (is_host(source)) return is_host(target) ? CopyDirection::host_to_host : CopyDirection::host_to_device;
  return is_host(target) ? CopyDirection::device_to_host : CopyDirection::device_to_device;
}

}  // namespace

KernelFacts parse_kernel(std::string_view details) {
  KernelFacts facts;
  for_each_pair(details, [&](std::string_view key, std::string_view value) {
    if (key == "regs") facts.registers = registers_of(value);
    if (key == "static_shared" || key == "dynamic_shared" || key == "group_mem")
      facts.shared_memory += std::clamp<int64_t>(to_number<int64_t>(value, 0), 0, int64_t{1} << 40);
    if (key == "grid") parse_three(value, facts.grid);
    if (key == "block") parse_three(value, facts.block);
    if (key == "occ_pct") {
      const float percent = percent_of(value);
      if (percent > 0 && percent <= 100) facts.occupancy = percent / 100;  // collectors that cannot tell write 0
    }
  });
  return facts;
}

void parse_copy(std::string_view details, CopyFacts& facts) {
  for_each_pair(details, [&](std::string_view key, std::string_view value) {
    if (key == "kind_src") facts.source_memory = memory_of(value);
    if (key == "kind_dst" || key == "kind") facts.target_memory = memory_of(value);
    if (key == "size" || key == "num_bytes") facts.bytes = to_number<int64_t>(value, kNone);
  });
  if (facts.direction == CopyDirection::unknown) facts.direction = direction_of(facts.source_memory, facts.target_memory);
}

int32_t allocator_ordinal(std::string_view allocator) {
  for (const std::string_view prefix : {std::string_view("GPU_"), std::string_view("TPU_")})
    if (allocator.starts_with(prefix)) return to_number<int32_t>(allocator.substr(prefix.size()), kNone);
  return kNone;
}

std::string_view type_name(uint64_t number) {
  static constexpr std::string_view kNames[] = {
      "",
      "float32",
      "float64",
      "int32",
      "uint8",
      "int16",
      "int8",
      "string",
      "complex64",
      "int64",
      "bool",
      "qint8",
      "quint8",
      "qint32",
      "bfloat16",
      "qint16",
      "quint16",
      "uint16",
      "complex128",
      "float16",
      "resource",
      "variant",
      "uint32",
      "uint64",
      "float8_e5m2",
      "float8_e4m3fn",
      "float8_e4m3fnuz",
      "float8_e4m3b11fnuz",
      "float8_e5m2fnuz",
      "int4",
      "uint4",
  };
  return number < std::size(kNames) ? kNames[number] : std::string_view{};
}

bool trailing_number(std::string_view name, int64_t& number) {
  size_t first = name.size();
  while (first > 0 && name[first - 1] >= '0' && name[first - 1] <= '9') --first;
  if (first == name.size()) return false;
  const auto [end, error] = std::from_chars(name.data() + first, name.data() + name.size(), number);
  return error == std::errc{};
}

std::string_view scope_of(std::string_view name) {
  const size_t slash = name.rfind('/');
  return slash == std::string_view::npos ? std::string_view{} : name.substr(0, slash);
}

}  // namespace stepscope::profile::xspace
