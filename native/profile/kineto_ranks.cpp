// Labels of ranks, and what they say of a thread.
#include "profile/kineto_ranks.hpp"

#include <algorithm>
#include <utility>

#include "profile/json_values.hpp"

namespace stepscope::profile {
namespace {

constexpr size_t kMostLabels = 1 << 16;
constexpr size_t kLongestLabel = 256;
constexpr int64_t kLargestRank = 1 << 24;

constexpr std::pair<std::string_view, int64_t RankLabel::*> kPlaces[] = {
    {"pp", &RankLabel::pipeline}, {"dp", &RankLabel::data},   {"cp", &RankLabel::context},
    {"ep", &RankLabel::expert},   {"tp", &RankLabel::tensor},
};

bool is_letter(char c) { return c >= 'a' && c <= 'z'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

int64_t RankLabel::* place_called(std::string_view word) {
  const auto* found = std::find_if(std::begin(kPlaces), std::end(kPlaces), [&](const auto& one) { return one.first == word; });
  return found == std::end(kPlaces) ? nullptr : found->second;
}

// The number at a place of the text, kNone when there is none; `at` is moved behind it.
int64_t number_at(std::string_view text, size_t& at) {
  int64_t number = 0;
  const size_t begin = at;
  for (; at < text.size() && is_digit(text[at]); ++at) number = std::min(number * 10 + (text[at] - '0'), kLargestRank);
  return at == begin || number >= kLargestRank || (at < text.size() && is_letter(text[at])) ? kNone : number;
}

// The word that ends before a place, blanks and dashes between them left out.
std::string_view word_before(std::string_view text, size_t at) {
  while (at > 0 && (text[at - 1] == ' ' || text[at - 1] == '_' || text[at - 1] == '-')) --at;
  size_t begin = at;
  while (begin > 0 && is_letter(text[begin - 1])) --begin;
  return text.substr(begin, at - begin);
}

// Every "rank 3" of the text, whatever stands between the word and the number.
void read_ranks(std::string_view text, RankLabel& label) {
  static constexpr std::string_view kWord = "rank", kBetween = " _-:#=[(";
  for (size_t found = text.find(kWord); found != std::string_view::npos; found = text.find(kWord, found + 1)) {
    if (found > 0 && is_letter(text[found - 1])) continue;
    size_t at = found + kWord.size();
    while (at < text.size() && kBetween.find(text[at]) != std::string_view::npos) ++at;
    const int64_t number = number_at(text, at);
    const std::string_view whose = word_before(text, found);
    if (number == kNone || whose == "local" || whose == "node") continue;
    int64_t RankLabel::* const place = place_called(whose);
    int64_t& into = place ? label.*place : label.rank;
    if (into == kNone) into = number;
  }
}

// "[TP03-EP01] …", as servers' merging tools begin a process.
void read_tags(std::string_view text, RankLabel& label) {
  if (!text.starts_with('[')) return;
  const std::string_view tags = text.substr(1, text.find(']') == std::string_view::npos ? 0 : text.find(']') - 1);
  for (size_t at = 0; at < tags.size();) {
    const size_t begin = at;
    while (at < tags.size() && is_letter(tags[at])) ++at;
    int64_t RankLabel::* const place = place_called(tags.substr(begin, at - begin));
    if (place && at < tags.size() && (tags[at] == '-' || tags[at] == '_')) ++at;
    const int64_t number = number_at(tags, at);
    if (place && number != kNone && label.*place == kNone) label.*place = number;
    at = std::max(at, begin + 1);
  }
}

std::string key_of(const JsonValue& process) { return std::string(process.raw.substr(0, kLongestLabel)); }

std::string key_of(const JsonValue& process, const JsonValue& thread) {
  return key_of(process).append(1, '\0').append(thread.raw.substr(0, kLongestLabel));
}

RankLabel numbered(int64_t rank) {
  RankLabel label;
  if (rank >= 0 && rank < kLargestRank) label.rank = rank;
  return label;
}

}  // namespace

RankLabel RankLabel::with(const RankLabel& other) const {
  RankLabel both = *this;
  if (both.rank == kNone) both.rank = other.rank;
  if (both.rank != kNone) return numbered(both.rank);
  for (const auto& [_, place] : kPlaces)
    if (both.*place == kNone) both.*place = other.*place;
  return both;
}

RankLabel rank_in(std::string_view text) {
  std::string small(text.substr(0, kLongestLabel));
  for (char& c : small)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c + 32);
  RankLabel label;
  read_ranks(small, label);
  read_tags(small, label);
  return label.with({});
}

void KinetoRanks::tell(Labels& labels, std::string key, const RankLabel& label) {
  if (!label.known() || labels.size() >= kMostLabels) return;
  const auto [found, fresh] = labels.try_emplace(std::move(key), Told{label});
  found->second.disagrees |= !fresh && found->second.label != label;
  if (!first_.known()) first_ = label;
  several_ |= first_ != label;
}

const RankLabel* KinetoRanks::find(const Labels& labels, const std::string& key) {
  const auto found = labels.find(key);
  return found == labels.end() || found->second.disagrees ? nullptr : &found->second.label;
}

void KinetoRanks::see(const TraceEvent& event) {
  if (event.process.kind == JsonKind::text && event.process.raw != last_process_) {
    last_process_ = event.process.raw;
    tell(processes_, key_of(event.process), rank_in(event.process.raw));
  }
  if (const JsonValue* rank = event.find(Arg::rank))
    tell(arguments_, key_of(event.process, event.thread), numbered(json_integer(*rank, kNone)));
  if (event.phase_letter() != 'M') return;
  const bool of_thread = event.name.raw == "thread_name";
  if (!of_thread && event.name.raw != "process_name" && event.name.raw != "process_labels") return;
  const JsonValue text = event.get(event.name.raw == "process_labels" ? Arg::labels : Arg::name);
  if (text.kind != JsonKind::text) return;
  if (of_thread)
    tell(threads_, key_of(event.process, event.thread), rank_in(text.raw));
  else
    tell(processes_, key_of(event.process), rank_in(text.raw));
}

void KinetoRanks::see(std::string_view key, const JsonValue& value) {
  if (key != "distributedInfo" || value.kind != JsonKind::array) return;
  JsonCursor cursor(value.raw);
  cursor.array([&] {
    if (cursor.next() != '{') {
      cursor.value();
      return;
    }
    cursor.object([&](std::string_view name) {
      const JsonValue one = cursor.value();
      const int64_t rank = name == "rank" ? json_integer(one, kNone) : kNone;
      if (rank >= 0 && rank < kLargestRank && listed_.size() < kMostLabels) listed_[rank] = true;
    });
  });
  several_ |= listed_.size() > 1;
}

RankLabel KinetoRanks::of(const TraceEvent& event) const {
  const std::string process = key_of(event.process), thread = key_of(event.process, event.thread);
  RankLabel label;
  for (const RankLabel* told : {find(arguments_, thread), find(threads_, thread), find(processes_, process)})
    if (told) label = label.with(*told);
  if (label.known() || !processes_.empty() || !threads_.empty() || !arguments_.empty()) return label;
  const int64_t number = json_integer(event.process, kNone);  // without labels, a process that has the number of a listed rank is it
  return listed_.contains(number) ? numbered(number) : label;
}

}  // namespace stepscope::profile
