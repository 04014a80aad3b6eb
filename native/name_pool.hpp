// A thread-safe pool of names: each name gets a small id that never changes, and its bytes never move.
#pragma once

#include <cstdint>
#include <deque>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>

namespace stepscope {

class NamePool {
 public:
  int32_t intern(std::string_view name) {
    std::lock_guard lock(mutex_);
    if (auto found = ids_.find(name); found != ids_.end()) return found->second;
    names_.emplace_back(name);
    const auto id = static_cast<int32_t>(names_.size() - 1);
    ids_.emplace(names_.back(), id);
    return id;
  }

  int32_t find(std::string_view name) const {
    std::lock_guard lock(mutex_);
    auto found = ids_.find(name);
    return found == ids_.end() ? -1 : found->second;
  }

  // The view stays valid as long as the pool: names are never removed.
  std::string_view name(int32_t id) const {
    std::lock_guard lock(mutex_);
    if (id < 0 || static_cast<size_t>(id) >= names_.size()) return {};
    return names_[static_cast<size_t>(id)];
  }

  size_t size() const {
    std::lock_guard lock(mutex_);
    return names_.size();
  }

 private:
  mutable std::mutex mutex_;
  std::deque<std::string> names_;
  std::unordered_map<std::string_view, int32_t> ids_;
};

}  // namespace stepscope
