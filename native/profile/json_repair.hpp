// Makes valid JSON of an object that is not: for events a strict reader would refuse, and for what is handed to other parsers.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "profile/json_cursor.hpp"

namespace stepscope::profile {

struct JsonRepair {
  JsonCursor::State state = JsonCursor::State::bad;
  size_t looked = 0;  // how many bytes were gone through
  size_t used = 0;    // bytes of the input that the object takes
  uint32_t changes = 0;
};

// The object that begins at text[0], rewritten into `into`. Mends quotes and backslashes that were not escaped, control characters,
// bare words, missing values and commas; where a text ends is judged by what follows it. With `last`, the text has no more to come
// and an object that is cut off is closed.
JsonRepair repair_object(std::string_view text, bool last, std::string& into);

}  // namespace stepscope::profile
