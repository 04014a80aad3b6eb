// What is said to the user about an XSpace file: what was lost, what the capture reported, what has never been proven.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "profile/xspace_planes.hpp"

namespace stepscope::profile::xspace {

struct PlaneFacts {
  PlaneKind kind;
  size_t lines;
  bool nameless;  // the file ends before the plane's names, so that its events mean nothing
  std::string vendor = {};
};

// Why a file without planes is refused; it goes on after the file's name.
std::string why_nothing(std::string_view file, const Outline& outline);

void add_notes(const Reading& reading, const Outline& outline, const std::vector<PlaneFacts>& planes, std::vector<Note>& notes);

}  // namespace stepscope::profile::xspace
