// The kinds of spans in words, by their numbers: what an exported trace calls its categories.
#pragma once

#include <array>
#include <string_view>

namespace stepscope::profile {

inline constexpr std::array<std::string_view, 17> kSpanKinds = {
    "other", "op",      "kernel", "copy", "fill",       "runtime", "sync",      "alloc",  "collective",
    "input", "compile", "gc",     "io",   "annotation", "python",  "framework", "marker",
};

}  // namespace stepscope::profile
