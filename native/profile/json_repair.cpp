// Rewriting of broken JSON, one object at a time.
#include "profile/json_repair.hpp"

#include <algorithm>

namespace stepscope::profile {
namespace {

constexpr size_t kLongestText = size_t{1} << 20;
constexpr size_t kLongestKey = 256;

bool is_space(char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; }
bool is_hex(char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }

class Rewriter {
 public:
  Rewriter(std::string_view text, bool last, std::string& into) : text_(text), last_(last), into_(into) {}

  JsonRepair run() {
    into_.clear();
    if (text_.empty() || text_[0] != '{') return result(JsonCursor::State::bad);
    while (true) {
      const JsonCursor::State state = step();
      if (state == JsonCursor::State::bad) return result(state);
      if (state == JsonCursor::State::more) return last_ ? close_all() : result(state);
      if (open_.empty()) return result(JsonCursor::State::good);
    }
  }

 private:
  enum class Expects : uint8_t { key_or_end, colon, value, value_or_end, comma_or_end };

  JsonRepair result(JsonCursor::State state) const { return {state, std::max(at_, looked_), at_, changes_}; }

  char peek(size_t at) const { return at < text_.size() ? text_[at] : '\0'; }
  size_t skip(size_t at) const {
    while (at < text_.size() && is_space(text_[at])) ++at;
    return at;
  }

  // What was cut off is closed so that all before it can be used; a key without its value is taken back.
  JsonRepair close_all() {
    at_ = text_.size();
    if (open_.empty()) return result(JsonCursor::State::bad);
    ++changes_;
    into_.resize(complete_);
    while (!open_.empty()) {
      into_ += open_.back() == '{' ? '}' : ']';
      open_.pop_back();
    }
    return result(JsonCursor::State::good);
  }

  void open(char bracket) {
    into_ += bracket;
    open_ += bracket;
    ++at_;
    complete_ = into_.size();
    expects_ = bracket == '{' ? Expects::key_or_end : Expects::value_or_end;
  }

  void close() {
    if (!into_.empty() && into_.back() == ',') into_.pop_back(), ++changes_;
    const char wanted = open_.back() == '{' ? '}' : ']';
    if (text_[at_] != wanted) ++changes_;
    into_ += wanted;
    open_.pop_back();
    ++at_;
    done_value();
  }

  void done_value() {
    complete_ = into_.size();
    expects_ = Expects::comma_or_end;
  }

  JsonCursor::State step() {
    using State = JsonCursor::State;
    if (open_.size() > static_cast<size_t>(JsonCursor::kDeepest)) return State::bad;
    at_ = skip(at_);
    if (at_ >= text_.size()) return State::more;
    const char c = text_[at_];
    if (open_.empty()) {
      open('{');
      return State::good;
    }
    switch (expects_) {
      case Expects::key_or_end:
        if (c == '}' || c == ']') {
          close();
        } else if (c == ',') {
          ++at_, ++changes_;
        } else if (c == '"') {
          expects_ = Expects::colon;
          return read_text(true);
        } else if (c == '{' && open_.size() == 1) {  // the next event begins: this one's end is missing
          if (into_.back() == ',') into_.pop_back();
          into_ += '}';
          open_.clear();
          ++changes_;
        } else {
          return State::bad;
        }
        return State::good;
      case Expects::colon:
        if (c != ':') return State::bad;
        into_ += ':';
        ++at_;
        expects_ = Expects::value;
        return State::good;
      case Expects::value_or_end:
        if (c == ']' || c == '}') {
          close();
          return State::good;
        }
        [[fallthrough]];
      case Expects::value:
        return read_value(c);
      case Expects::comma_or_end:
        if (c == '}' || c == ']') {
          close();
          return State::good;
        }
        into_ += ',';
        if (c == ',')
          ++at_;
        else
          ++changes_;
        expects_ = open_.back() == '{' ? Expects::key_or_end : Expects::value_or_end;
        return State::good;
    }
    return State::bad;
  }

  JsonCursor::State read_value(char c) {
    if (c == '{' || c == '[') {
      open(c);
      return JsonCursor::State::good;
    }
    if (c == '"') {
      const JsonCursor::State state = read_text(false);
      if (state == JsonCursor::State::good) done_value();
      return state;
    }
    const size_t first = at_;
    size_t end = first;
    while (end < text_.size() && text_[end] != ',' && text_[end] != '}' && text_[end] != ']' && text_[end] != '\n') ++end;
    if (end >= text_.size()) return JsonCursor::State::more;
    at_ = end;
    while (end > first && is_space(text_[end - 1])) --end;
    put_word(text_.substr(first, end - first));
    done_value();
    return JsonCursor::State::good;
  }

