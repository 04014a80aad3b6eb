// Reads a trace that holds several ranks as one recording for each of them.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "profile/kineto_ranks.hpp"
#include "profile/kineto_reader.hpp"

namespace stepscope::profile {

// The tables of each rank, in the order of ranks; none when labels divide less than most of the spans among at least two.
// Throws std::system_error when the file cannot be opened.
std::vector<Tables> read_kineto_ranks(const Origin& origin, const std::vector<NameRule>& rules, const KinetoLimits& limits);

// Gives each event to the reader of its rank; names of what belongs to no single rank go to all.
class RankSplitter : public TraceSink {
 public:
  RankSplitter(const KinetoRanks& ranks, const std::vector<NameRule>& rules, const KinetoLimits& limits)
      : ranks_(ranks), rules_(rules), limits_(limits) {}

  void top_level(std::string_view key, const JsonValue& value) override;
  JsonCursor::State event(const char* begin, const char* end, uint64_t offset, const char*& after, uint32_t& odd_words) override;
  bool full() const override { return spans_ >= limits_.spans; }

  std::vector<Tables> finish(const TraceFaults& faults);

 private:
  struct Kept {  // text with padding behind it
    std::string key, text;
    size_t size;
    uint64_t offset;
    JsonKind kind;
  };

  KinetoReader* reader_of(const RankLabel& label);

  const KinetoRanks& ranks_;
  const std::vector<NameRule>& rules_;
  KinetoLimits limits_;
  std::map<RankLabel, std::unique_ptr<KinetoReader>> readers_;
  std::vector<Kept> beside_, names_;
  TraceEvent event_;
  uint64_t spans_ = 0, unranked_ = 0;
};

}  // namespace stepscope::profile
