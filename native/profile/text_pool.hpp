// Text kept once: each distinct text gets a small number. For one thread; bounded, and safe against chosen collisions.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <deque>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "profile/note_numbers.hpp"

namespace stepscope::profile {

class TextPool {
 public:
  static constexpr size_t kLongest = 16 << 10;             // a longer text is cut
  static constexpr size_t kMostBytes = size_t{512} << 20;  // beyond it everything new is one text
  static constexpr std::string_view kOverflow = "(too many names)";
  static constexpr std::string_view kShown = " are shown as \"(too many names)\" and count in all sums.";

  // Beyond so many texts everything new is one text, too.
  void limit(uint64_t texts) { most_ = texts; }
  // What was left out, for a note to the user; empty when nothing was.
  std::string left_out() const {
    if (!too_many_ && !too_large_) return {};
    const std::string limit = too_many_ ? grouped(most_) + " distinct names" : grouped(kMostBytes >> 20) + " MiB of names";
    return "The file has more than " + limit + ": the others" + std::string(kShown);
  }
  void overflow_as(const TextPool& other) {
    too_many_ |= other.too_many_;
    too_large_ |= other.too_large_;
  }

  int32_t intern(std::string_view text) {
    if (text.size() > kLongest) text = text.substr(0, kLongest);
    if ((used_ + 1) * 2 > slots_.size()) grow();
    const uint64_t hash = hash_of(text);
    Slot& slot = slots_[place(hash, text)];
    if (slot.id >= 0) return slot.id;
    const bool many = texts_.size() >= most_, large = bytes_ + text.size() > kMostBytes;
    if ((!many && !large) || text == kOverflow) return add(slot, hash, text);
    too_many_ |= many;
    too_large_ |= large;
    return intern(kOverflow);
  }

  // The text's number, -1 when it is not there.
  int32_t find(std::string_view text) const {
    if (slots_.empty()) return -1;
    if (text.size() > kLongest) text = text.substr(0, kLongest);
    return slots_[place(hash_of(text), text)].id;
  }

  // Valid as long as the pool: texts never move.
  std::string_view operator[](int32_t id) const {
    return id < 0 ? std::string_view{} : std::string_view(texts_[static_cast<size_t>(id)]);
  }
  size_t size() const { return texts_.size(); }

 private:
  struct Slot {
    uint64_t hash = 0;
    int32_t id = -1;
  };

  static uint64_t mix(uint64_t value) {
    value ^= value >> 32;
    value *= 0xd6e8feb86659fd93u;
    return value ^ value >> 32;
  }

  uint64_t hash_of(std::string_view text) const {
    uint64_t hash = seed_ ^ text.size();
    while (text.size() >= 8) {
      uint64_t word;
      std::memcpy(&word, text.data(), 8);
      hash = mix(hash ^ word) + seed_;
      text.remove_prefix(8);
    }
    uint64_t word = 0;
    if (!text.empty()) std::memcpy(&word, text.data(), text.size());
    return mix(mix(hash ^ word) + seed_);
  }

  size_t place(uint64_t hash, std::string_view text) const {
    const size_t mask = slots_.size() - 1;
    for (size_t at = static_cast<size_t>(hash) & mask;; at = (at + 1) & mask) {
      const Slot& slot = slots_[at];
      if (slot.id < 0 || (slot.hash == hash && texts_[static_cast<size_t>(slot.id)] == text)) return at;
    }
  }

  int32_t add(Slot& slot, uint64_t hash, std::string_view text) {
    slot = {hash, static_cast<int32_t>(texts_.size())};
    texts_.emplace_back(text);
    bytes_ += text.size() + sizeof(std::string);
    ++used_;
    return slot.id;
  }

  void grow() {
    std::vector<Slot> old = std::move(slots_);
    slots_.assign(std::max<size_t>(64, old.size() * 2), Slot{});
    const size_t mask = slots_.size() - 1;
    for (const Slot& slot : old) {
      if (slot.id < 0) continue;
      size_t at = static_cast<size_t>(slot.hash) & mask;
      while (slots_[at].id >= 0) at = (at + 1) & mask;
      slots_[at] = slot;
    }
  }

  static uint64_t random_seed() {
    std::random_device device;
    return (uint64_t{device()} << 32 | device()) | 1;
  }

  uint64_t seed_ = random_seed();
  std::vector<Slot> slots_;
  std::deque<std::string> texts_;
  size_t used_ = 0, bytes_ = 0;
  uint64_t most_ = UINT64_MAX;
  bool too_many_ = false, too_large_ = false;
};

}  // namespace stepscope::profile
