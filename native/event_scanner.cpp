// The field scan of Event, Summary and Value, over memory (small records) or a file window (large ones).
#include "event_scanner.hpp"

#include <bit>
#include <cmath>
#include <optional>
#include <vector>

#include "tensor_scalar.hpp"
#include "wire/fields.hpp"

namespace stepscope {
namespace {

using wire::Field;
using wire::Type;

// Text and metadata larger than this are not names; reading them into memory could be used to fill it.
constexpr uint64_t kLongestText = uint64_t{1} << 20;
// A scalar's TensorProto takes a few dozen bytes; nothing longer is looked into for one.
constexpr uint64_t kLongestScalarTensor = 256;
// Metadata that is kept as it stands, to know it when it comes again.
constexpr uint64_t kLongestRawMetadata = 256;
// What nobody has checked may not move the file's times by more: they decide which points a restart supersedes.
constexpr double kUncheckedSeconds = 600;

struct Place {
  uint64_t offset = 0, length = 0;
  bool set = false;
};

struct When {
  int64_t step;
  double wall;
};

// The fields of an event. What depends on step and wall time waits for them: they come first in practice but need not.
struct EventFields {
  When when{0, 0.0};
  Field payload, source;
  std::vector<Field> earlier;  // of a summary that comes in several parts, which protobuf reads as one
  uint32_t payloads = 0;
};

// The fields of a summary's value.
struct Value {
  Field whole;
  bool has_simple = false;
  float simple = 0;
  Place tag, node_name, image, histo, audio, tensor, metadata;

  // Files of 2016 leave the tag out and name the node instead.
  const Place& name() const { return tag.length == 0 && tensor.set ? node_name : tag; }
};

// A key on the wire.
constexpr uint8_t key(uint32_t field, Type type) { return static_cast<uint8_t>(field << 3 | static_cast<uint32_t>(type)); }

// What nearly every value is: a tag and a number, or a tensor with or without metadata, in the order all writers use.
struct PlainValue {
  std::string_view tag;
  double number = 0;
  std::string_view tensor, metadata;  // empty for a simple value
};

// Reads a value of exactly that shape, up to the end of the cursor; anything else, also anything malformed, is left to the general
// scan. Half of the time of a load is saved here and below.
bool read_plain_value(wire::Cursor cursor, PlainValue& out) {
  uint64_t length;
  uint32_t bits;
  if (!cursor.byte(key(wire::Value::tag, Type::bytes)) || !cursor.varint(length) || length == 0 || length > kLongestText) return false;
  if (!cursor.text(length, out.tag)) return false;
  if (cursor.byte(key(wire::Value::simple_value, Type::fixed32))) {
    if (!cursor.fixed(bits) || cursor.left() != 0) return false;
    out.number = std::bit_cast<float>(bits);
    return true;
  }
  if (!cursor.byte(key(wire::Value::tensor, Type::bytes)) || !cursor.varint(length) || length == 0) return false;
  if (!cursor.text(length, out.tensor)) return false;
  if (cursor.left() == 0) return true;
  if (!cursor.byte(key(wire::Value::metadata, Type::bytes)) || !cursor.varint(length) || length == 0) return false;
  return cursor.text(length, out.metadata) && cursor.left() == 0;
}

// Reads an event of wall time, step and one plain value.
bool read_plain_event(std::string_view event, When& when, PlainValue& out) {
  wire::Cursor cursor(event);
  uint64_t wall, step = 0, length;
  if (!cursor.byte(key(wire::Event::wall_time, Type::fixed64)) || !cursor.fixed(wall)) return false;
  if (cursor.byte(key(wire::Event::step, Type::varint)) && !cursor.varint(step)) return false;
  if (!cursor.byte(key(wire::Event::summary, Type::bytes)) || !cursor.varint(length) || length != cursor.left()) return false;
  if (!cursor.byte(key(wire::Summary::value, Type::bytes)) || !cursor.varint(length) || length != cursor.left()) return false;
  when = {static_cast<int64_t>(step), std::bit_cast<double>(wall)};
  return read_plain_value(cursor, out);
}

template <class Space>
class Scan {
 public:
  Scan(Space& space, EventColumns& columns, SessionFacts& facts) : space_(space), columns_(columns), facts_(facts) {}

