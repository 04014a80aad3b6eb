// Reads one event again with all its stats, when somebody asks what they are.
#include "profile/xspace_details.hpp"
#include "profile/xspace_planes.hpp"
#include "profile/xspace_reader.hpp"

namespace stepscope::profile::xspace {
namespace {

using wire::Field;

using Arguments = std::vector<std::pair<std::string, Argument>>;

Argument value_of(const PlaneNames& names, const RawStat& stat) {
  switch (stat.form) {
    case Form::real:
      return stat.number();
    case Form::natural:
      return stat.bits;
    case Form::whole:
      return stat.integer();
    case Form::bytes:
      return std::to_string(stat.text.size()) + " bytes";
    default:
      return std::string(names.text(stat));
  }
}

void add_stat(const PlaneNames& names, std::string_view raw, Arguments& arguments) {
  RawStat stat;
  if (!read_stat(raw, stat)) return;
  const std::string_view name = names.stat_name(stat.metadata_id);
  arguments.emplace_back(name.empty() ? "stat " + std::to_string(stat.metadata_id) : std::string(name), value_of(names, stat));
}

// The plane whose bytes hold the place; nothing else of the file is looked into.
std::string_view plane_around(std::string_view file, uint64_t place) {
  Message message(file);
  Field field;
  while (message.next(field))
    if (field.id == wire::XSpace::planes && field.type == wire::Type::bytes && place >= field.offset &&
        place - field.offset < field.length)
      return message.bytes(field);
  return {};
}

}  // namespace

Arguments read_arguments(std::string_view file, uint64_t source) {
  const std::string_view plane = plane_around(file, source);
  if (plane.empty()) throw Unreadable("holds no event at that place: open the profile again, the file has changed.");
  const auto inside = static_cast<size_t>(source - static_cast<uint64_t>(plane.data() - file.data()));
  wire::Cursor cursor(plane.substr(inside));
  uint64_t length;
  std::string_view bytes;
  if (!cursor.varint(length) || !cursor.text(length, bytes))
    throw Unreadable("holds no event at that place: open the profile again, the file has changed.");
  PlaneOutline outline;
  outline.bytes = plane;
  PlaneNames names(plane.size());
  Reading reading;
  read_names(outline, names, reading);
  Arguments arguments;
  Message event(bytes);
  Field field;
  int64_t id = 0;
  std::vector<std::string_view> stats;
  while (event.next(field)) {
    if (field.id == wire::XEvent::metadata_id) id = static_cast<int64_t>(field.bits);
    if (field.id == wire::XEvent::stats) stats.push_back(event.bytes(field));
  }
  const EventName& name = names.event(id);
  if (name.shown != name.name) arguments.emplace_back("long_name", std::string(name.name));
  for (const std::string_view raw : stats) add_stat(names, raw, arguments);
  for (const std::string_view raw : name.stats) add_stat(names, raw, arguments);
  return arguments;
}

}  // namespace stepscope::profile::xspace
