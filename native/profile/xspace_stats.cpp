// Decoding of stats and of a plane's maps of names.
#include "profile/xspace_stats.hpp"

#include <bit>
#include <cmath>

namespace stepscope::profile::xspace {

using wire::Field;
using wire::Type;

int64_t RawStat::integer() const {
  if (form != Form::real) return static_cast<int64_t>(bits);
  const double value = std::bit_cast<double>(bits);
  return value > -9.2e18 && value < 9.2e18 ? static_cast<int64_t>(value) : kNone;
}

double RawStat::number() const {
  if (form == Form::real) return std::bit_cast<double>(bits);
  return form == Form::natural ? static_cast<double>(bits) : static_cast<double>(static_cast<int64_t>(bits));
}

bool read_stat(std::string_view bytes, RawStat& stat) {
  stat = {};
  Message message(bytes);
  Field field;
  while (message.next(field)) {
    switch (field.id) {
      case wire::XStat::metadata_id:
        stat.metadata_id = static_cast<int64_t>(field.bits);
        continue;
      case wire::XStat::double_value:
        stat.form = Form::real;
        if (field.type != Type::fixed64) return false;
        break;
      case wire::XStat::uint64_value:
        stat.form = Form::natural;
        break;
      case wire::XStat::int64_value:
        stat.form = Form::whole;
        break;
      case wire::XStat::ref_value:
        stat.form = Form::reference;
        break;
      case wire::XStat::str_value:
        stat.form = Form::text;
        break;
      case wire::XStat::bytes_value:
        stat.form = Form::bytes;
        break;
      default:
        continue;
    }
    const bool is_text = stat.form == Form::text || stat.form == Form::bytes;
    if (is_text != (field.type == Type::bytes)) return false;
    stat.bits = is_text ? 0 : field.bits;
    stat.text = message.bytes(field);
  }
  return message.ok();
}

void IdMap::set(int64_t id, int32_t place) {
  if (id < 0 || id >= most_small_) {
    large_[id] = place;
    return;
  }
  if (id >= static_cast<int64_t>(small_.size())) small_.resize(static_cast<size_t>(id) + 1, kNone);
  small_[static_cast<size_t>(id)] = place;
}

int32_t IdMap::find_large(int64_t id) const {
  const auto found = large_.find(id);
  return found == large_.end() ? kNone : found->second;
}

namespace {

// An entry of a protobuf map: a key and a message.
bool read_entry(std::string_view bytes, int64_t& key, std::string_view& value) {
  Message entry(bytes);
  Field field;
  key = 0;
  value = {};
  while (entry.next(field)) {
    if (field.id == wire::XMetadataEntry::key) key = static_cast<int64_t>(field.bits);
    if (field.id == wire::XMetadataEntry::value) value = entry.bytes(field);
  }
  return entry.ok();
}

}  // namespace

bool PlaneNames::add_stat(std::string_view entry) {
  int64_t id;
  std::string_view value, name;
  if (!read_entry(entry, id, value)) return false;
  Message metadata(value);
  Field field;
  while (metadata.next(field))
    if (field.id == wire::XStatMetadata::name) name = metadata.bytes(field);
  stat_ids_.set(id, static_cast<int32_t>(stats_.size()));
  stats_.emplace_back(name, stat_of(name));
  return metadata.ok();
}

bool PlaneNames::add_event(std::string_view entry) {
  int64_t id;
  std::string_view value;
  if (!read_entry(entry, id, value)) return false;
  EventName event;
  Message metadata(value);
  Field field;
  while (metadata.next(field)) {
    if (field.id == wire::XEventMetadata::name) event.name = metadata.bytes(field);
    if (field.id == wire::XEventMetadata::display_name) event.shown = metadata.bytes(field);
    if (field.id == wire::XEventMetadata::stats) event.stats.push_back(metadata.bytes(field));
  }
  if (event.shown.empty()) event.shown = event.name;
  event_ids_.set(id, static_cast<int32_t>(events_.size()));
  events_.push_back(std::move(event));
  return metadata.ok();
}

std::string_view PlaneNames::stat_name(int64_t id) const {
  const int32_t place = stat_ids_.find(id);
  return place < 0 ? std::string_view{} : stats_[static_cast<size_t>(place)].first;
}

}  // namespace stepscope::profile::xspace
