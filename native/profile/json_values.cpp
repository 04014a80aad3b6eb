// Conversion of JSON slices, with a quick way for what profilers write and a slow one for the rest.
#include "profile/json_values.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

namespace stepscope::profile {
namespace {

constexpr int64_t kLatest = int64_t{1} << 61;  // nanoseconds: the year 2043; the difference of any two times must still be a number

bool is_digit(char c) { return c >= '0' && c <= '9'; }

std::string_view number_text(const JsonValue& value) {
  if (value.kind != JsonKind::bare && value.kind != JsonKind::text) return {};
  std::string_view text = value.raw;
  while (!text.empty() && static_cast<uint8_t>(text.front()) <= ' ') text.remove_prefix(1);
  return text;
}

int64_t from_double(double number, int64_t otherwise) {
  if (std::isnan(number)) return otherwise;
  if (number >= 9.2e18) return std::numeric_limits<int64_t>::max();
  if (number <= -9.2e18) return std::numeric_limits<int64_t>::min();
  return static_cast<int64_t>(number);
}

bool parse_double(std::string_view text, double& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error == std::errc::result_out_of_range) return false;
  return end != text.data();
}

JsonTime time_from_double(double microseconds) {
  const double limit = static_cast<double>(kLatest);
  const double ns = std::clamp(microseconds * 1000, -limit, limit);
  const double whole = std::floor(ns);
  return {static_cast<int64_t>(whole), std::min(999, static_cast<int>((ns - whole) * 1000))};
}

void put_utf8(std::string& into, uint32_t code) {
  if (code < 0x80) {
    into += static_cast<char>(code);
  } else if (code < 0x800) {
    into += static_cast<char>(0xc0 | code >> 6);
    into += static_cast<char>(0x80 | (code & 0x3f));
  } else if (code < 0x10000) {
    into += static_cast<char>(0xe0 | code >> 12);
    into += static_cast<char>(0x80 | ((code >> 6) & 0x3f));
    into += static_cast<char>(0x80 | (code & 0x3f));
  } else {
    into += static_cast<char>(0xf0 | code >> 18);
    into += static_cast<char>(0x80 | ((code >> 12) & 0x3f));
    into += static_cast<char>(0x80 | ((code >> 6) & 0x3f));
    into += static_cast<char>(0x80 | (code & 0x3f));
  }
}

bool hex4(std::string_view text, uint32_t& code) {
  if (text.size() < 4) return false;
  const auto [end, error] = std::from_chars(text.data(), text.data() + 4, code, 16);
  return error == std::errc() && end == text.data() + 4;
}

}  // namespace

int64_t json_integer(const JsonValue& value, int64_t otherwise) {
  std::string_view text = number_text(value);
  const bool negative = !text.empty() && text[0] == '-';
  size_t at = negative ? 1 : 0;
  if (at >= text.size()) return otherwise;
  if (text.size() - at > 2 && text[at] == '0' && (text[at + 1] == 'x' || text[at + 1] == 'X')) {
    uint64_t number = 0;
    const auto [end, error] = std::from_chars(text.data() + at + 2, text.data() + text.size(), number, 16);
    return error == std::errc() ? static_cast<int64_t>(negative ? ~number + 1 : number) : otherwise;
  }
  if (!is_digit(text[at])) return otherwise;
  const size_t first = at;
  uint64_t number = 0;
  while (at < text.size() && is_digit(text[at]) && at - first < 18) number = number * 10 + static_cast<uint64_t>(text[at++] - '0');
  if (at == text.size()) return negative ? -static_cast<int64_t>(number) : static_cast<int64_t>(number);
  if (is_digit(text[at])) {  // addresses need all 64 bits
    const auto [end, error] = std::from_chars(text.data() + first, text.data() + text.size(), number);
    if (error == std::errc() && end == text.data() + text.size()) return static_cast<int64_t>(negative ? ~number + 1 : number);
  }
  double real = 0;
  return parse_double(text, real) ? from_double(real, otherwise) : otherwise;
}

double json_number(const JsonValue& value, double otherwise) {
  const std::string_view text = number_text(value);
  double number = 0;
  return !text.empty() && parse_double(text, number) ? number : otherwise;
}

bool json_time(const JsonValue& value, JsonTime& time) {
  const std::string_view text = number_text(value);
  const bool negative = !text.empty() && text[0] == '-';
  size_t at = negative ? 1 : 0;
  const size_t first = at;
  uint64_t whole = 0;
  while (at < text.size() && is_digit(text[at]) && at - first < 16) whole = whole * 10 + static_cast<uint64_t>(text[at++] - '0');
  if (at == first) return false;
  uint32_t fraction = 0, digits = 0;
  if (at < text.size() && text[at] == '.') {
    for (++at; at < text.size() && is_digit(text[at]); ++at)
      if (digits < 6) fraction = fraction * 10 + static_cast<uint32_t>(text[at] - '0'), ++digits;
  }
  if (at < text.size()) {  // an exponent, or more digits than a clock has
    double number = 0;
    if (!parse_double(text, number) || !std::isfinite(number)) return false;
    time = time_from_double(number);
    return true;
  }
  for (; digits < 6; ++digits) fraction *= 10;
  if (whole > static_cast<uint64_t>(kLatest / 1000)) whole = static_cast<uint64_t>(kLatest / 1000);
  const int64_t ns = static_cast<int64_t>(whole) * 1000 + fraction / 1000;
  const auto ps = static_cast<int32_t>(fraction % 1000);
  if (!negative)
    time = {ns, ps};
  else
    time = ps == 0 ? JsonTime{-ns, 0} : JsonTime{-ns - 1, 1000 - ps};
  return true;
}

int64_t rounded(JsonTime time) { return time.ns + (time.ps >= 500 ? 1 : 0); }

int64_t rounded_sum(JsonTime start, JsonTime length) {
  const int32_t ps = start.ps + length.ps;
  const int64_t most = kLatest - std::min<int64_t>(start.ns, kLatest);
  return start.ns + std::min(length.ns, most) + (ps + 500) / 1000;
}

std::string_view json_text(const JsonValue& value, std::string& scratch, uint32_t& odd_escapes) {
  if (value.kind != JsonKind::text || !value.escaped) return value.raw;
  scratch.clear();
  const std::string_view raw = value.raw;
  for (size_t i = 0; i < raw.size(); ++i) {
    if (raw[i] != '\\' || i + 1 == raw.size()) {
      scratch += raw[i];
      continue;
    }
    uint32_t code = 0, low = 0;
    switch (raw[++i]) {
      case '"':
      case '\\':
      case '/':
        scratch += raw[i];
        break;
      case 'b':
        scratch += '\b';
        break;
      case 'f':
        scratch += '\f';
        break;
      case 'n':
        scratch += '\n';
        break;
      case 'r':
        scratch += '\r';
        break;
      case 't':
        scratch += '\t';
        break;
      case 'u':
        if (hex4(raw.substr(i + 1), code)) {
          i += 4;
          if (code >= 0xd800 && code < 0xdc00 && raw.substr(i + 1, 2) == "\\u" && hex4(raw.substr(std::min(i + 3, raw.size())), low) &&
              low >= 0xdc00 && low < 0xe000) {
            code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
            i += 6;
          }
          put_utf8(scratch, code >= 0xd800 && code < 0xe000 ? 0xfffd : code);
          break;
        }
        [[fallthrough]];
      default:
        ++odd_escapes;
        scratch += '\\';
        scratch += raw[i];
    }
  }
  return scratch;
}

}  // namespace stepscope::profile