  bool event(uint64_t begin, uint64_t end) {
    if constexpr (Space::kInMemory) {
      When when{0, 0.0};
      PlainValue plain;
      if (read_plain_event(space_.peek(begin, 0).substr(0, static_cast<size_t>(end - begin)), when, plain) && add_plain(plain, when)) {
        note_wall(when.wall);
        return true;
      }
    }
    EventFields event;
    if (!read_event(begin, end, event)) return false;
    note_facts(event);
    bool good = true;
    for (const Field& part : event.earlier) good &= summary(part, event.when);
    return read_payload(event.payload, event.when) && good;
  }

  // See index_blob.
  bool lone_blob(uint64_t begin, uint64_t end) {
    EventFields event;
    if (!read_event(begin, end, event) || event.payloads != 1 || event.payload.id != wire::Event::summary) return false;
    if (!(event.when.wall >= facts_.first_wall && event.when.wall <= facts_.last_wall + kUncheckedSeconds)) return false;
    const uint64_t summary_end = event.payload.offset + event.payload.length;
    wire::FieldWalker values(space_, event.payload.offset, summary_end);
    Field field;
    Value value;
    if (!values.next(field) || field.id != wire::Summary::value || field.type != Type::bytes) return false;
    if (field.offset + field.length != summary_end || !read_value(field, value) || value.has_simple) return false;
    uint64_t kinds = 0, bytes = 0;
    for (const Place& place : {value.image, value.histo, value.audio, value.tensor}) {
      kinds += place.set;
      bytes += place.length;
    }
    if (kinds != 1 || bytes < (end - begin) / 2 || !other_value(value, event.when)) return false;
    note_facts(event);
    return true;
  }

 private:
  bool read_event(uint64_t begin, uint64_t end, EventFields& event) {
    wire::FieldWalker fields(space_, begin, end);
    Field field;
    while (fields.next(field)) {
      switch (field.id) {
        case wire::Event::wall_time:
          if (field.type == Type::fixed64) event.when.wall = field.as_double();
          break;
        case wire::Event::step:
          if (field.type == Type::varint) event.when.step = static_cast<int64_t>(field.bits);
          break;
        case wire::Event::source_metadata:
          if (field.type == Type::bytes) event.source = field;
          break;
        case wire::Event::summary:
          if (field.type != Type::bytes) break;
          if (event.payload.id == field.id) event.earlier.push_back(event.payload);
          event.payload = field;
          ++event.payloads;
          break;
        case wire::Event::file_version:
        case wire::Event::graph_def:
        case wire::Event::session_log:
        case wire::Event::tagged_run_metadata:
        case wire::Event::meta_graph_def:
          if (field.type != Type::bytes) break;
          event.earlier.clear();  // of different payloads the last counts
          event.payload = field;
          ++event.payloads;
          break;
        default:
          break;  // log messages and what later versions add
      }
    }
    return fields.ok();
  }

  void note_facts(const EventFields& event) {
    note_wall(event.when.wall);
    if (event.source.id) read_source(event.source);
  }

  // Ranges are compared between files to tell a restart from two writers at once, so both ends matter.
  void note_wall(double wall) {
    if (!std::isfinite(wall)) return;
    if (!(facts_.first_wall <= wall)) facts_.first_wall = wall;
    if (!(facts_.last_wall >= wall)) facts_.last_wall = wall;
  }

  void note_point(double wall) {
    if (std::isfinite(wall) && !(facts_.last_point >= wall)) facts_.last_point = wall;
  }

  // Whether it is something that was measured or made, and not what describes or ends the run.
  static bool is_value(Kind kind) {
    switch (kind) {
      case Kind::graph:
      case Kind::hparams:
      case Kind::layout:
      case Kind::run_metadata:
      case Kind::session_log:
        return false;
      default:
        return true;
    }
  }

