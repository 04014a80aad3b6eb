// Reads a gzip file as the bytes it holds, in one pass with constant memory, and remembers restart points so that a few bytes from
// anywhere can be read again later. Our own decoder, because the system's zlib need not have its headers installed.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "file_window.hpp"

namespace stepscope {

// A state from which decoding can go on: a block's first bit and the history it may refer to.
struct RestartPoint {
  uint64_t output = 0;  // how many bytes came out before it
  uint64_t input_bit = 0;
  std::string history;
};

// The restart points of one file, in order. Their number is bounded: when there are too many, every second one is dropped.
class RestartIndex {
 public:
  static constexpr uint64_t kSpacing = uint64_t{4} << 20;
  static constexpr size_t kMost = 1024;

  bool wants(uint64_t output) const { return points_.empty() ? output >= spacing_ : output >= points_.back().output + spacing_; }
  void add(RestartPoint point);
  // The last point at or before that output byte; none when reading has to begin at the file's start.
  const RestartPoint* before(uint64_t output) const;
  size_t size() const { return points_.size(); }

 private:
  uint64_t spacing_ = kSpacing;
  std::vector<RestartPoint> points_;
};

enum class InflateEnd : uint8_t {
  none,       // there is more to read
  complete,   // every member ended and its checksum was right
  truncated,  // the file ends inside a member
  damaged,    // bytes that are no deflate stream, or a wrong checksum
  too_large,  // stopped at the limit of size or ratio
};

struct InflateLimits {
  uint64_t most_output = uint64_t{64} << 30;
  uint64_t most_ratio = 500;  // of output to input; counted only beyond kRatioFree
  static constexpr uint64_t kRatioFree = uint64_t{64} << 20;
};

class Inflater {
 public:
  Inflater(const Origin& origin, InflateLimits limits);
  // Goes on from a restart point; checksums are not looked at then.
  Inflater(const Origin& origin, InflateLimits limits, const RestartPoint& from);
  ~Inflater();
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;

  // Up to `most` bytes; 0 only at the end, and `end` says then why.
  size_t read(char* into, size_t most);
  InflateEnd end() const { return end_; }
  uint64_t output() const { return output_base_ + output_; }  // decoded so far, also what was not yet read
  RestartIndex& index() { return index_; }

  static bool is_gzip(std::string_view head) { return head.size() >= 3 && head.substr(0, 3) == std::string_view("\x1f\x8b\x08", 3); }

 private:
  enum class State : uint8_t { member, block, stored, codes, trailer, done };
  struct Tables;

  static constexpr size_t kHistory = size_t{32} << 10;
  static constexpr size_t kChunk = size_t{256} << 10;
  static constexpr size_t kSlack = 320;  // the longest match and the widest store beyond it
  static constexpr size_t kInput = size_t{128} << 10;
  static constexpr size_t kPadding = 32;  // zeros after the input's end, so that a wide load stays inside

  void decode_chunk();
  void finish(InflateEnd end);
  bool load_input();
  bool need(unsigned bits);
  uint32_t take(unsigned bits);
  void drop_to_byte();
  uint64_t position_bits() const;
  bool overrun() const;
  void read_member_header();
  void read_block_header();
  void read_stored();
  bool read_dynamic_tables();
  void use_fixed_tables();
  template <bool kChecked>
  void read_codes();
  void read_trailer();
  void note_restart_point();
  void check_limits();
  bool any_left();

  FileWindow file_;
  InflateLimits limits_;
  RestartIndex index_;
  std::unique_ptr<Tables> tables_;

  std::vector<char> in_;
  uint64_t in_base_ = 0;  // file offset of in_[0]
  size_t in_at_ = 0, in_end_ = 0;
  bool in_last_ = false;
  uint64_t bits_ = 0;
  unsigned bit_count_ = 0;

  std::vector<char> out_;  // history, then what was decoded since
  size_t out_read_ = 0, out_at_ = 0;
  uint64_t output_base_ = 0, output_ = 0;
  uint64_t member_output_ = 0;
  uint32_t crc_ = 0;
  bool verify_ = true;
  bool last_block_ = false;
  uint32_t stored_left_ = 0;
  uint32_t members_ = 0;
  State state_ = State::member;
  InflateEnd end_ = InflateEnd::none;
};

// CRC-32 as gzip has it.
uint32_t crc32(const void* data, size_t size, uint32_t seed = 0);

}  // namespace stepscope
