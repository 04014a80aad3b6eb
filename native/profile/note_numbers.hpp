// Numbers in sentences that users read, with a comma between thousands.
#pragma once

#include <concepts>
#include <string>

namespace stepscope::profile {

// "12,345" of 12345.
inline std::string grouped(std::unsigned_integral auto number) {
  std::string text = std::to_string(number);
  for (size_t at = text.size(); at > 3;) text.insert(at -= 3, 1, ',');
  return text;
}

// "1 event was", "1,200 events were".
inline std::string counted(std::unsigned_integral auto count, const char* one, const char* many) {
  return grouped(count) + " " + (count == 1 ? one : many);
}

}  // namespace stepscope::profile
