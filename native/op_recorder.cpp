// The recorder behind stepscope_op.h, and the search for libraries that wait for it.
#include "op_recorder.hpp"

#include <algorithm>
#include <chrono>
#include <functional>
#include <mutex>
#include <string_view>
#include <thread>
#include <unordered_map>
#include <utility>

#if defined(__linux__) || defined(__APPLE__)
#include <dlfcn.h>
#include <pthread.h>
#if defined(__linux__)
#include <link.h>
#include <sys/syscall.h>
#include <unistd.h>
#else
#include <mach-o/dyld.h>
#endif
#define STEPSCOPE_FINDS_LIBRARIES 1
#endif

namespace stepscope {
namespace {

constexpr size_t kLongestName = 1024;
constexpr const char* kVariable = "stepscope_op_recorder_now_v1";

// As in stepscope_op.h, which is C.
struct Recorder {
  uint64_t (*now)();
  void (*add)(const char*, uint64_t, uint64_t, uint64_t);
};

std::mutex guard;
MarkedOps marked;
std::unordered_map<std::string, uint32_t> known_names;
bool is_recording = false;

uint64_t now() {
  return static_cast<uint64_t>(
      std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch()).count());
}

struct ThreadNumbers {
  uint64_t kernel = 0;
  uint64_t hash = std::hash<std::thread::id>()(std::this_thread::get_id());

  ThreadNumbers() {
#if defined(__linux__)
    kernel = static_cast<uint64_t>(syscall(SYS_gettid));
#elif defined(__APPLE__)
    pthread_threadid_np(nullptr, &kernel);
#endif
  }
};

// Called by code of others, through C: nothing is thrown into it.
void add(const char* name, uint64_t start, uint64_t end, uint64_t bytes) noexcept {
  static thread_local const ThreadNumbers thread;
  try {
    std::string text(std::string_view(name == nullptr ? "" : name).substr(0, kLongestName));
    const std::lock_guard lock(guard);
    if (!is_recording) return;
    if (marked.ops.size() >= MarkedOps::kMost) {
      ++marked.dropped;
      return;
    }
    const auto [found, is_new] = known_names.try_emplace(std::move(text), static_cast<uint32_t>(marked.names.size()));
    if (is_new) marked.names.push_back(found->first);
    marked.ops.push_back({found->second, start, std::max(start, end), thread.kernel, thread.hash, bytes});
  } catch (...) {  // There is no memory left; training may still get on.
    return;
  }
}

const Recorder recorder{now, [](const char* name, uint64_t start, uint64_t end, uint64_t bytes) { add(name, start, end, bytes); }};

#ifdef STEPSCOPE_FINDS_LIBRARIES

// Libraries that wait for a recorder stay open, so that what is written to is there. Only used under `libraries`.
std::mutex libraries;
std::vector<const Recorder**> waiting;
std::vector<std::string> asked;

std::vector<std::string> loaded_libraries() {
  std::vector<std::string> paths;
#if defined(__linux__)
  const auto keep = [](dl_phdr_info* info, size_t, void* into) {
    if (info->dlpi_name != nullptr && info->dlpi_name[0] != '\0')
      static_cast<std::vector<std::string>*>(into)->emplace_back(info->dlpi_name);
    return 0;
  };
  dl_iterate_phdr(keep, &paths);
#else
  for (uint32_t image = 0; image < _dyld_image_count(); ++image)
    if (const char* name = _dyld_get_image_name(image)) paths.emplace_back(name);
#endif
  return paths;
}

// Each library is asked once: looking into hundreds of them takes a millisecond.
void find_waiting() {
  for (const std::string& path : loaded_libraries()) {
    const auto place = std::lower_bound(asked.begin(), asked.end(), path);
    if (place != asked.end() && *place == path) continue;
    asked.insert(place, path);
    void* library = dlopen(path.c_str(), RTLD_LAZY | RTLD_NOLOAD);
    if (library == nullptr) continue;
    auto* const variable = static_cast<const Recorder**>(dlsym(library, kVariable));
    if (variable == nullptr) {
      dlclose(library);
    } else if (std::find(waiting.begin(), waiting.end(), variable) == waiting.end()) {
      waiting.push_back(variable);
    }
  }
}

void give(const Recorder* given) {
  const std::lock_guard lock(libraries);
  if (given != nullptr) find_waiting();
  for (const Recorder** variable : waiting) __atomic_store_n(variable, given, __ATOMIC_RELEASE);
}

#else

void give(const Recorder*) {}

#endif

}  // namespace

void start_marked_ops() {
  {
    const std::lock_guard lock(guard);
    marked = {};
    known_names.clear();
    is_recording = true;
  }
  give(&recorder);
}

MarkedOps stop_marked_ops() {
  give(nullptr);
  const std::lock_guard lock(guard);
  is_recording = false;
  known_names.clear();
  return std::exchange(marked, {});
}

}  // namespace stepscope