  std::string_view text(const Place& place) { return text(place.offset, place.length); }
  // Valid until the space is read again.
  std::string_view text(uint64_t offset, uint64_t length) {
    if (length == 0 || length > kLongestText) return {};
    return space_.peek(offset, static_cast<size_t>(length)).substr(0, static_cast<size_t>(length));
  }

  bool read_payload(const Field& payload, const When& when) {
    switch (payload.id) {
      case wire::Event::summary:
        return summary(payload, when);
      case wire::Event::file_version:
        facts_.file_version = text(payload.offset, std::min<uint64_t>(payload.length, 64));
        return true;
      case wire::Event::graph_def:
        add_blob(columns_.get(kGraphTag, Kind::graph), when, payload.offset, payload.length);
        return true;
      case wire::Event::meta_graph_def:
        add_blob(columns_.get(kMetaGraphTag, Kind::graph), when, payload.offset, payload.length);
        return true;
      case wire::Event::session_log:
        return session_log(payload, when);
      case wire::Event::tagged_run_metadata:
        return tagged_run_metadata(payload, when);
      default:
        return true;  // an event without a payload
    }
  }

  void read_source(const Field& source) {
    wire::FieldWalker fields(space_, source.offset, source.offset + source.length);
    Field field;
    while (fields.next(field))
      if (field.id == wire::SourceMetadata::writer && field.type == Type::bytes)
        facts_.writer = text(field.offset, std::min<uint64_t>(field.length, 256));
  }

  bool session_log(const Field& payload, const When& when) {
    wire::FieldWalker fields(space_, payload.offset, payload.offset + payload.length);
    Field field;
    uint32_t status = 0;
    while (fields.next(field))
      if (field.id == wire::SessionLog::status && field.type == Type::varint) status = static_cast<uint32_t>(field.bits);
    if (!fields.ok()) return false;
    facts_.session_status = status;
    if (status == static_cast<uint32_t>(wire::SessionStatus::start)) columns_.add_start(when.step);
    add_blob(columns_.get(kSessionLogTag, Kind::session_log), when, payload.offset, payload.length);
    return true;
  }

  bool tagged_run_metadata(const Field& payload, const When& when) {
    wire::FieldWalker fields(space_, payload.offset, payload.offset + payload.length);
    Field field;
    std::string tag;
    Place blob;
    while (fields.next(field)) {
      if (field.type != Type::bytes) continue;
      if (field.id == wire::TaggedRunMetadata::tag) tag = text(field.offset, field.length);
      if (field.id == wire::TaggedRunMetadata::run_metadata) blob = {field.offset, field.length, true};
    }
    if (!fields.ok()) return false;
    if (blob.set) add_blob(columns_.get(tag, Kind::run_metadata), when, blob.offset, blob.length);
    return true;
  }

  bool summary(const Field& payload, const When& when) {
    wire::FieldWalker values(space_, payload.offset, payload.offset + payload.length);
    Field field;
    bool good = true;
    while (values.next(field))
      if (field.id == wire::Summary::value && field.type == Type::bytes) good &= value(field, when);
    return good && values.ok();
  }

  bool value(const Field& whole, const When& when) {
    if constexpr (Space::kInMemory) {
      PlainValue plain;
      const std::string_view bytes = space_.peek(whole.offset, 0).substr(0, static_cast<size_t>(whole.length));
      if (read_plain_value(wire::Cursor(bytes), plain) && add_plain(plain, when)) return true;
    }
    Value v;
    if (!read_value(whole, v)) return false;
    if (v.has_simple && !v.metadata.set) {  // by far the most common value
      add_scalar(text(v.name()), when, v.simple);
      return true;
    }
    return other_value(v, when);
  }

