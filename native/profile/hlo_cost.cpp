// The cost of every instruction: its own arithmetic, that of what it calls, and the bytes it reads and writes.
#include "profile/hlo_cost.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <string_view>

#include "profile/hlo_convolution.hpp"

namespace stepscope::profile::hlo {
namespace {

constexpr int kDeepestCall = 200;
constexpr int kDeepestView = 8;
constexpr double kMostRounds = 1e15;

template <size_t N>
bool among(std::string_view opcode, const std::string_view (&sorted)[N]) {
  return std::binary_search(std::begin(sorted), std::end(sorted), opcode);
}

// One operation for each element of the result, whatever the type of the numbers.
constexpr std::string_view kElementwise[] = {
    "abs",
    "add",
    "and",
    "ceil",
    "clamp",
    "compare",
    "complex",
    "convert",
    "count-leading-zeros",
    "divide",
    "floor",
    "imag",
    "is-finite",
    "maximum",
    "minimum",
    "multiply",
    "negate",
    "not",
    "or",
    "popcnt",
    "real",
    "reduce-precision",
    "remainder",
    "round-nearest-afz",
    "round-nearest-even",
    "select",
    "shift-left",
    "shift-right-arithmetic",
    "shift-right-logical",
    "sign",
    "stochastic-convert",
    "subtract",
    "xor",
};
constexpr std::string_view kTranscendental[] = {
    "acos", "acosh",        "asin",     "asinh", "atan2",       "atanh",
    "cbrt", "cosh",         "cosine",   "erf",   "exponential", "exponential-minus-one",
    "log",  "log-plus-one", "logistic", "power", "rsqrt",       "sine",
    "sinh", "sqrt",         "tan",      "tanh",
};
// Names for what is there already, and ends of what was begun before: nothing is moved.
constexpr std::string_view kFree[] = {
    "add-dependency", "after-all", "bitcast",      "constant",   "domain", "get-tuple-element",
    "opt-barrier",    "parameter", "partition-id", "replica-id", "tuple",
};
// Library calls that only carry notes for the compiler.
constexpr std::string_view kNotes[] = {
    "AllocateBuffer",
    "MoveToDevice",
    "MoveToHost",
    "SPMDFullToShardShape",
    "SPMDShardToFullShape",
    "Sharding",
    "annotate_device_placement",
};

static_assert(std::ranges::is_sorted(kElementwise) && std::ranges::is_sorted(kTranscendental));
static_assert(std::ranges::is_sorted(kFree) && std::ranges::is_sorted(kNotes));

bool is_product_call(std::string_view target) {
  return target.find("gemm") != target.npos || target.find("matmul") != target.npos || target.find("Gemm") != target.npos;
}

int64_t place_in(const Shape& shape, int64_t place) {
  if (place < 0 || static_cast<uint64_t>(place) >= shape.dimensions.size()) return 1;
  return std::max<int64_t>(0, shape.dimensions[static_cast<size_t>(place)]);
}

// The numbers of a JSON list of numbers or of texts of numbers behind a key; empty when it is not there.
std::vector<int64_t> numbers_behind(std::string_view json, std::string_view key) {
  std::vector<int64_t> found;
  const size_t at = json.find(key);
  if (at == json.npos) return found;
  const size_t open = json.find('[', at), close = json.find(']', at);
  if (open == json.npos || close == json.npos || close < open || open > at + key.size() + 4) return found;
  for (size_t i = open + 1; i < close && found.size() < kMostDimensions;) {
    int64_t number = 0;
    const auto [end, error] = std::from_chars(json.data() + i, json.data() + close, number);
    if (error == std::errc{}) {
      found.push_back(number);
      i = static_cast<size_t>(end - json.data());
    } else {
      ++i;
    }
  }
  return found;
}

// How often a loop runs, where the compiler found out: "known_trip_count":{"n":"5"}.
double rounds_of(const Instruction& loop) {
  constexpr std::string_view kKey = "\"known_trip_count\":{\"n\":\"";
  const size_t at = loop.backend_config.find(kKey);
  if (at == loop.backend_config.npos) return -1;
  const std::string_view digits = loop.backend_config.substr(at + kKey.size(), 20);
  int64_t rounds = -1;
  std::from_chars(digits.data(), digits.data() + digits.size(), rounds);
  return std::min(static_cast<double>(rounds), kMostRounds);
}

// Sizes that no machine has overflow: nothing is known then.
Cost finite(Cost cost) {
  if (std::isfinite(cost.flops) && std::isfinite(cost.transcendentals) && std::isfinite(cost.bytes)) return cost;
  return {.doubts = kUnknown};
}

class Costs {
 public:
  explicit Costs(const Module& module)
      : module_(module),
        instructions_(module.instructions.size()),
        computations_(module.computations.size()),
        state_(module.computations.size()) {
    users_.resize(module.instructions.size());
    for (size_t i = 0; i < module.instructions.size(); ++i)
      for (const int32_t operand : module.instructions[i].operands)
        users_[static_cast<size_t>(operand)].push_back(static_cast<int32_t>(i));
  }

