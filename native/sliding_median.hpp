// The medians of windows that slide over a series, in time that grows with the log of the window.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace stepscope {

// A set of small numbers with the next and previous member of any number in three or four steps.
class RankSet {
 public:
  void reset(std::size_t size) {
    levels_.clear();
    do {
      size = (size + 63) / 64;
      levels_.emplace_back(size, 0);
    } while (size > 1);
  }
  void insert(std::size_t rank) {
    for (auto& level : levels_) {
      level[rank >> 6] |= std::uint64_t{1} << (rank & 63);
      rank >>= 6;
    }
  }
  void erase(std::size_t rank) {
    for (auto& level : levels_) {
      level[rank >> 6] &= ~(std::uint64_t{1} << (rank & 63));
      if (level[rank >> 6] != 0) return;
      rank >>= 6;
    }
  }
  // The member after `rank`; there must be one.
  std::size_t next(std::size_t rank) const {
    for (std::size_t depth = 0;; ++depth) {
      const std::size_t bit = rank & 63;
      rank >>= 6;
      const std::uint64_t above = bit == 63 ? 0 : levels_[depth][rank] >> (bit + 1) << (bit + 1);
      if (above == 0) continue;
      rank = rank << 6 | static_cast<std::size_t>(std::countr_zero(above));
      while (depth-- > 0) rank = rank << 6 | static_cast<std::size_t>(std::countr_zero(levels_[depth][rank]));
      return rank;
    }
  }
  // The member before `rank`; there must be one.
  std::size_t previous(std::size_t rank) const {
    for (std::size_t depth = 0;; ++depth) {
      const std::size_t bit = rank & 63;
      rank >>= 6;
      const std::uint64_t below = levels_[depth][rank] & ((std::uint64_t{1} << bit) - 1);
      if (below == 0) continue;
      rank = rank << 6 | static_cast<std::size_t>(63 - std::countl_zero(below));
      while (depth-- > 0) rank = rank << 6 | static_cast<std::size_t>(63 - std::countl_zero(levels_[depth][rank]));
      return rank;
    }
  }

 private:
  std::vector<std::vector<std::uint64_t>> levels_;
};

// The middle of a set of ranks: `below` members are smaller than `middle_`, which is a member unless the set is empty.
class MedianOfRanks {
 public:
  void reset(std::size_t size) {
    ranks_.reset(size);
    count_ = below_ = middle_ = 0;
  }
  void insert(std::size_t rank) {
    ranks_.insert(rank);
    if (count_++ == 0) {
      middle_ = rank;
      below_ = 0;
    } else if (rank < middle_) {
      ++below_;
    }
    settle();
  }
  void erase(std::size_t rank) {
    ranks_.erase(rank);
    if (--count_ == 0) {
      below_ = 0;
      return;
    }
    if (rank < middle_) {
      --below_;
    } else if (rank == middle_) {
      if (below_ < count_) {
        middle_ = ranks_.next(middle_);
      } else {
        middle_ = ranks_.previous(middle_);
        --below_;
      }
    }
    settle();
  }
  std::size_t count() const { return count_; }
  // The lower of the middle two when the count is even.
  std::size_t lower() const { return middle_; }
  std::size_t upper() const { return count_ % 2 == 1 ? middle_ : ranks_.next(middle_); }

 private:
  void settle() {
    const std::size_t wanted = (count_ - 1) / 2;
    for (; below_ < wanted; ++below_) middle_ = ranks_.next(middle_);
    for (; below_ > wanted; --below_) middle_ = ranks_.previous(middle_);
  }

  RankSet ranks_;
  std::size_t count_ = 0;
  std::size_t below_ = 0;
  std::size_t middle_ = 0;
};

struct Ranked {
  double value;
  std::uint32_t place;  // in the stretch being ranked
};

// Medians of the windows around [begin, end): ranks the stretch they all lie in once, then slides over its ranks.
// Both edges of a window only ever move to the right, also where it grows from the start or shrinks to the end.
class MedianStretch {
 public:
  MedianStretch(std::span<const double> in, std::size_t half, std::span<double> out) : in_(in), half_(half), out_(out) {}

  void run(std::size_t begin, std::size_t end) {
    const std::size_t first = begin - reach(begin);
    rank(first, end + reach(end - 1) - first);
    median_.reset(values_.size());
    std::size_t left = first;
    std::size_t right = first;
    for (std::size_t centre = begin; centre < end; ++centre) {
      const std::size_t wide = reach(centre);
      for (; right <= centre + wide; ++right) insert(right - first);
      for (; left < centre - wide; ++left) erase(left - first);
      out_[centre] = std::isfinite(in_[centre]) ? middle() : in_[centre];
    }
  }

 private:
  static constexpr std::uint32_t kNoRank = 0xffffffff;

  std::size_t reach(std::size_t centre) const { return std::min({half_, centre, in_.size() - 1 - centre}); }

  void rank(std::size_t first, std::size_t length) {
    order_.clear();
    for (std::size_t place = 0; place < length; ++place) {
      if (std::isfinite(in_[first + place])) order_.push_back({in_[first + place], static_cast<std::uint32_t>(place)});
    }
    std::sort(order_.begin(), order_.end(), [](const Ranked& a, const Ranked& b) { return a.value < b.value; });
    rank_of_.assign(length, kNoRank);
    values_.resize(order_.size());
    for (std::uint32_t rank = 0; rank < order_.size(); ++rank) {
      rank_of_[order_[rank].place] = rank;
      values_[rank] = order_[rank].value;
    }
  }
  void insert(std::size_t place) {
    if (rank_of_[place] != kNoRank) median_.insert(rank_of_[place]);
  }
  void erase(std::size_t place) {
    if (rank_of_[place] != kNoRank) median_.erase(rank_of_[place]);
  }
  double middle() const {
    const double low = values_[median_.lower()];
    const double high = values_[median_.upper()];
    return low == high ? low : low / 2 + high / 2;
  }

  std::span<const double> in_;
  std::size_t half_;
  std::span<double> out_;
  std::vector<Ranked> order_;
  std::vector<std::uint32_t> rank_of_;
  std::vector<double> values_;
  MedianOfRanks median_;
};

}  // namespace stepscope
