// Fuzzes reading traces in JSON: makes good ones of every kind of event, reads them whole, packed and damaged, and checks what must
// hold for any bytes. Arguments: seconds to run, and a seed.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>

#include "inflate.hpp"
#include "profile/kineto_reader.hpp"
#include "profile/kineto_split.hpp"

namespace {

using namespace stepscope;
using namespace stepscope::profile;

#define HOLDS(condition)                                                                 \
  do {                                                                                   \
    if (!(condition)) {                                                                  \
      std::fprintf(stderr, "%s:%d does not hold: %s\n", __FILE__, __LINE__, #condition); \
      std::abort();                                                                      \
    }                                                                                    \
  } while (false)

std::vector<NameRule> some_rules() {
  const auto category = [](const char* text, CategoryClass kind) {
    return NameRule{RuleScope::category, RuleMatch::exact, text, static_cast<int16_t>(kind), ""};
  };
  return {
      category("cpu_op", CategoryClass::op),
      category("user_annotation", CategoryClass::annotation),
      category("python_function", CategoryClass::python),
      category("cuda_runtime", CategoryClass::runtime),
      category("kernel", CategoryClass::kernel),
      category("gpu_memcpy", CategoryClass::copy),
      category("gpu_memset", CategoryClass::fill),
      category("cuda_sync", CategoryClass::device_wait),
      category("gpu_user_annotation", CategoryClass::device_annotation),
      category("ac2g", CategoryClass::launch_flow),
      category("fwdbwd", CategoryClass::backward_flow),
      {RuleScope::host, RuleMatch::prefix, "ProfilerStep#", static_cast<int16_t>(SpanKind::marker), ""},
      {RuleScope::host, RuleMatch::exact, "a*b", static_cast<int16_t>(SpanKind::collective), ""},
      {RuleScope::kernel, RuleMatch::contains, "nccl", static_cast<int16_t>(SpanKind::collective), ""},
      {RuleScope::collective, RuleMatch::contains, "reduce", 0, "all_reduce"},
      {RuleScope::launch, RuleMatch::contains, "Launch", 1, ""},
      {RuleScope::unproven, RuleMatch::prefix, "xpu_", 0, "some devices"},
  };
}

// Deflate with fixed codes: every literal and every match that a random choice asks for.
class Packer {
 public:
  explicit Packer(std::mt19937_64& random) : random_(random) {}

  std::string pack(const std::string& text) {
    out_.assign("\x1f\x8b\x08\0\0\0\0\0\0\xff", 10);
    for (size_t at = 0; at < text.size() || at == 0;) {
      const size_t size = std::min<size_t>(text.size() - at, random_() % 60000);
      const bool last = at + size >= text.size();
      if (random_() % 3 == 0)
        stored(text, at, size, last);
      else
        fixed(text, at, size, last);
      at += size;
      if (last) break;
    }
    flush();
    number(crc32(text.data(), text.size()));
    number(static_cast<uint32_t>(text.size()));
    return out_;
  }

 private:
  void bits(uint32_t value, unsigned count) {
    buffer_ |= static_cast<uint64_t>(value) << filled_;
    for (filled_ += count; filled_ >= 8; filled_ -= 8, buffer_ >>= 8) out_ += static_cast<char>(buffer_);
  }
  void code(uint32_t value, unsigned count) {
    for (unsigned i = count; i > 0; --i) bits(value >> (i - 1) & 1, 1);
  }
  void flush() {
    if (filled_ > 0) bits(0, 8 - filled_);
  }
  void number(uint32_t value) { bits(value & 0xffff, 16), bits(value >> 16, 16); }
  void literal(uint32_t symbol) {
    if (symbol < 144)
      code(0x30 + symbol, 8);
    else if (symbol < 256)
      code(0x190 + symbol - 144, 9);
    else if (symbol < 280)
      code(symbol - 256, 7);
    else
      code(0xc0 + symbol - 280, 8);
  }
  void stored(const std::string& text, size_t at, size_t size, bool last) {
    bits(last, 1), bits(0, 2);
    flush();
    bits(static_cast<uint32_t>(size), 16), bits(static_cast<uint32_t>(~size & 0xffff), 16);
    out_.append(text, at, size);
  }
  void fixed(const std::string& text, size_t at, size_t size, bool last) {
    bits(last, 1), bits(1, 2);
    for (const size_t end = at + size; at < end;) {
      const size_t back = 1 + random_() % 4;  // distances of one symbol without extra bits
      size_t length = 0;
      if (at >= back)
        while (length < 10 && at + length < end && text[at + length] == text[at + length - back]) ++length;
      if (length >= 3) {
        literal(static_cast<uint32_t>(257 + length - 3));
        code(static_cast<uint32_t>(back - 1), 5);
        at += length;
      } else {
        literal(static_cast<uint8_t>(text[at++]));
      }
    }
    literal(256);
  }

  std::mt19937_64& random_;
  std::string out_;
  uint64_t buffer_ = 0;
  unsigned filled_ = 0;
};

class Fuzzer {
 public:
  Fuzzer(uint64_t seed, std::string path) : random_(seed), path_(std::move(path)) {}

  void once() {
    uint64_t spans = 0, events = 0;
    const std::string good = make_trace(spans, events);
    write(good);
    check(good, spans, events);
    const std::string packed = Packer(random_).pack(good);
    write(packed);
    check_inflated(good);
    check(good, spans, events);
    std::string bad = good;
    damage(bad);
    write(chance(2) ? bad : Packer(random_).pack(bad));
    check(bad, kAny, kAny);
    std::string torn = packed;
    damage(torn);
    write(torn);
    check({}, kAny, kAny);
  }

 private:
  static constexpr uint64_t kAny = ~uint64_t{0};

  uint64_t below(uint64_t end) { return end ? random_() % end : 0; }
  bool chance(uint64_t one_in) { return below(one_in) == 0; }
  template <size_t n>
  const char* one_of(const char* const (&all)[n]) {
    return all[below(n)];
  }

  std::string some_number() {
    switch (below(8)) {
      case 0:
        return std::to_string(random_());
      case 1:
        return "-" + std::to_string(below(1000)) + ".5";
      case 2:
        return "1e" + std::to_string(below(400));
      default:
        return std::to_string(below(5000)) + "." + std::to_string(below(1000));
    }
  }

  std::string some_arguments() {
    std::string text = "{";
    for (uint64_t n = below(6); n > 0; --n) {
      static constexpr const char* kKeys[] = {
          "External id",   "correlation", "Input Dims", "Input type",      "grid",     "Fwd thread id",
          "bytes",         "Bytes",       "Addr",       "Collective name", "dtype",    "other",
          "In msg nelems", "step_num",    "rank",       "Dst Rank",        "Src Rank", "Process Group Ranks"};
      static constexpr const char* kValues[] = {"7",    "[[2, 3], []]", "[\"float\", \"\"]", "[1, 2, 3]", "\"Float\"",
                                                "null", "{\"a\": [1]}", "\"x\\\"y\"",        "-1",        "0x10",
                                                "true", "\"[]\"",       "\"[4, 5]\"",        "1",         "\"send\""};
      if (text.size() > 1) text += ", ";
      text += std::string("\"") + one_of(kKeys) + "\": " + one_of(kValues);
    }
    return text + "}";
  }

  std::string make_trace(uint64_t& spans, uint64_t& events) {
    std::string text =
        chance(4) ? "[" : "{\"schemaVersion\": 1, \"deviceProperties\": [{\"id\": 0, \"name\": \"G\"}], \"traceEvents\": [";
    const bool bare = text == "[";
    for (uint64_t n = below(40); n > 0; --n) {
      static constexpr const char* kCategories[] = {
          "cpu_op",     "user_annotation", "python_function",     "cuda_runtime", "kernel", "gpu_memcpy",
          "gpu_memset", "cuda_sync",       "gpu_user_annotation", "ac2g",         "fwdbwd", "xpu_x"};
      static constexpr const char* kNames[] = {"aten::add", "ProfilerStep#7",   "a*b",       "acb", "ncclKernel",
                                               "[memory]",  "cudaLaunchKernel", "\\u00e9\\n"};
      static constexpr const char* kPhases[] = {"X", "X", "X", "X", "i", "s", "f", "t", "C", "B", "E", "b", "e", "M"};
      const std::string phase = one_of(kPhases);
      if (events++ > 0) text += ",";
      text += "{\"ph\": \"" + phase + "\", \"cat\": \"" + one_of(kCategories) + "\", \"name\": \"" + one_of(kNames) +
              "\", \"pid\": " + (chance(4) ? "\"p\"" : std::to_string(below(3))) + ", \"tid\": " + std::to_string(below(3)) +
              ", \"ts\": " + std::to_string(1000 + below(5000)) + "." + std::to_string(below(1000)) + ", \"dur\": " + some_number() +
              ", \"id\": " + std::to_string(below(9)) + ", \"args\": " + some_arguments() + "}";
      spans += phase == "X";
    }
    text += bare ? "]" : "], \"traceName\": \"x]\"}";
    return text;
  }

  void damage(std::string& bytes) {
    for (uint64_t n = 1 + below(4); n > 0 && !bytes.empty(); --n) {
      const size_t at = below(bytes.size()), length = below(std::min<size_t>(bytes.size() - at, 60) + 1);
      static constexpr const char kOdd[] = "\"\\{}[],:\n\0N";
      switch (below(6)) {
        case 0:
          bytes[at] = static_cast<char>(bytes[at] ^ (1 << below(8)));
          break;
        case 1:
          bytes[at] = kOdd[below(sizeof(kOdd) - 1)];
          break;
        case 2:
          bytes.erase(at, length);
          break;
        case 3:
          bytes.insert(at, std::string(1 + below(3), kOdd[below(sizeof(kOdd) - 1)]));
          break;
        case 4:
          bytes.insert(at, bytes.substr(below(bytes.size()), length));
          break;
        default:
          bytes.resize(at);
      }
    }
  }

  void write(std::string_view bytes) {
    std::ofstream file(path_, std::ios::binary | std::ios::trunc);
    file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  }

  void check_inflated(const std::string& text) {
    Inflater inflater(path_, {});
    std::string found;
    char chunk[1000];
    while (const size_t got = inflater.read(chunk, 1 + below(sizeof(chunk)))) found.append(chunk, got);
    HOLDS(inflater.end() == InflateEnd::complete && found == text);
  }

  void check(const std::string& text, uint64_t spans, uint64_t events) {
    KinetoLimits limits;
    limits.names = chance(4) ? 5 : 1000;
    limits.spans = spans == kAny && chance(4) ? 3 : 100000;
    const KinetoResult result = read_kineto(path_, some_rules(), limits);
    if (events != kAny) HOLDS(result.is_json && result.events == events);
    const std::vector<Tables> ranks = read_kineto_ranks(path_, some_rules(), limits);
    HOLDS(ranks.size() != 1);
    for (size_t i = 0; i < ranks.size(); ++i)
      HOLDS(!ranks[i].spans.start.empty() && ranks[i].rank >= 0 && (i == 0 || ranks[i - 1].rank < ranks[i].rank));
    const Tables& tables = result.tables;
    const Spans& s = tables.spans;
    // Events at times far from the others are left out, with a note.
    const bool all_near =
        std::none_of(tables.notes.begin(), tables.notes.end(), [](const auto& note) { return note.code == "far_times"; });
    if (spans != kAny && all_near) HOLDS(s.start.size() >= spans);
    int64_t row = 0;
    for (size_t t = 0; t < tables.tracks.size(); ++t) {
      const Track& track = tables.tracks[t];
      HOLDS(track.first_row == row && track.last_row >= row);
      HOLDS(track.device < static_cast<int32_t>(tables.devices.size()));
      for (; row < track.last_row; ++row)
        check_row(tables, static_cast<size_t>(row), static_cast<int32_t>(t), track, text, events != kAny);
    }
    HOLDS(row == static_cast<int64_t>(s.start.size()));
    const auto is_row = [&](int32_t one) { return one >= kNone && one < row; };
    for (const int32_t one : tables.kernels.row) HOLDS(is_row(one));
    for (const int32_t one : tables.copies.row) HOLDS(is_row(one));
    for (const int32_t one : tables.collectives.row) HOLDS(is_row(one));
    for (const int32_t one : tables.allocations.row) HOLDS(is_row(one));
    for (size_t i = 0; i < tables.flows.source.size(); ++i) HOLDS(is_row(tables.flows.source[i]) && is_row(tables.flows.target[i]));
  }

  void check_row(const Tables& tables, size_t row, int32_t track, const Track& owner, const std::string& text, bool whole) {
    const Spans& s = tables.spans;
    HOLDS(s.track[row] == track && s.start[row] <= s.end[row] && s.name[row] >= 0 &&
          s.name[row] < static_cast<int32_t>(tables.names.size()));
    if (static_cast<int64_t>(row) > owner.first_row) HOLDS(s.start[row - 1] <= s.start[row]);
    HOLDS(s.op[row] >= kNone && s.op[row] < static_cast<int32_t>(tables.ops.size()));
    if (const int32_t parent = s.parent[row]; parent != kNone)
      HOLDS(s.track[static_cast<size_t>(parent)] == track && s.start[static_cast<size_t>(parent)] <= s.start[row] &&
            s.end[static_cast<size_t>(parent)] >= s.end[row]);
    HOLDS(s.cause[row] >= kNone && s.cause[row] < static_cast<int32_t>(s.start.size()));
    if (!chance(8)) return;
    if (!text.empty()) HOLDS(text[static_cast<size_t>(s.source[row])] == '{');
    const std::string event = read_event_text(path_, static_cast<uint64_t>(s.source[row]), nullptr, {});
    // What was skipped over as an unneeded value may be broken beyond repair.
    HOLDS(event.empty() ? !whole : event.starts_with('{') && event.ends_with('}'));
  }

  std::mt19937_64 random_;
  std::string path_;
};

}  // namespace

int main(int count, char** arguments) {
  if (count != 3) {
    std::fprintf(stderr, "Give the seconds to run and a seed.\n");
    return 2;
  }
  namespace fs = std::filesystem;
  const fs::path memory = "/dev/shm";  // a disk would be the slowest part
  const fs::path folder = fs::is_directory(memory) ? memory : fs::temp_directory_path();
  const uint64_t seed = std::strtoull(arguments[2], nullptr, 10);
  const fs::path path = folder / ("stepscope-fuzz-" + std::to_string(std::random_device{}()) + ".json");
  Fuzzer fuzzer(seed, path.string());
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(std::strtoull(arguments[1], nullptr, 10));
  uint64_t rounds = 0;
  for (; std::chrono::steady_clock::now() < end; ++rounds) fuzzer.once();
  fs::remove(path);
  std::printf("%llu traces, nothing found\n", static_cast<unsigned long long>(rounds));
  return 0;
}
