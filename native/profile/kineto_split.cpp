// The second pass over a file of several ranks; the first has found their labels.
#include "profile/kineto_split.hpp"

#include <algorithm>

#include "profile/note_numbers.hpp"

namespace stepscope::profile {
namespace {

constexpr size_t kMostRanks = 1024;
constexpr size_t kMostKept = 10000;
constexpr uint64_t kEnough = 10;  // at most one span in so many may have no rank

class LabelScan : public TraceSink {
 public:
  explicit LabelScan(KinetoRanks& ranks) : ranks_(ranks) {}

  void top_level(std::string_view key, const JsonValue& value) override { ranks_.see(key, value); }
  JsonCursor::State event(const char* begin, const char* end, uint64_t, const char*& after, uint32_t& odd_words) override {
    JsonCursor cursor(begin, end);
    if (!event_.read(cursor)) return cursor.state();
    after = cursor.at();
    odd_words = cursor.odd_words();
    ranks_.see(event_);
    return JsonCursor::State::good;
  }
  bool full() const override { return false; }

 private:
  KinetoRanks& ranks_;
  TraceEvent event_;
};

std::string padded(std::string_view text) { return std::string(text).append(JsonCursor::kPadding, '\0'); }

}  // namespace

void RankSplitter::top_level(std::string_view key, const JsonValue& value) {
  if (beside_.size() < kMostKept) beside_.push_back({std::string(key), padded(value.raw), value.raw.size(), 0, value.kind});
}

KinetoReader* RankSplitter::reader_of(const RankLabel& label) {
  const auto found = readers_.find(label);
  if (found != readers_.end()) return found->second.get();
  if (readers_.size() >= kMostRanks) return nullptr;
  auto& reader = readers_[label] = std::make_unique<KinetoReader>(rules_, limits_);
  const char* ignored_end = nullptr;
  uint32_t ignored = 0;
  for (const Kept& name : names_) reader->event(name.text.data(), name.text.data() + name.size, name.offset, ignored_end, ignored);
  return reader.get();
}

JsonCursor::State RankSplitter::event(const char* begin, const char* end, uint64_t offset, const char*& after, uint32_t& odd_words) {
  JsonCursor cursor(begin, end);
  if (!event_.read(cursor)) return cursor.state();
  after = cursor.at();
  odd_words = cursor.odd_words();
  const RankLabel label = ranks_.of(event_);
  const bool is_name = event_.phase_letter() == 'M';
  spans_ += !is_name;
  // A process of several ranks has a label of its own, which is no rank where its threads have more of one.
  if (KinetoReader* const reader = label.known() && !is_name ? reader_of(label) : nullptr)
    return reader->event(begin, end, offset, after, odd_words);
  if (!is_name) {
    ++unranked_;
    return JsonCursor::State::good;
  }
  const std::string_view text(begin, static_cast<size_t>(after - begin));
  if (names_.size() < kMostKept) names_.push_back({{}, padded(text), text.size(), offset, JsonKind::object});
  for (auto& [_, reader] : readers_) reader->event(begin, end, offset, after, odd_words);
  return JsonCursor::State::good;
}

std::vector<Tables> RankSplitter::finish(const TraceFaults& faults) {
  std::vector<Tables> result;
  if (readers_.size() < 2 || unranked_ * kEnough > spans_) return result;
  std::vector<int64_t> starts;
  for (auto& [label, reader] : readers_) {
    for (const Kept& one : beside_) reader->top_level(one.key, {std::string_view(one.text).substr(0, one.size), one.kind, false});
    Tables tables = reader->finish(faults);
    if (tables.spans.start.empty()) continue;
    tables.rank = label.rank == kNone ? static_cast<int64_t>(result.size()) : label.rank;
    if (label.pipeline != kNone) tables.environment.emplace_back("pipeline_parallel_rank", std::to_string(label.pipeline));
    starts.push_back(reader->first_time());
    result.push_back(std::move(tables));
  }
  if (result.size() < 2) return {};
  const int64_t zero = *std::min_element(starts.begin(), starts.end());
  for (size_t place = 0; place < result.size(); ++place) {
    Tables& tables = result[place];
    std::erase_if(tables.notes, [](const Note& note) { return note.code == "several_ranks"; });
    tables.world_size = std::max(tables.world_size, static_cast<int64_t>(result.size()));
    // One file has one clock: the ranks keep their places on it.
    if (starts[place] - zero < kLongestRecording) shift_times(tables, zero - starts[place]);
    if (unranked_ > 0)
      tables.notes.push_back(
          {"info", "unranked_events",
           counted(unranked_, "event belongs to no rank and is left out.", "events belong to no rank and are left out.")});
  }
  return result;
}

std::vector<Tables> read_kineto_ranks(const Origin& origin, const std::vector<NameRule>& rules, const KinetoLimits& limits) {
  KinetoRanks ranks;
  {
    const std::unique_ptr<TraceSource> source = TraceSource::open(origin, {limits.bytes, limits.ratio});
    LabelScan labels(ranks);
    TraceScanner(*source, labels).run();
  }
  if (!ranks.several()) return {};
  const std::unique_ptr<TraceSource> source = TraceSource::open(origin, {limits.bytes, limits.ratio});
  RankSplitter splitter(ranks, rules, limits);
  TraceScanner scanner(*source, splitter);
  if (!scanner.run()) return {};
  return splitter.finish(scanner.faults());
}

}  // namespace stepscope::profile
