// Reads one event again with all its stats, when somebody asks what they are.
#include "profile/xspace_planes.hpp"
#include "profile/xspace_reader.hpp"
#include "wire/writer.hpp"

namespace stepscope::profile::xspace {
namespace {

using wire::Field;
using wire::Type;

constexpr uint64_t kLongestEvent = uint64_t{64} << 20;

[[noreturn]] void refuse() { throw Unreadable("has changed since it was read; open the profile again."); }

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

template <class Space>
std::string copy(Space& space, uint64_t offset, uint64_t length) {
  return std::string(space.peek(offset, static_cast<size_t>(length)).substr(0, static_cast<size_t>(length)));
}

// The plane whose bytes hold the place; nothing else of the file is looked into.
template <class Space>
Field plane_around(Space& space, uint64_t size, uint64_t place) {
  wire::FieldWalker fields(space, 0, size);
  Field field;
  while (fields.next(field))
    if (field.id == wire::XSpace::planes && field.type == Type::bytes && place >= field.offset && place - field.offset < field.length)
      return field;
  refuse();
}

// The plane's maps of names, without its lines: they are nearly all of it.
template <class Space>
std::string names_of(Space& space, const Field& plane) {
  std::string names;
  wire::FieldWalker fields(space, plane.offset, plane.offset + plane.length);
  Field field;
  while (fields.next(field))
    if (field.type == Type::bytes && (field.id == wire::XPlane::event_metadata || field.id == wire::XPlane::stat_metadata))
      wire::put_bytes_field(names, field.id, copy(space, field.offset, field.length));
  return names;
}

template <class Space>
std::string event_at(Space& space, const Field& plane, uint64_t source) {
  const uint64_t end = plane.offset + plane.length;
  const std::string head = copy(space, source, std::min<uint64_t>(10, end - source));
  wire::Cursor cursor(head);
  uint64_t length;
  if (!cursor.varint(length)) refuse();
  const uint64_t begin = source + head.size() - cursor.left();
  if (length > end - begin || length > kLongestEvent) refuse();
  return copy(space, begin, length);
}

template <class Space>
Arguments arguments_in(Space& space, uint64_t size, uint64_t source) {
  const Field plane = plane_around(space, size, source);
  const std::string bytes = event_at(space, plane, source);
  PlaneOutline outline;
  const std::string maps = names_of(space, plane);
  outline.bytes = maps;
  PlaneNames names(maps.size());
  read_names(outline, names);
  Arguments arguments;
  Message event(bytes);
  Field field;
  int64_t id = 0;
  std::vector<std::string_view> stats;
  while (event.next(field)) {
    if (field.id == wire::XEvent::metadata_id) id = static_cast<int64_t>(field.bits);
    if (field.id == wire::XEvent::stats) stats.push_back(event.bytes(field));
  }
  const EventName& name = names.at(names.place(id));
  if (name.shown != name.name) arguments.emplace_back("long_name", std::string(name.name));
  for (const std::string_view raw : stats) add_stat(names, raw, arguments);
  for (const std::string_view raw : name.stats) add_stat(names, raw, arguments);
  return arguments;
}

}  // namespace

Arguments read_arguments(std::string_view file, uint64_t source) {
  wire::MemorySpace space(file);
  return arguments_in(space, file.size(), source);
}

Arguments read_arguments(FileWindow& file, uint64_t source) { return arguments_in(file, file.size(), source); }

}  // namespace stepscope::profile::xspace
