// Deflate by tables of eleven bits, sixty-four bits at a time, with gzip's frame around it.
#include "inflate.hpp"

#include <algorithm>
#include <cstring>

#include "wire/little_endian.hpp"

namespace stepscope {
namespace {

using CrcTables = std::array<std::array<uint32_t, 256>, 8>;

constexpr CrcTables make_crc_tables() {
  CrcTables tables{};
  for (uint32_t i = 0; i < 256; ++i) {
    uint32_t crc = i;
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ ((crc & 1) ? 0xedb88320u : 0u);
    tables[0][i] = crc;
  }
  for (size_t t = 1; t < 8; ++t)
    for (size_t i = 0; i < 256; ++i) tables[t][i] = (tables[t - 1][i] >> 8) ^ tables[0][tables[t - 1][i] & 0xff];
  return tables;
}

constexpr CrcTables kCrc = make_crc_tables();

// One entry of a decoding table: bits 0-3 the code's length, 4-7 the extra bits that follow, 8-10 the kind, 16-31 a value.
enum Kind : uint32_t { kLiteral = 0, kBase = 1, kEnd = 2, kSubtable = 3, kInvalid = 4 };
constexpr uint32_t entry(Kind kind, uint32_t value, uint32_t extra, uint32_t length) {
  return length | extra << 4 | static_cast<uint32_t>(kind) << 8 | value << 16;
}
constexpr uint32_t length_of(uint32_t e) { return e & 15; }
constexpr uint32_t extra_of(uint32_t e) { return (e >> 4) & 15; }
constexpr uint32_t kind_of(uint32_t e) { return (e >> 8) & 7; }
constexpr uint32_t value_of(uint32_t e) { return e >> 16; }

constexpr unsigned kMaxLength = 15;
constexpr unsigned kLiteralBits = 11, kDistanceBits = 9, kLengthCodeBits = 7;

constexpr std::array<uint16_t, 29> kLengthBase = {3,  4,  5,  6,  7,  8,  9,  10, 11,  13,  15,  17,  19,  23, 27,
                                                  31, 35, 43, 51, 59, 67, 83, 99, 115, 131, 163, 195, 227, 258};
constexpr std::array<uint8_t, 29> kLengthExtra = {0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2,
                                                  2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0};
constexpr std::array<uint16_t, 30> kDistanceBase = {1,    2,    3,    4,    5,    7,    9,    13,    17,    25,
                                                    33,   49,   65,   97,   129,  193,  257,  385,   513,   769,
                                                    1025, 1537, 2049, 3073, 4097, 6145, 8193, 12289, 16385, 24577};
constexpr std::array<uint8_t, 19> kCodeLengthOrder = {16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15};

uint32_t literal_entry(uint32_t symbol, uint32_t length) {
  if (symbol < 256) return entry(kLiteral, symbol, 0, length);
  if (symbol == 256) return entry(kEnd, 0, 0, length);
  if (symbol > 285) return entry(kInvalid, 0, 0, length);
  return entry(kBase, kLengthBase[symbol - 257], kLengthExtra[symbol - 257], length);
}

uint32_t distance_entry(uint32_t symbol, uint32_t length) {
  if (symbol > 29) return entry(kInvalid, 0, 0, length);
  return entry(kBase, kDistanceBase[symbol], symbol < 2 ? 0 : symbol / 2 - 1, length);
}

uint32_t plain_entry(uint32_t symbol, uint32_t length) { return entry(kLiteral, symbol, 0, length); }

uint32_t reversed(uint32_t code, unsigned length) {
  uint32_t result = 0;
  for (unsigned i = 0; i < length; ++i) result |= ((code >> i) & 1) << (length - 1 - i);
  return result;
}

// Fills `table` (2^root entries, then subtables) for the code lengths; false when they make no prefix code.
// An incomplete code is allowed only with at most one symbol, as encoders write for a single distance.
template <class MakeEntry>
bool build_table(const uint8_t* lengths, unsigned symbols, unsigned root, std::vector<uint32_t>& table, MakeEntry make) {
  std::array<unsigned, kMaxLength + 1> count{};
  for (unsigned i = 0; i < symbols; ++i) ++count[lengths[i]];
  const unsigned used = symbols - count[0];
  count[0] = 0;
  std::array<uint32_t, kMaxLength + 2> next{};
  uint32_t code = 0;
  int64_t left = 1;
  for (unsigned length = 1; length <= kMaxLength; ++length) {
    code = (code + count[length - 1]) << 1;
    next[length] = code;
    left = left * 2 - count[length];
    if (left < 0) return false;
  }
  if (left > 0 && used > 1) return false;
  const size_t roots = size_t{1} << root;
  table.assign(roots, entry(kInvalid, 0, 0, 1));
  // How long the longest code behind each root prefix is decides its subtable's size.
  std::vector<uint8_t> longest;
  std::vector<uint32_t> codes(symbols);
  for (unsigned i = 0; i < symbols; ++i) {
    const unsigned length = lengths[i];
    if (length == 0) continue;
    codes[i] = reversed(next[length]++, length);
    if (length > root) {
      if (longest.empty()) longest.resize(roots);
      uint8_t& most = longest[codes[i] & (roots - 1)];
      most = std::max(most, static_cast<uint8_t>(length));
    }
  }
  for (size_t prefix = 0; prefix < longest.size(); ++prefix) {
    if (longest[prefix] == 0) continue;
    const unsigned bits = longest[prefix] - root;
    table[prefix] = entry(kSubtable, static_cast<uint32_t>(table.size()), bits, root);
    table.resize(table.size() + (size_t{1} << bits), entry(kInvalid, 0, 0, 1));
  }
  for (unsigned i = 0; i < symbols; ++i) {
    const unsigned length = lengths[i];
    if (length == 0) continue;
    if (length <= root) {
      for (size_t at = codes[i]; at < roots; at += size_t{1} << length) table[at] = make(i, length);
      continue;
    }
    const uint32_t pointer = table[codes[i] & (roots - 1)];
    const size_t size = size_t{1} << extra_of(pointer);
    for (size_t at = codes[i] >> root; at < size; at += size_t{1} << (length - root))
      table[value_of(pointer) + at] = make(i, length - root);
  }
  return true;
}

// Copies within the output; may write up to 15 bytes beyond, and reads what it just wrote when the distance is short.
inline void copy_match(char* to, size_t distance, size_t length) {
  const char* from = to - distance;
  char* const end = to + length;
  if (distance >= 16) {
    do {
      std::memcpy(to, from, 16);
      to += 16, from += 16;
    } while (to < end);
  } else if (distance == 1) {
    std::memset(to, *from, length);
  } else if (distance >= 8) {
    do {
      std::memcpy(to, from, 8);
      to += 8, from += 8;
    } while (to < end);
  } else {
    do *to++ = *from++;
    while (to < end);
  }
}

}  // namespace

uint32_t crc32(const void* data, size_t size, uint32_t seed) {
  const auto* p = static_cast<const char*>(data);
  uint32_t crc = ~seed;
  for (; size >= 8; p += 8, size -= 8) {
    const uint64_t word = wire::little_endian<uint64_t>(p) ^ crc;
    crc = kCrc[7][word & 0xff] ^ kCrc[6][(word >> 8) & 0xff] ^ kCrc[5][(word >> 16) & 0xff] ^ kCrc[4][(word >> 24) & 0xff] ^
          kCrc[3][(word >> 32) & 0xff] ^ kCrc[2][(word >> 40) & 0xff] ^ kCrc[1][(word >> 48) & 0xff] ^ kCrc[0][word >> 56];
  }
  for (; size > 0; ++p, --size) crc = (crc >> 8) ^ kCrc[0][(crc ^ static_cast<uint8_t>(*p)) & 0xff];
  return ~crc;
}

void RestartIndex::add(RestartPoint point) {
  if (points_.size() >= kMost) {
    for (size_t i = 1; 2 * i < points_.size(); ++i) points_[i] = std::move(points_[2 * i]);
    points_.resize((points_.size() + 1) / 2);
    spacing_ *= 2;
  }
  if (wants(point.output)) points_.push_back(std::move(point));
}

const RestartPoint* RestartIndex::before(uint64_t output) const {
  const auto after = std::upper_bound(points_.begin(), points_.end(), output,
                                      [](uint64_t at, const RestartPoint& point) { return at < point.output; });
  return after == points_.begin() ? nullptr : &*(after - 1);
}

struct Inflater::Tables {
  std::vector<uint32_t> literal, distance, code_length;
};

Inflater::Inflater(const Origin& origin, InflateLimits limits) : file_(origin), limits_(limits), tables_(std::make_unique<Tables>()) {
  in_.resize(kInput + kPadding);
  out_.resize(kHistory + kChunk + kSlack);
}

Inflater::Inflater(const Origin& origin, InflateLimits limits, const RestartPoint& from) : Inflater(origin, limits) {
  in_base_ = from.input_bit / 8;
  output_base_ = from.output;
  std::copy(from.history.begin(), from.history.end(), out_.begin());
  out_at_ = out_read_ = from.history.size();
  member_output_ = from.history.size();
  verify_ = false;
  members_ = 1;
  state_ = State::block;
  if (need(static_cast<unsigned>(from.input_bit % 8))) take(static_cast<unsigned>(from.input_bit % 8));
}

Inflater::~Inflater() = default;

size_t Inflater::read(char* into, size_t most) {
  if (out_read_ == out_at_ && end_ == InflateEnd::none) decode_chunk();
  const size_t size = std::min(most, out_at_ - out_read_);
  std::memcpy(into, out_.data() + out_read_, size);
  out_read_ += size;
  return size;
}

void Inflater::finish(InflateEnd end) {
  if (end_ == InflateEnd::none || end_ == InflateEnd::complete) end_ = end;
  state_ = State::done;
}

// Decodes until a chunk is full or everything ended.
void Inflater::decode_chunk() {
  if (out_at_ > kHistory) {
    std::memmove(out_.data(), out_.data() + out_at_ - kHistory, kHistory);
    out_at_ = kHistory;
  }
  out_read_ = out_at_;
  size_t checked = out_at_;
  const auto account = [&] {
    const size_t fresh = out_at_ - checked;
    if (verify_) crc_ = crc32(out_.data() + checked, fresh, crc_);
    output_ += fresh;
    member_output_ += fresh;
    checked = out_at_;
  };
  while (out_at_ < kHistory + kChunk && state_ != State::done) {
    switch (state_) {
      case State::member:
        read_member_header();
        break;
      case State::block:
        account();
        note_restart_point();
        read_block_header();
        break;
      case State::stored:
        read_stored();
        break;
      case State::codes:
        load_input();
        if (in_last_)
          read_codes<true>();
        else
          read_codes<false>();
        break;
      case State::trailer:
        account();
        read_trailer();
        break;
      case State::done:
        break;
    }
  }
  account();
  check_limits();
}

void Inflater::check_limits() {
  const uint64_t input = in_base_ + in_at_;
  if (output() > limits_.most_output ||
      (output_ > InflateLimits::kRatioFree && output() / std::max<uint64_t>(input, 1) > limits_.most_ratio))
    finish(InflateEnd::too_large);
}

void Inflater::note_restart_point() {
  if (!verify_ || !index_.wants(output())) return;
  const size_t size = std::min<uint64_t>({kHistory, member_output_, out_at_});
  index_.add({output(), position_bits(), std::string(out_.data() + out_at_ - size, size)});
}

uint64_t Inflater::position_bits() const { return (in_base_ + in_at_) * 8 - bit_count_; }

bool Inflater::overrun() const { return in_last_ && position_bits() > (in_base_ + in_end_) * 8; }

// Keeps what is not used yet and reads on behind it. The bytes already in `bits_` stay counted as used.
bool Inflater::load_input() {
  if (in_last_) return false;
  if (in_end_ - std::min(in_at_, in_end_) >= kInput / 2) return true;
  const size_t left = in_end_ - in_at_;
  std::memmove(in_.data(), in_.data() + in_at_, left);
  in_base_ += in_at_;
  in_at_ = 0;
  const std::string_view more = file_.peek(in_base_ + left, kInput - left);
  const size_t size = std::min(more.size(), kInput - left);
  std::copy_n(more.data(), size, in_.data() + left);
  in_end_ = left + size;
  if (size < kInput - left) {
    in_last_ = true;
    std::memset(in_.data() + in_end_, 0, kPadding);
  }
  return true;
}

// Makes at least `bits` (up to 32) ready; false when the file has no more.
bool Inflater::need(unsigned bits) {
  while (bit_count_ < bits) {
    if (in_at_ >= in_end_) {
      if (!load_input() || in_at_ >= in_end_) return false;
    }
    bits_ |= static_cast<uint64_t>(static_cast<uint8_t>(in_[in_at_++])) << bit_count_;
    bit_count_ += 8;
  }
  return true;
}

uint32_t Inflater::take(unsigned bits) {
  const auto value = static_cast<uint32_t>(bits_ & ((uint64_t{1} << bits) - 1));
  bits_ >>= bits;
  bit_count_ -= bits;
  return value;
}

void Inflater::drop_to_byte() { take(bit_count_ % 8); }

bool Inflater::any_left() { return need(8); }

void Inflater::read_member_header() {
  if (members_ > 0) {
    while (need(8) && (bits_ & 0xff) == 0) take(8);  // padding between or after members
    if (!any_left()) return finish(InflateEnd::complete);
  }
  static constexpr uint8_t kMagic[3] = {0x1f, 0x8b, 8};
  for (const uint8_t byte : kMagic) {
    if (!need(8)) return finish(InflateEnd::truncated);
    if (take(8) != byte) return finish(members_ > 0 ? InflateEnd::complete : InflateEnd::damaged);
  }
  if (!need(8)) return finish(InflateEnd::truncated);
  const uint32_t flags = take(8);
  for (int i = 0; i < 6; ++i) {  // time, compression level, system
    if (!need(8)) return finish(InflateEnd::truncated);
    take(8);
  }
  if (flags & 4) {
    if (!need(16)) return finish(InflateEnd::truncated);
    for (uint32_t left = take(16); left > 0; --left) {
      if (!need(8)) return finish(InflateEnd::truncated);
      take(8);
    }
  }
  for (const uint32_t text : {8u, 16u}) {  // file name, comment
    while (flags & text) {
      if (!need(8)) return finish(InflateEnd::truncated);
      if (take(8) == 0) break;
    }
  }
  if (flags & 2) {
    if (!need(16)) return finish(InflateEnd::truncated);
    take(16);
  }
  ++members_;
  crc_ = 0;
  member_output_ = 0;
  state_ = State::block;
}

void Inflater::read_block_header() {
  if (!need(3)) return finish(InflateEnd::truncated);
  last_block_ = take(1) != 0;
  switch (take(2)) {
    case 0: {
      drop_to_byte();
      if (!need(32)) return finish(InflateEnd::truncated);
      stored_left_ = take(16);
      if ((stored_left_ ^ take(16)) != 0xffff) return finish(InflateEnd::damaged);
      state_ = State::stored;
      break;
    }
    case 1:
      use_fixed_tables();
      state_ = State::codes;
      break;
    case 2:
      if (read_dynamic_tables())
        state_ = State::codes;
      else
        finish(in_last_ && in_at_ >= in_end_ ? InflateEnd::truncated : InflateEnd::damaged);
      break;
    default:
      finish(InflateEnd::damaged);
  }
}

void Inflater::use_fixed_tables() {
  std::array<uint8_t, 288> literal{};
  std::fill(literal.begin(), literal.begin() + 144, uint8_t{8});
  std::fill(literal.begin() + 144, literal.begin() + 256, uint8_t{9});
  std::fill(literal.begin() + 256, literal.begin() + 280, uint8_t{7});
  std::fill(literal.begin() + 280, literal.end(), uint8_t{8});
  std::array<uint8_t, 32> distance;
  distance.fill(5);
  build_table(literal.data(), 288, kLiteralBits, tables_->literal, literal_entry);
  build_table(distance.data(), 32, kDistanceBits, tables_->distance, distance_entry);
}

bool Inflater::read_dynamic_tables() {
  if (!need(14)) return false;
  const uint32_t literals = take(5) + 257, distances = take(5) + 1, codes = take(4) + 4;
  std::array<uint8_t, 19> code_lengths{};
  for (uint32_t i = 0; i < codes; ++i) {
    if (!need(3)) return false;
    code_lengths[kCodeLengthOrder[i]] = static_cast<uint8_t>(take(3));
  }
  if (!build_table(code_lengths.data(), 19, kLengthCodeBits, tables_->code_length, plain_entry)) return false;
  std::array<uint8_t, 320 + 138> lengths{};
  for (uint32_t i = 0; i < literals + distances;) {
    need(14);  // less may be left at the very end
    const uint32_t e = tables_->code_length[bits_ & ((1u << kLengthCodeBits) - 1)];
    if (kind_of(e) != kLiteral || length_of(e) > bit_count_) return false;
    take(length_of(e));
    const uint32_t symbol = value_of(e);
    if (symbol < 16) {
      lengths[i++] = static_cast<uint8_t>(symbol);
      continue;
    }
    static constexpr unsigned kBits[3] = {2, 3, 7};
    static constexpr uint32_t kBase[3] = {3, 3, 11};
    if (kBits[symbol - 16] > bit_count_ || (symbol == 16 && i == 0)) return false;
    const uint8_t value = symbol == 16 ? lengths[i - 1] : uint8_t{0};
    for (uint32_t repeat = kBase[symbol - 16] + take(kBits[symbol - 16]); repeat > 0 && i < lengths.size(); --repeat)
      lengths[i++] = value;
  }
  return build_table(lengths.data(), literals, kLiteralBits, tables_->literal, literal_entry) &&
         build_table(lengths.data() + literals, distances, kDistanceBits, tables_->distance, distance_entry);
}

void Inflater::read_stored() {
  while (stored_left_ > 0 && out_at_ < kHistory + kChunk) {
    if (bit_count_ >= 8) {
      out_[out_at_++] = static_cast<char>(take(8));
      --stored_left_;
      continue;
    }
    if (in_at_ >= in_end_ && (!load_input() || in_at_ >= in_end_)) return finish(InflateEnd::truncated);
    const size_t size = std::min<size_t>({stored_left_, kHistory + kChunk - out_at_, in_end_ - in_at_});
    std::memcpy(out_.data() + out_at_, in_.data() + in_at_, size);
    out_at_ += size;
    in_at_ += size;
    stored_left_ -= static_cast<uint32_t>(size);
  }
  if (stored_left_ == 0) state_ = last_block_ ? State::trailer : State::block;
}

// Checked near the file's end only: there, zeros follow the last byte and every symbol is held against what is really there.
template <bool kChecked>
void Inflater::read_codes() {
  const char* in = in_.data() + in_at_;
  const char* const in_stop = in_.data() + in_end_ + (kChecked ? kPadding : 0) - 24;  // two refills stay inside
  char* out = out_.data() + out_at_;
  char* const out_stop = out_.data() + kHistory + kChunk;
  const uint32_t* const literal = tables_->literal.data();
  const uint32_t* const distance = tables_->distance.data();
  uint64_t bits = bits_;
  unsigned count = bit_count_;
  bool ended = false, bad = false;
  const auto refill = [&] {
    bits |= wire::little_endian<uint64_t>(in) << count;
    in += (63 - count) >> 3;
    count |= 56;
  };
  const auto drop = [&](uint32_t n) {
    bits >>= n;
    count -= n;
  };
  const auto beyond = [&] {
    return kChecked && (in - in_.data()) * 8 - static_cast<int64_t>(count) > static_cast<int64_t>(in_end_) * 8;
  };
  while (out < out_stop && in <= in_stop) {
    refill();
    uint32_t e = literal[bits & ((1u << kLiteralBits) - 1)];
    // Three literals fit what one refill brings, and still leave a whole length code.
    if (kind_of(e) == kLiteral) {
      drop(length_of(e));
      *out++ = static_cast<char>(value_of(e));
      e = literal[bits & ((1u << kLiteralBits) - 1)];
      if (kind_of(e) == kLiteral) {
        drop(length_of(e));
        *out++ = static_cast<char>(value_of(e));
        e = literal[bits & ((1u << kLiteralBits) - 1)];
        if (kind_of(e) == kLiteral) {
          drop(length_of(e));
          *out++ = static_cast<char>(value_of(e));
          if (beyond()) break;
          continue;
        }
      }
    }
    if (kind_of(e) == kSubtable) {
      drop(kLiteralBits);
      e = literal[value_of(e) + (bits & ((1u << extra_of(e)) - 1))];
      if (kind_of(e) == kLiteral) {
        drop(length_of(e));
        *out++ = static_cast<char>(value_of(e));
        if (beyond()) break;
        continue;
      }
    }
    if (kind_of(e) != kBase) {
      drop(length_of(e));
      (kind_of(e) == kEnd ? ended : bad) = true;
      break;
    }
    drop(length_of(e));
    const size_t length = value_of(e) + (bits & ((1u << extra_of(e)) - 1));
    drop(extra_of(e));
    if (count < 32) refill();
    e = distance[bits & ((1u << kDistanceBits) - 1)];
    if (kind_of(e) == kSubtable) {
      drop(kDistanceBits);
      e = distance[value_of(e) + (bits & ((1u << extra_of(e)) - 1))];
    }
    drop(length_of(e));
    const size_t back = value_of(e) + (bits & ((1u << extra_of(e)) - 1));
    drop(extra_of(e));
    if (kind_of(e) != kBase || back > static_cast<size_t>(out - out_.data())) {
      bad = true;
      break;
    }
    if (beyond()) break;
    copy_match(out, back, length);
    out += length;
  }
  in_at_ = static_cast<size_t>(in - in_.data());
  bits_ = bits & (count < 64 ? (uint64_t{1} << count) - 1 : ~uint64_t{0});
  bit_count_ = count;
  out_at_ = static_cast<size_t>(out - out_.data());
  // Whole bytes that were loaded ahead go back, so that everything outside this loop reads byte by byte.
  in_at_ -= bit_count_ / 8;
  bit_count_ %= 8;
  bits_ &= (uint64_t{1} << bit_count_) - 1;
  if (overrun()) return finish(InflateEnd::truncated);
  if (bad) return finish(InflateEnd::damaged);
  if (ended) state_ = last_block_ ? State::trailer : State::block;
}

void Inflater::read_trailer() {
  drop_to_byte();
  if (!need(32)) return finish(InflateEnd::truncated);
  const uint32_t crc = take(32);
  if (!need(32)) return finish(InflateEnd::truncated);
  const uint32_t size = take(32);
  if (verify_ && (crc != crc_ || size != static_cast<uint32_t>(member_output_))) return finish(InflateEnd::damaged);
  state_ = State::member;
}

}  // namespace stepscope
