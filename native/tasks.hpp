// Runs tasks that do not touch each other's data, on a few threads when there is enough to do.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

namespace stepscope {

inline constexpr size_t kMostWorkers = 8;

// How many threads work at once: at most so many, 0 for as many as there are cores. What they find does not depend on it.
inline size_t workers_of(size_t most) {
  const size_t cores = std::max(1u, std::thread::hardware_concurrency());
  return std::min(most == 0 ? cores : most, kMostWorkers);
}

// Takes tasks 0 to `tasks` - 1 in this order. The first exception is thrown again here.
template <class Task>
void for_each_task(size_t tasks, size_t workers, const Task& task) {
  workers = std::min(workers, tasks);
  if (workers <= 1) {
    for (size_t one = 0; one < tasks; ++one) task(one);
    return;
  }
  std::atomic<size_t> next{0};
  std::exception_ptr failure;
  std::mutex guard;
  const auto work = [&] {
    try {
      for (size_t one; (one = next.fetch_add(1)) < tasks;) task(one);
    } catch (...) {
      std::lock_guard lock(guard);
      if (!failure) failure = std::current_exception();
    }
  };
  std::vector<std::thread> threads;
  try {
    for (size_t i = 1; i < workers; ++i) threads.emplace_back(work);
  } catch (const std::system_error&) {  // the system has no more threads: those there are do it all
  }
  work();
  for (std::thread& thread : threads) thread.join();
  if (failure) std::rethrow_exception(failure);
}

}  // namespace stepscope
