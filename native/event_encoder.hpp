// Turns scalars and ready-made events into framed records with checksums, as TensorBoard's own readers expect them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>

#include "wire/fields.hpp"

namespace stepscope {

// How a scalar's value is written. TensorBoard's data server shows the first two and drops the third, so `simple`, which
// keeps 24 bits of the number, is the default, and `double_tensor`, which keeps all 53, is for those who ask.
enum class ScalarForm : uint8_t { simple = 0, float_tensor = 1, double_tensor = 2 };

// What is kept of a scalar until it is encoded; the tag's bytes follow.
struct PackedScalar {
  int64_t step;
  double wall_time;
  double value;
  size_t tag_size;
  ScalarForm form;
};

// Scalars one behind the other, as they were queued.
struct PackedScalars {
  std::string bytes;
  size_t count = 0;

  void add(const PackedScalar& scalar, std::string_view tag);
};

// Not thread-safe. Whole records only: what take() returns can be appended to a file at any record's end.
class EventEncoder {
 public:
  explicit EventEncoder(ScalarForm form = ScalarForm::simple) : form_(form) {}

  ScalarForm form() const { return form_; }

  // A value in tensor form carries the metadata that says it is a scalar, each time: so any file, or any part of one, stands alone.
  void add_scalar(std::string_view tag, int64_t step, double wall_time, double value, ScalarForm form);
  void add_file_version(double wall_time, std::string_view writer);
  void add_session_log(double wall_time, int64_t step, wire::SessionStatus status);
  // `event` is a serialized Event message.
  void add_event(std::string_view event);

  // Keeps scalars for add_packed, which encodes them until this encoder holds `most_bytes`, and returns how many it encoded.
  void keep(PackedScalars scalars);
  size_t kept() const { return kept_count_; }
  size_t kept_bytes() const { return kept_bytes_; }
  size_t add_packed(size_t most_bytes);

  size_t size() const { return bytes_.size(); }
  std::string take();

 private:
  // Writes the frame's head for a message of `length` bytes, which follow; returns where they start.
  size_t open_frame(size_t length);
  void close_frame(size_t start);

  ScalarForm form_;
  std::string bytes_;
  std::deque<PackedScalars> kept_;
  size_t kept_at_ = 0;  // how much of the first of them is encoded
  size_t kept_count_ = 0;
  size_t kept_bytes_ = 0;
};

}  // namespace stepscope