  bool read_value(const Field& whole, Value& v) {
    wire::FieldWalker fields(space_, whole.offset, whole.offset + whole.length);
    Field field;
    v.whole = whole;
    while (fields.next(field)) {
      const Place place{field.offset, field.length, true};
      switch (field.id) {
        case wire::Value::simple_value:
          if (field.type == Type::fixed32) {
            v.has_simple = true;
            v.simple = field.as_float();
          }
          continue;
        case wire::Value::tag:
          v.tag = place;
          break;
        case wire::Value::image:
          v.image = place;
          break;
        case wire::Value::histo:
          v.histo = place;
          break;
        case wire::Value::audio:
          v.audio = place;
          break;
        case wire::Value::node_name:
          v.node_name = place;
          break;
        case wire::Value::tensor:
          v.tensor = place;
          break;
        case wire::Value::metadata:
          v.metadata = place;
          break;
        default:
          continue;
      }
      if (field.type != Type::bytes) return false;
    }
    return fields.ok();
  }

  bool other_value(const Value& v, const When& when) {
    // A copy, because reading metadata may move the file window under the name.
    const std::string name(text(v.name()));
    std::unique_ptr<Metadata> metadata;
    if (v.metadata.set) {
      metadata = read_metadata(v.metadata);
      if (!metadata) return false;
    }
    const Series* known = columns_.find_by_name(name);
    const Metadata* rule = metadata ? metadata.get() : known ? known->metadata.load(std::memory_order_relaxed) : nullptr;
    if (v.has_simple) {
      keep_metadata(add_scalar(name, when, v.simple), std::move(metadata));
      return true;
    }
    if (std::optional<double> number = scalar_of(v, rule)) {
      keep_metadata(add_scalar(name, when, *number), std::move(metadata));
      return true;
    }
    const Kind kind = kind_of(v, rule);
    if (kind == Kind::hparams && metadata) note_session_end(*metadata);
    Series& series = columns_.get(name, kind);
    keep_metadata(series, std::move(metadata));
    add_blob(series, when, v.whole.offset, v.whole.length);
    return true;
  }

  // Whether a plugin, if one is named, is that of scalars or says that its data is scalar.
  static bool may_be_scalar(const Metadata* rule) {
    return !rule || rule->plugin.empty() || rule->plugin == "scalars" || rule->data_class == 1;
  }

  // The value when this is a scalar: one number, of a plugin that has scalars.
  std::optional<double> scalar_of(const Value& v, const Metadata* rule) {
    if (!v.tensor.set || v.tensor.length == 0 || v.tensor.length > kLongestScalarTensor || !may_be_scalar(rule)) return std::nullopt;
    return tensor_scalar(text(v.tensor));
  }

  // Adds a value of the common shape. A tensor is added only to a known series, whose metadata, if it comes again, is the same
  // byte for byte: TensorFlow 2 repeats it in every event.
  bool add_plain(const PlainValue& plain, const When& when) {
    if (plain.tensor.empty()) {
      add_scalar(plain.tag, when, plain.number);
      return true;
    }
    Series* known = columns_.find_by_name(plain.tag);
    if (!known || known->kind != Kind::scalar || plain.tensor.size() > kLongestScalarTensor) return false;
    const Metadata* rule = known->metadata.load(std::memory_order_relaxed);
    if (!plain.metadata.empty() && (!rule || rule->raw != plain.metadata)) return false;
    if (!may_be_scalar(rule)) return false;
    const std::optional<double> number = tensor_scalar(plain.tensor);
    if (number) append(*known, when, *number);
    return number.has_value();
  }

  static Kind kind_of(const Value& v, const Metadata* rule) {
    if (rule && !rule->plugin.empty()) {
      static constexpr std::pair<std::string_view, Kind> kPlugins[] = {
          {"images", Kind::image},
          {"audio", Kind::audio},
          {"text", Kind::text},
          {"histograms", Kind::histogram},
          {"pr_curves", Kind::pr_curve},
          {"mesh", Kind::mesh},
          {"hparams", Kind::hparams},
          {"custom_scalars", Kind::layout},
          {"graphs", Kind::graph},
          {"graph_keras_model", Kind::graph},
          {"tensor", Kind::tensor},
          {"graph_run_metadata", Kind::run_metadata},
          {"graph_run_metadata_graph", Kind::run_metadata},
      };
      for (const auto& [plugin, kind] : kPlugins)
        if (rule->plugin == plugin) return kind;
      return Kind::other;
    }
    if (v.image.set) return Kind::image;
    if (v.histo.set) return Kind::histogram;
    if (v.audio.set) return Kind::audio;
    if (v.tensor.set) return Kind::tensor;
    return Kind::other;
  }

