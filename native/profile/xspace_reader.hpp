// Reads an XSpace file (TensorFlow's and JAX's *.xplane.pb) into the tables of a profile, and single events of it later on.
#pragma once

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

// Reads a whole file. Damage costs the message it is in and is noted; of a file that was cut, what is left is read.
Tables read_xspace(std::string_view file, uint64_t most_spans, uint64_t most_names);

using Argument = std::variant<int64_t, uint64_t, double, std::string>;

// Every stat of the event at `source` (a column of the spans), in the file's order, and its long name when it has two.
using Arguments = std::vector<std::pair<std::string, Argument>>;
Arguments read_arguments(std::string_view file, uint64_t source);
// The same of a file of which only the names of one plane are read. Throws std::system_error too.
Arguments read_arguments(FileWindow& file, uint64_t source);

}  // namespace stepscope::profile::xspace
