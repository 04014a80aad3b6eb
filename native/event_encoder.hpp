// Turns scalars and ready-made events into framed records with checksums, as TensorBoard's own readers expect them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_set>

#include "wire/fields.hpp"

namespace stepscope {

// How a scalar's value is written. TensorBoard's data server shows the first two and drops the third, so `simple`, which
// keeps 24 bits of the number, is the default, and `double_tensor`, which keeps all 53, is for those who ask.
enum class ScalarForm : uint8_t { simple = 0, float_tensor = 1, double_tensor = 2 };

// Not thread-safe. Whole records only: what take() returns can be appended to a file at any record's end.
class EventEncoder {
 public:
  explicit EventEncoder(ScalarForm form = ScalarForm::simple) : form_(form) {}

  ScalarForm form() const { return form_; }

  // The first value of a tag in tensor form also carries the metadata that says it is a scalar.
  void add_scalar(std::string_view tag, int64_t step, double wall_time, double value, ScalarForm form);
  void add_file_version(double wall_time, std::string_view writer);
  void add_session_log(double wall_time, int64_t step, wire::SessionStatus status);
  // `event` is a serialized Event message.
  void add_event(std::string_view event);

  size_t size() const { return bytes_.size(); }
  std::string take();

 private:
  struct Hash {
    using is_transparent = void;
    size_t operator()(std::string_view text) const { return std::hash<std::string_view>{}(text); }
  };

  bool first_of(std::string_view tag);
  // Writes the frame's head for a message of `length` bytes, which follow; returns where they start.
  size_t open_frame(size_t length);
  void close_frame(size_t start);

  ScalarForm form_;
  std::string bytes_;
  std::unordered_set<std::string, Hash, std::equal_to<>> described_;  // tags whose metadata has been written
};

}  // namespace stepscope