  Series& add_scalar(std::string_view name, const When& when, double number) {
    Series& series = columns_.get(name, Kind::scalar);
    append(series, when, number);
    return series;
  }

  void append(Series& series, const When& when, double number) {
    series.scalars->mark_starts(columns_.starts_so_far());
    series.scalars->append(when.step, when.wall, number);
    columns_.touch(series);
    columns_.count_point();
    note_point(when.wall);
  }

  void add_blob(Series& series, const When& when, uint64_t offset, uint64_t length) {
    series.blobs->append(when.step, when.wall, offset, length);
    columns_.touch(series);
    if (is_value(series.kind)) note_point(when.wall);
  }

  static void keep_metadata(Series& series, std::unique_ptr<Metadata> metadata) {
    if (metadata && !series.metadata.load(std::memory_order_relaxed))
      series.metadata.store(metadata.release(), std::memory_order_release);
  }

  std::unique_ptr<Metadata> read_metadata(const Place& place) {
    auto metadata = std::make_unique<Metadata>();
    if (place.length <= kLongestRawMetadata) metadata->raw = text(place);
    wire::FieldWalker fields(space_, place.offset, place.offset + place.length);
    Field field;
    while (fields.next(field)) {
      if (field.id == wire::SummaryMetadata::data_class && field.type == Type::varint)
        metadata->data_class = static_cast<uint32_t>(field.bits);
      if (field.type != Type::bytes) continue;
      if (field.id == wire::SummaryMetadata::display_name) metadata->display_name = text(field.offset, field.length);
      if (field.id == wire::SummaryMetadata::summary_description) metadata->description = text(field.offset, field.length);
      if (field.id == wire::SummaryMetadata::plugin_data && !read_plugin(field, *metadata)) return nullptr;
    }
    return fields.ok() ? std::move(metadata) : nullptr;
  }

  bool read_plugin(const Field& plugin, Metadata& metadata) {
    wire::FieldWalker fields(space_, plugin.offset, plugin.offset + plugin.length);
    Field field;
    while (fields.next(field)) {
      if (field.type != Type::bytes) continue;
      if (field.id == wire::PluginData::plugin_name) metadata.plugin = text(field.offset, field.length);
      if (field.id == wire::PluginData::content) metadata.content = text(field.offset, field.length);
    }
    return fields.ok();
  }

  void note_session_end(const Metadata& metadata) {
    wire::MemorySpace content(metadata.content);
    wire::FieldWalker fields(content, 0, metadata.content.size());
    Field field;
    while (fields.next(field)) {
      if (field.id != wire::HParamsPluginData::session_end_info || field.type != Type::bytes) continue;
      wire::FieldWalker info(content, field.offset, field.offset + field.length);
      Field part;
      while (info.next(part))
        if (part.id == wire::SessionEndInfo::status && part.type == Type::varint)
          facts_.hparams_status = static_cast<uint32_t>(part.bits);
    }
  }

  Space& space_;
  EventColumns& columns_;
  SessionFacts& facts_;
};

}  // namespace

bool scan_event(wire::MemorySpace& space, uint64_t begin, uint64_t end, EventColumns& columns, SessionFacts& facts) {
  return Scan(space, columns, facts).event(begin, end);
}

bool scan_event(FileWindow& space, uint64_t begin, uint64_t end, EventColumns& columns, SessionFacts& facts) {
  return Scan(space, columns, facts).event(begin, end);
}

bool index_blob(FileWindow& space, uint64_t begin, uint64_t end, EventColumns& columns, SessionFacts& facts) {
  return Scan(space, columns, facts).lone_blob(begin, end);
}

}  // namespace stepscope
