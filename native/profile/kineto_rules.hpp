// What names mean: rules that come as data from the format's Python module, asked once for each distinct name.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace stepscope::profile {

// What a rule's text is held against.
enum class RuleScope : uint8_t {
  category = 0,       // an event's category; gives a CategoryClass
  host = 1,           // an operation's or annotation's name; gives a SpanKind
  python = 2,         // a Python function's name; gives a SpanKind
  runtime = 3,        // a runtime call; gives a SpanKind
  kernel = 4,         // a kernel; gives a SpanKind
  launch = 5,         // a runtime call; gives 1 when it starts work on the device
  thread = 6,         // a thread's name; gives a TrackPurpose
  thread_python = 7,  // a Python function that only such a thread runs; gives a TrackPurpose
  collective = 8,     // any communication's name; its `label` is the collective's common name
  unproven = 9,       // a category whose files no one has tested this reader on; its `label` says whose they are
  device = 10,        // a process; 1 when it repeats what others hold, and else its `label` is the kind of the device that it is
  count = 11,
};

enum class RuleMatch : uint8_t { exact = 0, prefix = 1, suffix = 2, contains = 3 };

enum class CategoryClass : int16_t {
  unknown = -1,
  op = 0,
  annotation = 1,
  python = 2,
  runtime = 3,
  kernel = 4,
  copy = 5,
  fill = 6,
  device_wait = 7,        // a synchronisation as drawn on the device
  device_annotation = 8,  // an annotation's projection on the device
  overhead = 9,           // the profiler's own cost
  recording = 10,         // the recording's window
  launch_flow = 11,
  backward_flow = 12,
  memory = 13,
  measured_range = 14,  // a stretch of device work with what hardware counters told of it
};

struct NameRule {
  RuleScope scope = RuleScope::host;
  RuleMatch match = RuleMatch::contains;
  std::string text;  // letters match in either case, * matches anything
  int16_t result = 0;
  std::string label;
};

class NameRules {
 public:
  static constexpr int16_t kNoMatch = -1;

  explicit NameRules(std::vector<NameRule> rules);

  // The first rule that matches; null when none does.
  const NameRule* find(RuleScope scope, std::string_view name) const;
  int16_t result(RuleScope scope, std::string_view name) const {
    const NameRule* rule = find(scope, name);
    return rule ? rule->result : kNoMatch;
  }
  // The same, remembered by the name's number.
  int16_t result(RuleScope scope, int32_t id, std::string_view name);

 private:
  static constexpr int16_t kUnasked = -2;

  std::vector<NameRule> rules_;
  std::vector<int16_t> answers_[static_cast<size_t>(RuleScope::count)];
};

}  // namespace stepscope::profile
