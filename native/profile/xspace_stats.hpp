// Stats of an XSpace file and the names a plane gives them: the numbers and texts that hang on events, planes and metadata.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "profile/tables.hpp"
#include "profile/xspace_rules.hpp"
#include "wire/fields.hpp"
#include "wire/reader.hpp"

namespace stepscope::profile::xspace {

enum class Form : uint8_t { none, real, natural, whole, text, bytes, reference };

struct RawStat {
  int64_t metadata_id = 0;
  uint64_t bits = 0;  // of a number, or the metadata id a reference points to
  std::string_view text;
  Form form = Form::none;

  bool is_number() const { return form == Form::real || form == Form::natural || form == Form::whole; }
  int64_t integer() const;
  double number() const;
};

// Reads one XStat; false when it is malformed.
bool read_stat(std::string_view bytes, RawStat& stat);

// A map from ids to places in a list. Ids are small in practice, but any 64 bits may come; the table of small ids is bounded by the
// bytes they were read from.
class IdMap {
 public:
  explicit IdMap(size_t bytes) : most_small_(static_cast<int64_t>(bytes / 4 + 64)) {}
  void set(int64_t id, int32_t place);
  int32_t find(int64_t id) const {
    if (id >= 0 && id < static_cast<int64_t>(small_.size())) return small_[static_cast<size_t>(id)];
    return large_.empty() ? kNone : find_large(id);
  }

 private:
  int32_t find_large(int64_t id) const;
  int64_t most_small_;
  std::vector<int32_t> small_;
  std::unordered_map<int64_t, int32_t> large_;
};

// A plane's name for a kind of event.
struct EventName {
  EventName() = default;
  explicit EventName(std::string_view text) : name(text), shown(text) {}

  std::string_view name, shown;  // the shown one is shorter where there are two
  std::vector<std::string_view> stats;
};

class PlaneNames {
 public:
  explicit PlaneNames(size_t bytes) : stat_ids_(bytes), event_ids_(bytes) {}

  // Take one entry of the plane's maps; false when it is malformed.
  bool add_stat(std::string_view entry);
  bool add_event(std::string_view entry);

  Stat stat(int64_t id) const {
    const int32_t place = stat_ids_.find(id);
    return place < 0 ? Stat::other : stats_[static_cast<size_t>(place)].second;
  }
  std::string_view stat_name(int64_t id) const;
  // The text of a stat, through a reference when it is one.
  std::string_view text(const RawStat& stat) const {
    return stat.form == Form::reference ? stat_name(static_cast<int64_t>(stat.bits)) : stat.text;
  }

  // The place of an event's name, kNone for all that have no metadata: they share a name of their own.
  int32_t place(int64_t id) const { return event_ids_.find(id); }
  const EventName& at(int32_t place) const { return place < 0 ? unknown_ : events_[static_cast<size_t>(place)]; }
  const std::vector<EventName>& events() const { return events_; }

 private:
  std::vector<std::pair<std::string_view, Stat>> stats_;
  std::vector<EventName> events_;
  EventName unknown_{"(unnamed event)"};
  IdMap stat_ids_, event_ids_;
};

// The stats of one event that the reader knows, by what they are.
class StatValues {
 public:
  void clear() { seen_ = 0; }
  void set(Stat stat, const RawStat& value) {
    values_[static_cast<size_t>(stat)] = value;
    seen_ |= bit(stat);
  }
  bool has(Stat stat) const { return seen_ & bit(stat); }
  bool any() const { return seen_ & ~bit(Stat::other); }
  const RawStat& operator[](Stat stat) const { return values_[static_cast<size_t>(stat)]; }
  int64_t integer(Stat stat, int64_t otherwise = kNone) const { return has(stat) ? (*this)[stat].integer() : otherwise; }

 private:
  static constexpr uint64_t bit(Stat stat) { return uint64_t{1} << static_cast<unsigned>(stat); }
  static_assert(kStats <= 64);
  uint64_t seen_ = 0;
  std::array<RawStat, kStats> values_;
};

// Walks a message that is all in memory.
class Message {
 public:
  explicit Message(std::string_view bytes) : bytes_(bytes), space_(bytes), fields_(space_, 0, bytes.size()) {}
  Message(const Message&) = delete;
  Message& operator=(const Message&) = delete;
  bool next(wire::Field& field) { return fields_.next(field); }
  bool ok() const { return fields_.ok(); }
  std::string_view bytes(const wire::Field& field) const {
    return field.type == wire::Type::bytes ? bytes_.substr(static_cast<size_t>(field.offset), static_cast<size_t>(field.length))
                                           : std::string_view{};
  }

 private:
  std::string_view bytes_;
  wire::MemorySpace space_;
  wire::FieldWalker<wire::MemorySpace> fields_;
};

}  // namespace stepscope::profile::xspace
