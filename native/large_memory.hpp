// Memory for large arrays, in huge pages where the system gives them: filling millions of rows then costs hundreds of page faults
// instead of hundreds of thousands.
#pragma once

#include <cstddef>
#include <new>

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

}  // namespace stepscope
