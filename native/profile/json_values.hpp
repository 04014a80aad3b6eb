// Numbers, times and texts from the slices of JsonCursor; nothing here fails, a value that is none gives what the caller names.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "profile/json_cursor.hpp"

namespace stepscope::profile {

// A number, bare or in quotes, decimal or 0x…; a fraction is cut off, what is too large gives the nearest.
int64_t json_integer(const JsonValue& value, int64_t otherwise);
double json_number(const JsonValue& value, double otherwise);

// Microseconds as whole nanoseconds and the picoseconds beyond them, so that an end can be rounded once.
struct JsonTime {
  int64_t ns = 0;
  int32_t ps = 0;  // 0 to 999
};
bool json_time(const JsonValue& value, JsonTime& time);
int64_t rounded(JsonTime time);
int64_t rounded_sum(JsonTime start, JsonTime length);

// The text without its escapes; `scratch` is used when there are any. An unknown escape stands for itself and is counted.
std::string_view json_text(const JsonValue& value, std::string& scratch, uint32_t& odd_escapes);

}  // namespace stepscope::profile