  std::vector<Cost> all() {
    for (size_t i = 0; i < computations_.size(); ++i) computation(static_cast<int32_t>(i), 0);
    return std::move(instructions_);
  }

 private:
  enum class State : uint8_t { open, under_way, done };

  const Instruction& at(int32_t place) const { return module_.instructions[static_cast<size_t>(place)]; }
  const Shape& operand(const Instruction& instruction, size_t place) const {
    static const Shape kNothing;
    return place < instruction.operands.size() ? at(instruction.operands[place]).shape : kNothing;
  }
  double operand_bytes(const Instruction& instruction, size_t first = 0) const {
    double sum = 0;
    for (size_t i = first; i < instruction.operands.size(); ++i) sum += operand(instruction, i).bytes();
    return sum;
  }

  // All instructions of a computation together; a computation that calls itself is damage, and costs nothing the second time.
  Cost computation(int32_t place, int depth) {
    const auto index = static_cast<size_t>(place);
    if (state_[index] == State::done) return computations_[index];
    if (state_[index] == State::under_way || depth > kDeepestCall) return {.doubts = kUnknown};
    state_[index] = State::under_way;
    const Computation& whole = module_.computations[index];
    Cost sum;
    for (int32_t i = whole.first; i < whole.last; ++i) {
      instructions_[static_cast<size_t>(i)] = finite(instruction(i, depth));
      sum.add(instructions_[static_cast<size_t>(i)]);
    }
    state_[index] = State::done;
    return computations_[index] = finite(sum);
  }

  Cost called(const Instruction& instruction, size_t which, int depth) {
    return which < instruction.called.size() ? computation(instruction.called[which], depth + 1) : Cost{};
  }

  Cost instruction(int32_t place, int depth) {
    const Instruction& it = at(place);
    if (among(it.opcode, kFree) || it.opcode.ends_with("-done")) return {};
    if (it.opcode == "fusion") return fusion(it, depth);
    if (it.opcode == "while") return loop(it, depth);
    if (it.opcode == "conditional") return branches(it, depth);
    if (it.opcode == "call" || it.opcode.starts_with("async")) return called(it, 0, depth);
    if (it.opcode == "custom-call") return library_call(it, place);
    Cost cost;
    cost.bytes = traffic(it);
    arithmetic(it, place, depth, cost);
    return cost;
  }

  void arithmetic(const Instruction& it, int32_t place, int depth, Cost& cost) {
    const double elements = it.shape.elements();
    if (among(it.opcode, kElementwise)) {
      cost.flops = elements;
    } else if (among(it.opcode, kTranscendental)) {
      cost.transcendentals = elements;
    } else if (it.opcode == "dot") {
      product(cost, place, dot_flops(it.dot.lhs_contracting, operand(it, 0), it.shape));
    } else if (it.opcode == "convolution") {
      product(cost, place, convolution_flops(it, operand(it, 0), it.shape));
    } else if (it.opcode == "reduce") {
      const Shape& result = it.shape.parts.empty() ? it.shape : it.shape.parts[0];
      apply(cost, called(it, 0, depth), operand(it, 0).elements() - result.elements());
    } else if (it.opcode == "reduce-window") {
      const Shape& result = it.shape.parts.empty() ? it.shape : it.shape.parts[0];
      apply(cost, called(it, 0, depth), (window_size(it) - 1) * result.elements());
    } else if (it.opcode == "select-and-scatter") {
      const double sources = operand(it, 1).elements();
      apply(cost, called(it, 0, depth), sources * (window_size(it) - 1));
      apply(cost, called(it, 1, depth), sources);
    } else if (it.opcode == "scatter") {
      const size_t updates = it.operands.size() / 3 * 2 + 1;
      apply(cost, called(it, 0, depth), operand(it, it.operands.size() >= 3 ? updates : 2).elements());
    } else if (it.opcode == "map") {
      apply(cost, called(it, 0, depth), elements);
    } else if (it.opcode == "all-reduce" || it.opcode == "all-reduce-start" || it.opcode == "reduce-scatter") {
      cost.flops = elements;
    } else if (it.opcode == "sort") {
      const double count = operand(it, 0).elements();
      cost.flops = count * std::ceil(std::log2(std::max(1.0, count)));
    } else if (it.opcode == "rng") {
      cost.transcendentals = elements;
    } else if (it.opcode == "cholesky") {
      cost.flops = elements * static_cast<double>(last_dimension(it.shape)) / 3;
    } else if (it.opcode == "triangular-solve") {
      cost.flops = elements * static_cast<double>(last_dimension(operand(it, 0)));
    } else if (it.opcode == "fft") {
      cost.flops = 8 * elements * std::log2(std::max(1.0, static_cast<double>(last_dimension(it.shape))));
    }
  }

