// Runs one task for each track, on a few threads when there is enough to do.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

namespace stepscope::profile {

// The tasks must not touch each other's data. The first exception is thrown again here.
template <class Task>
void for_each_track(size_t tracks, bool worth_threads, const Task& task) {
  const size_t cores = std::max(1u, std::thread::hardware_concurrency());
  const size_t workers = worth_threads ? std::min({cores, tracks, size_t{8}}) : 1;
  if (workers <= 1) {
    for (size_t track = 0; track < tracks; ++track) task(track);
    return;
  }
  std::atomic<size_t> next{0};
  std::exception_ptr failure;
  std::mutex guard;
  const auto work = [&] {
    try {
      for (size_t track; (track = next.fetch_add(1)) < tracks;) task(track);
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

}  // namespace stepscope::profile
