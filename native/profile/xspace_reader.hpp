// Reads an XSpace file (TensorFlow's and JAX's *.xplane.pb) into the tables of a profile, and single events of it later on.
#pragma once

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "file_window.hpp"
#include "profile/tables.hpp"

namespace stepscope::profile::xspace {

// Nothing of the file can be read; the message goes on after the file's name.
struct Unreadable : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// How the work is divided; what is found does not depend on it.
struct Effort {
  size_t threads = 0;                       // 0 for as many as there are cores
  size_t stretch_events = size_t{1} << 16;  // lines are read together until they hold so many
};

// Reads a whole file. Damage costs the message it is in and is noted; of a file that was cut, what is left is read.
Tables read_xspace(std::string_view file, uint64_t most_spans, uint64_t most_names, const Effort& effort = {});

using Argument = std::variant<int64_t, uint64_t, double, std::string>;

// Every stat of the event at `source` (a column of the spans), in the file's order, and its long name when it has two.
using Arguments = std::vector<std::pair<std::string, Argument>>;
Arguments read_arguments(std::string_view file, uint64_t source);
// The same of a file of which only the names of one plane are read. Throws std::system_error too.
Arguments read_arguments(FileWindow& file, uint64_t source);

}  // namespace stepscope::profile::xspace
