// Parts of the file, each read to its place.
#include "whole_file.hpp"

#include <algorithm>
#include <vector>

#include "tasks.hpp"

namespace stepscope {
namespace {

constexpr uint64_t kPart = uint64_t{8} << 20;

}  // namespace

LargeVector<uint8_t> read_whole_file(const Origin& origin, uint64_t most) {
  const auto size = static_cast<size_t>(std::min(FileWindow(origin).size(), most));
  LargeVector<uint8_t> content(size);
  const auto parts = static_cast<size_t>((size + kPart - 1) / kPart);
  std::vector<size_t> got(parts, 0);
  for_each_task(parts, workers_of(0), [&](size_t part) {
    const size_t begin = part * kPart;
    FileWindow file(origin);
    got[part] = file.read(begin, reinterpret_cast<char*>(content.data()) + begin, std::min<size_t>(kPart, size - begin));
  });
  size_t whole = 0;
  for (size_t part = 0; part < parts && whole == part * kPart; ++part) whole += got[part];
  content.resize(whole);
  return content;
}

}  // namespace stepscope
