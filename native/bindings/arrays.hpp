// Hands C++ vectors to numpy without another copy.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <memory>
#include <vector>

namespace stepscope {

template <class T>
using Array = nanobind::ndarray<nanobind::numpy, T, nanobind::ndim<1>>;

// The array owns the vector's memory from here on.
template <class T, class Allocator>
Array<T> to_numpy(std::vector<T, Allocator> values) {
  auto owned = std::make_unique<std::vector<T, Allocator>>(std::move(values));
  T* data = owned->data();
  const size_t size = owned->size();
  nanobind::capsule owner(owned.release(), [](void* p) noexcept { delete static_cast<std::vector<T, Allocator>*>(p); });
  return Array<T>(data, {size}, owner);
}

}  // namespace stepscope
