// Walks JSON text in one pass over bytes in memory, keeping slices instead of making values. It is loose: what follows a value is
// checked where members are counted, and everything a strict reader would refuse for its own sake (bare words, control characters,
// unknown escapes) passes. Text must be followed by kPadding readable bytes.
#pragma once

#include <bit>
#include <cstdint>
#include <string_view>

#include "wire/little_endian.hpp"

#if defined(__SSE2__) || defined(_M_X64)
#include <emmintrin.h>
#define STEPSCOPE_JSON_SSE2 1
#endif

namespace stepscope::profile {

enum class JsonKind : uint8_t { none, text, bare, object, array };

// A value as it stands in the file: text without its quotes, everything else whole.
struct JsonValue {
  std::string_view raw;
  JsonKind kind = JsonKind::none;
  bool escaped = false;  // text that holds a backslash
  explicit operator bool() const { return kind != JsonKind::none; }
};

class JsonCursor {
 public:
  static constexpr size_t kPadding = 64;
  static constexpr int kDeepest = 200;
  enum class State : uint8_t { good, more, bad };  // more: the text ends too early

  JsonCursor(const char* at, const char* end) : at_(at), end_(end) {}
  explicit JsonCursor(std::string_view padded) : JsonCursor(padded.data(), padded.data() + padded.size()) {}

  const char* at() const { return at_; }
  State state() const { return state_; }
  bool good() const { return state_ == State::good; }
  uint32_t odd_words() const { return odd_words_; }  // bare words that JSON does not know

  // The next byte that is no white space; 0 at the end.
  char next() {
    while (at_ < end_ && static_cast<uint8_t>(*at_) <= ' ') ++at_;
    return at_ < end_ ? *at_ : '\0';
  }

  bool take(char expected) {
    if (next() == expected && at_ < end_) {
      ++at_;
      return true;
    }
    return fail();
  }

  // Calls `member(key)` at each value of an object, which must read or skip it.
  template <class Member>
  bool object(Member&& member) {
    if (!take('{')) return false;
    if (next() == '}') return take('}');
    while (good()) {
      std::string_view key;
      bool escaped = false;
      if (next() != '"') return fail();
      if (!text(key, escaped) || !take(':')) return false;
      member(key);
      if (!good()) return false;
      const char after = next();
      if (after == '}') return take('}');
      if (after != ',') return fail();
      ++at_;
      if (next() == '}') return take('}');  // a comma too many
    }
    return false;
  }

  // Calls `element()` at each value of an array, which must read or skip it.
  template <class Element>
  bool array(Element&& element) {
    if (!take('[')) return false;
    if (next() == ']') return take(']');
    while (good()) {
      element();
      if (!good()) return false;
      const char after = next();
      if (after == ']') return take(']');
      if (after != ',') return fail();
      ++at_;
      if (next() == ']') return take(']');
    }
    return false;
  }

  JsonValue value() {
    JsonValue result;
    switch (next()) {
      case '"':
        result.kind = JsonKind::text;
        text(result.raw, result.escaped);
        break;
      case '{':
        result.kind = JsonKind::object;
        container(result.raw);
        break;
      case '[':
        result.kind = JsonKind::array;
        container(result.raw);
        break;
      case '\0':
        fail();
        break;
      default:
        result.kind = JsonKind::bare;
        bare(result.raw);
    }
    if (!good()) result.kind = JsonKind::none;
    return result;
  }

  bool fail() {
    state_ = at_ >= end_ ? State::more : State::bad;
    return false;
  }

 private:
  // The first quote or backslash from `p` on, or the end.
  const char* find_special(const char* p) const {
#if defined(STEPSCOPE_JSON_SSE2)
    const __m128i quote = _mm_set1_epi8('"'), slash = _mm_set1_epi8('\\');
    for (; p < end_; p += 16) {
      const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(p));
      const auto found =
          static_cast<unsigned>(_mm_movemask_epi8(_mm_or_si128(_mm_cmpeq_epi8(bytes, quote), _mm_cmpeq_epi8(bytes, slash))));
      if (found) {
        p += std::countr_zero(found);
        return p < end_ ? p : end_;
      }
    }
#else
    constexpr uint64_t kOnes = 0x0101010101010101u, kHigh = 0x8080808080808080u;
    for (; p < end_; p += 8) {
      const auto word = wire::little_endian<uint64_t>(p);
      const uint64_t a = word ^ (kOnes * '"'), b = word ^ (kOnes * '\\');
      const uint64_t found = (((a - kOnes) & ~a) | ((b - kOnes) & ~b)) & kHigh;
      if (found) {
        p += std::countr_zero(found) / 8;
        return p < end_ ? p : end_;
      }
    }
#endif
    return end_;
  }

  bool text(std::string_view& raw, bool& escaped) {
    const char* const first = ++at_;
    for (const char* p = first;;) {
      p = find_special(p);
      if (p >= end_) {
        at_ = end_;
        return fail();
      }
      if (*p == '"') {
        raw = {first, static_cast<size_t>(p - first)};
        at_ = p + 1;
        return true;
      }
      escaped = true;
      p += 2;
    }
  }

  static bool ends_bare(char c) { return c == ',' || c == '}' || c == ']' || static_cast<uint8_t>(c) <= ' '; }

  bool bare(std::string_view& raw) {
    const char* const first = at_;
    while (at_ < end_ && !ends_bare(*at_)) ++at_;
    if (at_ >= end_ || at_ == first) return fail();
    raw = {first, static_cast<size_t>(at_ - first)};
    if (!is_known(raw)) ++odd_words_;
    return true;
  }

  static bool is_known(std::string_view word) {
    const char c = word[0] == '-' && word.size() > 1 ? word[1] : word[0];
    return (c >= '0' && c <= '9') || word == "null" || word == "true" || word == "false";
  }

  // Skips an object or array by counting brackets outside texts.
  bool container(std::string_view& raw) {
    const char* const first = at_;
    int depth = 0;
    while (at_ < end_) {
      const char c = *at_;
      if (c == '"') {
        std::string_view ignored;
        bool escaped = false;
        if (!text(ignored, escaped)) return false;
        continue;
      }
      ++at_;
      if (c == '{' || c == '[') {
        if (++depth > kDeepest) {
          state_ = State::bad;
          return false;
        }
      } else if ((c == '}' || c == ']') && --depth == 0) {
        raw = {first, static_cast<size_t>(at_ - first)};
        return true;
      }
    }
    return fail();
  }

  const char* at_;
  const char* end_;
  State state_ = State::good;
  uint32_t odd_words_ = 0;
};

}  // namespace stepscope::profile
