// Memory for large arrays, in huge pages where the system gives them: filling millions of rows then costs hundreds of page faults
// instead of hundreds of thousands.
#pragma once

#include <cstddef>
#include <limits>
#include <memory>
#include <new>
#include <utility>
#include <vector>

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace stepscope {

inline constexpr size_t kHugePage = size_t{2} << 20;
inline constexpr size_t kLargeBytes = 2 * kHugePage;  // below it, a page that is half used would be much

inline void* allocate_large(size_t bytes) {
  if (bytes < kLargeBytes) return ::operator new(bytes);
  void* memory = ::operator new(bytes, std::align_val_t{kHugePage});
#if defined(__linux__)
  ::madvise(memory, bytes / kHugePage * kHugePage, MADV_HUGEPAGE);  // a wish: without it everything works as well, only slower
#endif
  return memory;
}

// `bytes` as they were asked for.
inline void free_large(void* memory, size_t bytes) noexcept {
  if (bytes < kLargeBytes)
    ::operator delete(memory);
  else
    ::operator delete(memory, std::align_val_t{kHugePage});
}

// Leaves new elements as they are, so that a column that is filled anyway is not cleared first; a large one lies in huge pages.
template <class T>
struct Unset : std::allocator<T> {
  using value_type = T;
  T* allocate(size_t count) {
    if (count > std::numeric_limits<size_t>::max() / sizeof(T)) throw std::bad_array_new_length();
    return static_cast<T*>(allocate_large(count * sizeof(T)));
  }
  void deallocate(T* memory, size_t count) noexcept { free_large(memory, count * sizeof(T)); }
  template <class U>
  struct rebind {
    using other = Unset<U>;
  };
  template <class U>
  void construct(U* at) noexcept {
    ::new (static_cast<void*>(at)) U;
  }
  template <class U, class... Values>
  void construct(U* at, Values&&... values) {
    ::new (static_cast<void*>(at)) U(std::forward<Values>(values)...);
  }
};

template <class T>
using LargeVector = std::vector<T, Unset<T>>;

}  // namespace stepscope