  void put_word(std::string_view word) {
    const size_t digit = !word.empty() && word[0] == '-' ? 1 : 0;
    if (word == "null" || word == "true" || word == "false" ||
        (word.size() > digit && word[digit] >= '0' && word[digit] <= '9' &&
         word.find_first_not_of("0123456789+-.eE", digit) == std::string_view::npos)) {
      into_ += word;
      return;
    }
    ++changes_;
    if (word.empty()) {
      into_ += "null";
    } else if (word == "inf" || word == "+inf" || word == "Infinity") {
      into_ += "Infinity";
    } else if (word == "-inf" || word == "-Infinity") {
      into_ += "-Infinity";
    } else if (word == "nan" || word == "-nan" || word == "NaN") {
      into_ += "NaN";
    } else {
      into_ += '"';
      for (const char c : word) put_plain(c);
      into_ += '"';
    }
  }

  void put_plain(char c) {
    static constexpr char kHex[] = "0123456789abcdef";
    if (c == '"' || c == '\\') {
      into_ += '\\';
      into_ += c;
    } else if (static_cast<uint8_t>(c) < ' ') {
      ++changes_;
      into_ += "\\u00";
      into_ += kHex[static_cast<uint8_t>(c) >> 4];
      into_ += kHex[c & 15];
    } else {
      into_ += c;
    }
  }

  // Whether a quote here can end the text: what follows must go on as an object or array does.
  bool can_close(size_t quote, bool is_key) const {
    const size_t after = skip(quote + 1);
    const char c = peek(after);
    if (is_key) return c == ':';
    const bool in_object = open_.back() == '{';
    if (c == ',') return follows_comma(skip(after + 1), in_object);
    if (c == (in_object ? '}' : ']')) {
      const char beyond = peek(skip(after + 1));
      return beyond == ',' || beyond == '}' || beyond == ']' || beyond == '\0';
    }
    return c == '\0' && last_;
  }

  bool follows_comma(size_t at, bool in_object) const {
    const char c = peek(at);
    if (!in_object)
      return c == '"' || c == '[' || c == '{' || c == ']' || c == '-' || (c >= '0' && c <= '9') || c == 't' || c == 'f' || c == 'n';
    if (c == '}') return true;
    if (c != '"') return false;
    for (size_t i = at + 1; i < text_.size() && i < at + kLongestKey; ++i) {
      if (text_[i] == '"') return peek(skip(i + 1)) == ':';
      if (text_[i] == '\\' || text_[i] == '\n') return false;
    }
    return false;
  }

  // Whether a line that follows begins another event: then the text before it has no end.
  bool begins_event(size_t line) const {
    const size_t at = skip(line + 1);
    return peek(at) == '{' && text_.substr(std::min(text_.size(), skip(at + 1)), 4) == "\"ph\"";
  }

  JsonCursor::State read_text(bool is_key) {
    const size_t first = ++at_;
    into_ += '"';
    for (size_t i = first; i < text_.size(); ++i) {
      const char c = text_[i];
      looked_ = i;
      if (i - first > (is_key ? kLongestKey : kLongestText)) return JsonCursor::State::bad;
      if (c == '\n' && (is_key || begins_event(i))) return JsonCursor::State::bad;
      if (c == '"') {
        if (can_close(i, is_key)) {
          into_ += '"';
          at_ = i + 1;
          return JsonCursor::State::good;
        }
        ++changes_;
        into_ += "\\\"";
      } else if (c == '\\') {
        i = put_escape(i, is_key);
      } else {
        put_plain(c);
      }
    }
    return JsonCursor::State::more;
  }

  // A backslash: part of an escape, or one that stands for itself. Returns the last byte it took.
  size_t put_escape(size_t at, bool is_key) {
    const char c = peek(at + 1);
    static constexpr std::string_view kSimple = "\\/bfnrt";
    if (c == '"' && !can_close(at + 1, is_key)) {
      into_ += "\\\"";
      return at + 1;
    }
    if (c != '\0' && kSimple.find(c) != std::string_view::npos) {
      into_ += '\\';
      into_ += c;
      return at + 1;
    }
    if (c == 'u' && is_hex(peek(at + 2)) && is_hex(peek(at + 3)) && is_hex(peek(at + 4)) && is_hex(peek(at + 5))) {
      into_ += text_.substr(at, 6);
      return at + 5;
    }
    ++changes_;
    into_ += "\\\\";
    return at;
  }

  std::string_view text_;
  bool last_;
  std::string& into_;
  std::string open_;  // the brackets that are open
  size_t at_ = 0;
  size_t looked_ = 0;
  size_t complete_ = 0;  // how much of `into_` makes sense when the rest is missing
  uint32_t changes_ = 0;
  Expects expects_ = Expects::key_or_end;
};

}  // namespace

JsonRepair repair_object(std::string_view text, bool last, std::string& into) { return Rewriter(text, last, into).run(); }

}  // namespace stepscope::profile