  static int64_t last_dimension(const Shape& shape) { return place_in(shape, static_cast<int64_t>(shape.dimensions.size()) - 1); }

  static double window_size(const Instruction& it) {
    double size = 1;
    for (const WindowDimension& dimension : it.window) size *= static_cast<double>(std::max<int64_t>(0, dimension.size));
    return std::max(1.0, size);
  }

  // A function applied so many times: its arithmetic, not its traffic, which stays in registers.
  static void apply(Cost& cost, const Cost& function, double times) {
    times = std::max(0.0, times);
    cost.flops += function.flops * times;
    cost.transcendentals += function.transcendentals * times;
    cost.doubts |= function.doubts;
  }

  static void product(Cost& cost, int32_t place, double flops) {
    cost.flops = flops;
    cost.product = place;
    cost.product_flops = flops;
  }

  static double dot_flops(const std::vector<int64_t>& contracted, const Shape& left, const Shape& result) {
    double flops = 2 * result.elements();
    for (const int64_t dimension : contracted) flops *= static_cast<double>(place_in(left, dimension));
    return flops;
  }

  // Parts of an operand that are read, of a result that are written.
  double traffic(const Instruction& it) const {
    const double result = it.shape.bytes();
    if (it.opcode == "slice") return 2 * result;
    if (it.opcode == "dynamic-slice") return 2 * result + operand_bytes(it, 1);
    if (it.opcode == "dynamic-update-slice") return 2 * operand(it, 1).bytes() + operand_bytes(it, 2);
    if (it.opcode == "gather") return 2 * result + operand(it, 1).bytes();
    if (it.opcode == "scatter" && it.operands.size() == 3) return 3 * operand(it, 2).bytes() + operand(it, 1).bytes();
    if (it.opcode.ends_with("-start")) return 2 * operand_bytes(it);  // the result repeats the operands
    return operand_bytes(it) + result;
  }

  Cost fusion(const Instruction& it, int depth) {
    Cost cost = called(it, 0, depth);
    cost.bytes = 0;
    if (it.called.empty()) {
      cost.bytes = operand_bytes(it) + it.shape.bytes();
      cost.doubts |= kUnknown;
      return cost;
    }
    const Computation& inside = module_.computations[static_cast<size_t>(it.called[0])];
    for (int32_t i = inside.first; i < inside.last; ++i) {
      if (at(i).opcode != "parameter" || at(i).parameter < 0) continue;
      const auto number = static_cast<size_t>(at(i).parameter);
      if (number < it.operands.size()) cost.bytes += std::min(operand(it, number).bytes(), read_of(i, 0));
    }
    cost.bytes += inside.root >= 0 ? written(inside.root, 0) : it.shape.bytes();
    return cost;
  }

  // Bytes that a fusion reads of what this names: only the slices, where nothing but slices is used.
  double read_of(int32_t place, int depth) const {
    const double whole = at(place).shape.bytes();
    if (depth > kDeepestView) return whole;
    double sum = 0;
    for (const int32_t user : users_[static_cast<size_t>(place)]) {
      const Instruction& by = at(user);
      const bool first =
          !by.operands.empty() && by.operands[0] == place && std::count(by.operands.begin(), by.operands.end(), place) == 1;
      if (by.opcode == "bitcast") {
        sum += read_of(user, depth + 1);
      } else if (first && (by.opcode == "slice" || by.opcode == "dynamic-slice" || by.opcode == "gather")) {
        sum += by.shape.bytes();
      } else if (first && by.opcode == "dynamic-update-slice") {
        continue;  // changed in place
      } else {
        return whole;
      }
      if (sum >= whole) return whole;
    }
    return sum;
  }

