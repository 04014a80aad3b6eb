// Protobuf encoding of Event messages and TFRecord framing: length, its checksum, message, its checksum.
#include "event_encoder.hpp"

#include <bit>
#include <cstring>
#include <limits>
#include <utility>

#include "crc32c.hpp"
#include "wire/writer.hpp"

namespace stepscope {
namespace {

constexpr std::string_view kFileVersion = "brain.Event:2";
constexpr std::string_view kScalarsPlugin = "scalars";
constexpr uint64_t kScalarDataClass = 1;

// The nearest float, and beyond the largest one infinity: the language leaves that conversion undefined.
float to_float(double value) {
  constexpr double kRoundsToInfinity = 0x1.ffffffp127;
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  if (value >= kRoundsToInfinity) return kInfinity;
  if (value <= -kRoundsToInfinity) return -kInfinity;
  constexpr float kLargest = std::numeric_limits<float>::max();
  if (value > kLargest) return kLargest;
  if (value < -kLargest) return -kLargest;
  return static_cast<float>(value);
}

size_t event_head_size(int64_t step) {
  const size_t time = wire::double_field_size(wire::Event::wall_time);
  return step == 0 ? time : time + wire::varint_field_size(wire::Event::step, static_cast<uint64_t>(step));
}

void put_event_head(std::string& out, double wall_time, int64_t step) {
  wire::put_double_field(out, wire::Event::wall_time, wall_time);
  if (step != 0) wire::put_varint_field(out, wire::Event::step, static_cast<uint64_t>(step));
}

// A rank-0 TensorProto: type, empty shape, and the one number in the packed list of its type.
size_t tensor_size(ScalarForm form) {
  const bool wide = form == ScalarForm::double_tensor;
  return wire::varint_field_size(wire::TensorProto::dtype, 1) + wire::bytes_field_size(wire::TensorProto::tensor_shape, 0) +
         wire::bytes_field_size(wide ? wire::TensorProto::double_val : wire::TensorProto::float_val, wide ? 8 : 4);
}

void put_tensor(std::string& out, ScalarForm form, double value) {
  const bool wide = form == ScalarForm::double_tensor;
  const auto dtype = wide ? wire::DataType::float64 : wire::DataType::float32;
  wire::put_varint_field(out, wire::TensorProto::dtype, static_cast<uint64_t>(dtype));
  wire::put_bytes_field(out, wire::TensorProto::tensor_shape, {});
  if (wide) {
    wire::put_length(out, wire::TensorProto::double_val, 8);
    wire::put_fixed64(out, std::bit_cast<uint64_t>(value));
  } else {
    wire::put_length(out, wire::TensorProto::float_val, 4);
    wire::put_fixed32(out, std::bit_cast<uint32_t>(to_float(value)));
  }
}

size_t plugin_data_size() { return wire::bytes_field_size(wire::PluginData::plugin_name, kScalarsPlugin.size()); }

size_t metadata_size() {
  return wire::bytes_field_size(wire::SummaryMetadata::plugin_data, plugin_data_size()) +
         wire::varint_field_size(wire::SummaryMetadata::data_class, kScalarDataClass);
}

void put_metadata(std::string& out) {
  wire::put_length(out, wire::SummaryMetadata::plugin_data, plugin_data_size());
  wire::put_bytes_field(out, wire::PluginData::plugin_name, kScalarsPlugin);
  wire::put_varint_field(out, wire::SummaryMetadata::data_class, kScalarDataClass);
}

}  // namespace

void EventEncoder::add_scalar(std::string_view tag, int64_t step, double wall_time, double value, ScalarForm form) {
  const bool simple = form == ScalarForm::simple;
  const size_t value_size =
      wire::bytes_field_size(wire::Value::tag, tag.size()) +
      (simple ? wire::float_field_size(wire::Value::simple_value) : wire::bytes_field_size(wire::Value::tensor, tensor_size(form))) +
      (simple ? 0 : wire::bytes_field_size(wire::Value::metadata, metadata_size()));
  const size_t summary_size = wire::bytes_field_size(wire::Summary::value, value_size);

  const size_t start = open_frame(event_head_size(step) + wire::bytes_field_size(wire::Event::summary, summary_size));
  put_event_head(bytes_, wall_time, step);
  wire::put_length(bytes_, wire::Event::summary, summary_size);
  wire::put_length(bytes_, wire::Summary::value, value_size);
  wire::put_bytes_field(bytes_, wire::Value::tag, tag);
  if (simple) {
    wire::put_float_field(bytes_, wire::Value::simple_value, to_float(value));
  } else {
    wire::put_length(bytes_, wire::Value::tensor, tensor_size(form));
    put_tensor(bytes_, form, value);
    wire::put_length(bytes_, wire::Value::metadata, metadata_size());
    put_metadata(bytes_);
  }
  close_frame(start);
}

void EventEncoder::add_file_version(double wall_time, std::string_view writer) {
  const size_t source_size = wire::bytes_field_size(wire::SourceMetadata::writer, writer.size());
  const size_t start = open_frame(event_head_size(0) + wire::bytes_field_size(wire::Event::file_version, kFileVersion.size()) +
                                  wire::bytes_field_size(wire::Event::source_metadata, source_size));
  put_event_head(bytes_, wall_time, 0);
  wire::put_bytes_field(bytes_, wire::Event::file_version, kFileVersion);
  wire::put_length(bytes_, wire::Event::source_metadata, source_size);
  wire::put_bytes_field(bytes_, wire::SourceMetadata::writer, writer);
  close_frame(start);
}

void EventEncoder::add_session_log(double wall_time, int64_t step, wire::SessionStatus status) {
  const auto number = static_cast<uint64_t>(status);
  const size_t log_size = wire::varint_field_size(wire::SessionLog::status, number);
  const size_t start = open_frame(event_head_size(step) + wire::bytes_field_size(wire::Event::session_log, log_size));
  put_event_head(bytes_, wall_time, step);
  wire::put_length(bytes_, wire::Event::session_log, log_size);
  wire::put_varint_field(bytes_, wire::SessionLog::status, number);
  close_frame(start);
}

void EventEncoder::add_event(std::string_view event) {
  const size_t start = open_frame(event.size());
  bytes_.append(event);
  close_frame(start);
}

std::string EventEncoder::take() { return std::exchange(bytes_, {}); }

void PackedScalars::add(const PackedScalar& scalar, std::string_view tag) {
  bytes.append(reinterpret_cast<const char*>(&scalar), sizeof scalar);
  bytes.append(tag);
  ++count;
}

void EventEncoder::keep(PackedScalars scalars) {
  if (scalars.count == 0) return;
  kept_count_ += scalars.count;
  kept_bytes_ += scalars.bytes.size();
  kept_.push_back(std::move(scalars));
}

size_t EventEncoder::add_packed(size_t most_bytes) {
  const size_t before = kept_count_;
  for (; kept_count_ > 0 && bytes_.size() < most_bytes; --kept_count_) {
    const std::string& packed = kept_.front().bytes;
    PackedScalar scalar;
    std::memcpy(&scalar, packed.data() + kept_at_, sizeof scalar);
    const std::string_view tag(packed.data() + kept_at_ + sizeof scalar, scalar.tag_size);
    add_scalar(tag, scalar.step, scalar.wall_time, scalar.value, scalar.form);
    kept_at_ += sizeof scalar + scalar.tag_size;
    if (kept_at_ == packed.size()) {
      kept_bytes_ -= packed.size();
      kept_.pop_front();
      kept_at_ = 0;
    }
  }
  return before - kept_count_;
}

size_t EventEncoder::open_frame(size_t length) {
  const size_t head = bytes_.size();
  wire::put_fixed64(bytes_, length);
  wire::put_fixed32(bytes_, mask_crc(crc32c(bytes_.data() + head, 8)));
  return bytes_.size();
}

void EventEncoder::close_frame(size_t start) {
  wire::put_fixed32(bytes_, mask_crc(crc32c(bytes_.data() + start, bytes_.size() - start)));
}

}  // namespace stepscope
