// Which rank the threads of a trace belong to, by the labels that tools write when they merge the traces of all ranks into one file.
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>

#include "profile/kineto_event.hpp"
#include "profile/tables.hpp"

namespace stepscope::profile {

// A rank as labels name it: by its number in the job, or by its places in the job's parallel groups. Ordered as launchers count.
struct RankLabel {
  int64_t rank = kNone, pipeline = kNone, data = kNone, context = kNone, expert = kNone, tensor = kNone;

  auto operator<=>(const RankLabel&) const = default;
  bool known() const { return *this != RankLabel(); }
  // With what the other knows and this one does not; the number alone when there is one.
  RankLabel with(const RankLabel& other) const;
};

// "rank 3", "Rank 3 (host)", "DP rank [0]", "PP rank 1, TP rank 0", "[TP03] 1234"; ranks of a node are none of the job.
RankLabel rank_in(std::string_view text);

class KinetoRanks {
 public:
  // Keeps what an event tells of the rank of its process or thread; most tell nothing.
  void see(const TraceEvent& event);
  // Keeps the ranks that the file lists beside its events.
  void see(std::string_view key, const JsonValue& value);
  // Whether labels name at least two ranks.
  bool several() const { return several_; }
  // The rank of an event's thread; not known when no label tells it.
  RankLabel of(const TraceEvent& event) const;

 private:
  struct Told {
    RankLabel label;
    bool disagrees = false;  // events of it say different ranks
  };
  using Labels = std::unordered_map<std::string, Told>;

  void tell(Labels& labels, std::string key, const RankLabel& label);
  static const RankLabel* find(const Labels& labels, const std::string& key);

  Labels processes_, threads_, arguments_;  // arguments: of a thread, as its events say
  std::unordered_map<int64_t, bool> listed_;
  RankLabel first_;
  std::string last_process_;  // a text that was looked at
  bool several_ = false;
};

}  // namespace stepscope::profile