  // Bytes that a fusion writes: of an update in place only the update.
  double written(int32_t place, int depth) const {
    const Instruction& it = at(place);
    if (depth > kDeepestView) return it.shape.bytes();
    if (it.opcode == "tuple") {
      double sum = 0;
      for (const int32_t part : it.operands) sum += written(part, depth + 1);
      return sum;
    }
    if (it.opcode == "bitcast" && it.operands.size() == 1) return written(it.operands[0], depth + 1);
    if (it.opcode == "dynamic-update-slice") return operand(it, 1).bytes();
    return it.shape.bytes();
  }

  // The body is called first, the condition second; both run once where nobody knows how often.
  Cost loop(const Instruction& it, int depth) {
    const double rounds = rounds_of(it);
    Cost cost;
    for (size_t i = 0; i < it.called.size(); ++i) cost.add(called(it, i, depth), rounds >= 0 ? rounds : 1);
    if (rounds < 0) cost.doubts |= kLoop;
    return cost;
  }

  // The dearest branch.
  Cost branches(const Instruction& it, int depth) {
    Cost dearest;
    uint8_t doubts = 0;
    for (size_t i = 0; i < it.called.size(); ++i) {
      const Cost branch = called(it, i, depth);
      doubts |= branch.doubts;
      if (i == 0 || branch.flops + branch.bytes > dearest.flops + dearest.bytes) dearest = branch;
    }
    dearest.doubts = doubts;
    return dearest;
  }

  // Libraries' products and convolutions are known by their shapes. The second part of a result is scratch memory.
  Cost library_call(const Instruction& it, int32_t place) {
    Cost cost;
    if (among(it.custom_call_target, kNotes)) return cost;
    const Shape& result = it.shape.parts.empty() ? it.shape : it.shape.parts[0];
    cost.bytes = operand_bytes(it) + result.bytes();
    if (it.has_convolution && it.custom_call_target.find("onv") != std::string_view::npos) {
      product(cost, place, library_convolution(it, result));
      cost.doubts = kEstimated;
    } else if (is_product_call(it.custom_call_target)) {
      product(cost, place, library_product(it, result));
      cost.doubts = kEstimated;
    } else {
      cost.doubts = kUnknown;
    }
    return cost;
  }

  // A gradient is counted as the forward convolution with the same three shapes: it has the same products.
  double library_convolution(const Instruction& it, const Shape& result) const {
    const bool to_input = it.custom_call_target.find("BackwardInput") != std::string_view::npos;
    const bool to_filter = it.custom_call_target.find("BackwardFilter") != std::string_view::npos;
    if (to_input) return convolution_flops(it, result, operand(it, 0));
    if (to_filter) return convolution_flops(it, operand(it, 0), operand(it, 1));
    return convolution_flops(it, operand(it, 0), result);
  }

  double library_product(const Instruction& it, const Shape& result) const {
    std::vector<int64_t> contracted = it.dot.lhs_contracting;
    if (contracted.empty()) contracted = numbers_behind(it.backend_config, "\"lhs_contracting_dimensions\"");
    if (!contracted.empty()) return dot_flops(contracted, operand(it, 0), result);
    const double left = operand(it, 0).elements(), right = operand(it, 1).elements(), out = result.elements();
    return out > 0 ? 2 * out * std::sqrt(left * right / out) : 0;  // of plain matrices: (m k)(k n) / (m n) is k squared
  }

  const Module& module_;
  std::vector<Cost> instructions_, computations_;
  std::vector<State> state_;
  std::vector<std::vector<int32_t>> users_;
};

}  // namespace

void Cost::add(const Cost& other, double times) {
  flops += other.flops * times;
  transcendentals += other.transcendentals * times;
  bytes += other.bytes * times;
  doubts |= other.doubts;
  if (other.product_flops > product_flops) {
    product = other.product;
    product_flops = other.product_flops;
  }
}

std::vector<Cost> costs_of(const Module& module) { return Costs(module).all(); }

}  // namespace stepscope::profile::hlo
