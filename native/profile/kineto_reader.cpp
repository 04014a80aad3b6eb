// Events of threads, and the walk over all events.
#include "profile/kineto_reader.hpp"

#include <algorithm>

#include "profile/kind_names.hpp"
#include "profile/xspace_rules.hpp"

namespace stepscope::profile {
namespace {

constexpr size_t kMostCategories = 128;
constexpr std::pair<std::string_view, const char*> kKindsOfCategories[] = {
    {"mtia_", "MTIA"}, {"hpu_", "HPU"}, {"xpu_", "XPU"}, {"glow_", "accelerator"}, {"privateuse1_", "accelerator"},
};
constexpr size_t kMostOpen = 1 << 20;   // begun and not ended at one time
constexpr size_t kDeepestOpen = 10000;  // of these on one thread

// "ProfilerStep#7" is 7; kNone when no number follows.
int64_t number_after(std::string_view name, char mark) {
  const size_t at = name.find(mark);
  if (at == std::string_view::npos) return kNone;
  return json_integer({name.substr(at + 1), JsonKind::bare, false}, kNone);
}

int32_t as_step(int64_t number) {
  return number >= 0 && number <= std::numeric_limits<int32_t>::max() ? static_cast<int32_t>(number) : kNone;
}

// Names can carry the overload ("aten::empty.memory_format"); the operation is the same.
std::string_view without_overload(std::string_view name) {
  const size_t scope = name.find("::");
  if (scope == std::string_view::npos || name.find(' ') != std::string_view::npos) return name;
  const size_t dot = name.find('.', scope);
  return dot == std::string_view::npos || dot <= scope + 2 ? name : name.substr(0, dot);
}

}  // namespace

KinetoReader::KinetoReader(std::vector<NameRule> rules, const KinetoLimits& limits)
    : limits_(limits), rules_(std::move(rules)), tracks_(builder_, rules_) {
  builder_.tables().names.limit(limits.names);
}

JsonCursor::State KinetoReader::event(const char* begin, const char* end, uint64_t offset, const char*& after, uint32_t& odd_words) {
  JsonCursor cursor(begin, end);
  if (!event_.read(cursor)) return cursor.state();
  after = cursor.at();
  odd_words = cursor.odd_words();
  event_.offset = offset;
  ++events_;
  ranks_.see(event_);
  handle();
  return JsonCursor::State::good;
}

void KinetoReader::handle() {
  switch (event_.phase_letter()) {
    case 'X':
      return add_complete();
    case 'i':
    case 'I':
      if (event_.name.raw == "[memory]") add_memory();
      return;
    case 'M':
      return add_metadata();
    case 's':
      return add_flow(true);
    case 'f':
      return add_flow(false);
    case 't':
      add_flow(false);
      return add_flow(true);
    case 'C':
      return add_counters();
    case 'B':
      return begin_span();
    case 'E':
      return end_span();
    case 'b':
    case 'S':
      return begin_asynchronous();
    case 'e':
    case 'F':
      return end_asynchronous();
    default:
      return;
  }
}

const KinetoReader::Category& KinetoReader::category() {
  if (!event_.category) return unknown_category_;
  const std::string_view text = event_.category.raw;
  if (last_category_ < categories_.size() && categories_[last_category_].text == text) return categories_[last_category_];
  for (size_t i = 0; i < categories_.size(); ++i)
    if (categories_[i].text == text) {
      last_category_ = i;
      return categories_[i];
    }
  if (categories_.size() >= kMostCategories) return unknown_category_;
  Category made;
  made.text = text;
  made.name = builder_.intern(text);
  made.kind = static_cast<CategoryClass>(rules_.result(RuleScope::category, text));
  is_kineto_ |= made.kind != CategoryClass::unknown;
  if (const NameRule* rule = rules_.find(RuleScope::unproven, text))
    if (std::find(unproven_.begin(), unproven_.end(), rule->label) == unproven_.end()) unproven_.push_back(rule->label);
  for (const auto& [prefix, kind] : kKindsOfCategories)
    if (text.starts_with(prefix)) device_kind_ = kind;
  categories_.push_back(std::move(made));
  last_category_ = categories_.size() - 1;
  return categories_.back();
}

int32_t KinetoReader::intern(const JsonValue& value) {
  if (!value) return kNone;
  return builder_.intern(json_text(value, scratch_, odd_escapes_));
}

int32_t KinetoReader::name_id() {
  const int32_t id = intern(event_.name);
  return id == kNone ? builder_.intern("(no name)") : id;
}

bool KinetoReader::read_times(Timed& times) {
  if (!json_time(event_.time, times.start)) {
    ++bad_times_;
    return false;
  }
  if (event_.phase_letter() == 'X' && (!event_.duration || !json_time(event_.duration, times.length))) {
    ++lengthless_;
    times.length = {};
  }
  if (times.length.ns < 0) {
    ++negative_;
    times.length = {};
  }
  return true;
}

int32_t KinetoReader::told_step() const {
  const JsonValue* told = event_.find(Arg::step);
  return told ? as_step(json_integer(*told, kNone)) : kNone;
}

SpanFacts KinetoReader::facts_of(const Timed& times, int32_t name, SpanKind kind) const {
  SpanFacts facts;
  facts.start = rounded(times.start);
  facts.end = rounded_sum(times.start, times.length);
  facts.name = name;
  facts.kind = kind;
  facts.source = static_cast<int64_t>(event_.offset);
  return facts;
}

void KinetoReader::add_complete() {
  Timed times;
  if (!read_times(times)) return;
  latest_ = std::max(latest_, times.start.ns);
  const CategoryClass kind = category().kind;
  switch (kind) {
    case CategoryClass::op:
    case CategoryClass::annotation:
    case CategoryClass::python:
      return add_host(times, kind);
    case CategoryClass::runtime:
      return add_runtime(times);
    case CategoryClass::kernel:
      return add_kernel(times);
    case CategoryClass::copy:
      return add_copy(times, false);
    case CategoryClass::fill:
      return add_copy(times, true);
    case CategoryClass::measured_range:
      add_samples(rounded(times.start), {});
      return add_derived(times, CategoryClass::device_annotation);
    case CategoryClass::device_wait:
    case CategoryClass::device_annotation:
    case CategoryClass::overhead:
    case CategoryClass::recording:
      return add_derived(times, kind);
    default:
      return add_unknown(times);
  }
}

int32_t KinetoReader::operation_of(int32_t name) {
  const auto at = static_cast<size_t>(name);
  if (at >= operations_.size()) operations_.resize(std::max(at + 1, operations_.size() * 2), kNone);
  if (operations_[at] != kNone) return operations_[at];
  Operation operation;
  if (builder_.tables().ops.size() < kMostOperations) {
    operation.name = builder_.intern(std::string(without_overload(builder_.text(name))));
  } else {
    operation.name = builder_.intern(TextPool::kOverflow);
    too_many_operations_ = true;
  }
  operation.eager = event_.has(Arg::kernel_backend) ? 0 : 1;  // only generated kernels name the backend that made them
  return operations_[at] = builder_.add_operation(operation);
}

// An operation that says how many bytes it reads and writes, as those that are marked with stepscope_op.h do.
int32_t KinetoReader::with_bytes(int32_t op, int64_t bytes) {
  if (bytes <= 0 || builder_.tables().ops.size() >= kMostOperations) return op;
  Operation operation = builder_.tables().ops[static_cast<size_t>(op)];
  operation.bytes = static_cast<double>(bytes);
  return builder_.add_operation(operation);
}

void KinetoReader::add_host(const Timed& times, CategoryClass kind) {
  const int32_t name = name_id();
  const std::string_view text = builder_.text(name);
  const int32_t track = tracks_.find(event_.process, event_.thread, Place::thread);
  KinetoTracks::Seen& seen = tracks_.seen(track);
  const bool is_python = kind == CategoryClass::python;
  const int16_t rule = rules_.result(is_python ? RuleScope::python : RuleScope::host, name, text);
  SpanKind span_kind = rule != NameRules::kNoMatch ? static_cast<SpanKind>(rule)
                       : is_python                 ? SpanKind::python
                       : kind == CategoryClass::op ? SpanKind::op
                                                   : SpanKind::annotation;
  span_kind = told_kind(span_kind);
  SpanFacts facts = facts_of(times, name, span_kind);
  if (is_python) {
    ++seen.python;
    if (seen.purpose == NameRules::kNoMatch) seen.purpose = rules_.result(RuleScope::thread_python, name, text);
    builder_.add_span(track, facts);
    return;
  }
  const int64_t external = json_integer(event_.get(Arg::external_id), kNone);
  if (const JsonValue* dims = event_.find(Arg::input_dims)) facts.shape = intern(*dims);
  if (json_integer(event_.get(Arg::forward_thread), 0) > 0) ++seen.backward;
  if (span_kind == SpanKind::op) {
    ++seen.ops;
    facts.op = operation_of(name);
    if (const JsonValue* bytes = event_.find(Arg::bytes)) facts.op = with_bytes(facts.op, json_integer(*bytes, kNone));
    if (external > 0) links_.add_operation(external, facts.op);
    if (event_.has(Arg::collective) && external > 0) links_.add_communication(external, collective_facts(name));
  }
  const int64_t step = span_kind == SpanKind::marker ? number_after(text, '#') : kNone;
  facts.step = span_kind == SpanKind::marker ? as_step(step) : told_step();
  const SpanId span = builder_.add_span(track, facts);
  if (span_kind == SpanKind::marker) {
    builder_.add_marker(span, step, MarkerFamily::profiler_step);
    ++seen.steps;
  } else if (span_kind == SpanKind::collective) {
    builder_.add_collective(span, collective_facts(name));
    ++seen.collectives;
  }
}

// A name of TensorFlow's and JAX's own tracer, which the rules of XSpace files know.
SpanKind KinetoReader::exported_kind(int32_t name) {
  const auto at = static_cast<size_t>(name);
  if (at >= exported_kinds_.size()) exported_kinds_.resize(std::max(at + 1, exported_kinds_.size() * 2), kNone);
  if (exported_kinds_[at] != kNone) return static_cast<SpanKind>(exported_kinds_[at]);
  const std::string_view text = builder_.text(name);
  SpanKind kind = text.starts_with('$') ? SpanKind::python : SpanKind::other;
  xspace::host_kind(text, kind);
  exported_kinds_[at] = static_cast<int8_t>(kind);
  return kind;
}

SpanKind KinetoReader::told_kind(SpanKind found) const {
  const JsonValue* told = event_.find(Arg::span_kind);
  if (!told) return found;
  const auto word = std::find(kSpanKinds.begin(), kSpanKinds.end(), told->raw);
  return word == kSpanKinds.end() ? found : static_cast<SpanKind>(word - kSpanKinds.begin());
}

// An operation that XLA compiled: the processor executes it itself unless a number ties it to a device.
void KinetoReader::describe_hlo(SpanFacts& facts) {
  Operation operation;
  operation.name = intern(event_.get(Arg::hlo_op));
  const std::string hlo(builder_.text(operation.name));
  operation.type = builder_.intern(xspace::hlo_type(hlo));
  operation.program = intern(event_.get(Arg::hlo_module));
  operation.scope = intern(event_.get(Arg::tf_op));
  facts.op = builder_.add_operation(operation);
  if (event_.has(Arg::correlation_id)) return;
  CopyDirection direction = CopyDirection::unknown;
  SpanKind kind = SpanKind::op;
  facts.kind = xspace::hlo_kind(hlo, kind, direction) && kind == SpanKind::collective ? kind : SpanKind::op;
}

// An operation of TensorFlow 1's timeline, which has its own name among the arguments; where its type is told, the event is called so.
void KinetoReader::describe_timeline(SpanFacts& facts) {
  is_timeline_ = true;
  Operation operation;
  operation.name = intern(event_.get(Arg::name));
  operation.type = intern(event_.get(Arg::operation_type));
  facts.op = builder_.add_operation(operation);
  facts.kind = SpanKind::op;
  if (operation.type == kNone) return;
  const std::string full = std::string(builder_.text(operation.name)) + ":" + std::string(builder_.text(operation.type));
  xspace::host_kind(full, facts.kind);
}

// What no category explains: a general Chrome trace, TensorFlow's and JAX's own export, or PyTorch's before it wrote categories.
void KinetoReader::add_unknown(const Timed& times) {
  if (!event_.category && event_.process.kind == JsonKind::text && event_.process.raw == "CPU functions") {
    is_kineto_ = true;
    return add_host(times, CategoryClass::op);
  }
  const int32_t name = name_id();
  const std::string_view text = builder_.text(name);
  const int32_t track = tracks_.find(event_.process, event_.thread, Place::thread);
  const int16_t rule = rules_.result(RuleScope::host, name, text);
  SpanFacts facts = facts_of(times, name, rule == NameRules::kNoMatch ? SpanKind::other : static_cast<SpanKind>(rule));
  if (tracks_.exported_by_xla()) facts.kind = exported_kind(name);
  facts.kind = told_kind(facts.kind);
  if (event_.has(Arg::hlo_op) && tracks_.exported_by_xla()) {
    describe_hlo(facts);
  } else if (event_.category.raw == "Op" && event_.has(Arg::name)) {
    describe_timeline(facts);
    tracks_.seen(track).executes = true;
  } else if (event_.has(Arg::tf_op)) {
    Operation operation;
    operation.name = intern(event_.get(Arg::tf_op));
    facts.op = builder_.add_operation(operation);
  }
  if (facts.kind == SpanKind::op && facts.op == kNone && rule != NameRules::kNoMatch) facts.op = operation_of(name);
  const int64_t step = facts.kind == SpanKind::marker ? number_after(text, '#') : json_integer(event_.get(Arg::step_number), kNone);
  facts.step = as_step(step);
  if (facts.step != kNone)
    facts.kind = SpanKind::marker;
  else
    facts.step = told_step();
  const SpanId span = builder_.add_span(track, facts);
  ++tracks_.seen(track).ops;
  ++tracks_.seen(track).named;
  if (facts.kind == SpanKind::marker) {
    builder_.add_marker(span, step, event_.has(Arg::step_number) ? MarkerFamily::step_num : MarkerFamily::profiler_step);
    ++tracks_.seen(track).steps;
  } else if (facts.kind == SpanKind::collective) {
    builder_.add_collective(span, collective_facts(name));
  }
}

void KinetoReader::add_metadata() {
  const std::string_view what = event_.name.raw;
  const Arg arg = what == "process_labels" ? Arg::labels : Arg::name;
  const JsonValue* value = event_.find(arg);
  if (!value || value->kind != JsonKind::text) return;
  const std::string text(json_text(*value, scratch_, odd_escapes_));
  if (what == "thread_name")
    tracks_.name_thread(event_.process, event_.thread, text, event_.get(Arg::thread_purpose).raw);
  else if (what == "process_name")
    tracks_.name_process(event_.process, text);
  else if (what == "process_labels")
    tracks_.label_process(event_.process, text);
}

void KinetoReader::add_flow(bool source) {
  Timed times;
  if (!read_times(times)) return;
  const CategoryClass kind = category().kind;
  KinetoLinks::FlowEnd end;
  end.use = kind == CategoryClass::launch_flow     ? KinetoLinks::FlowUse::launch
            : kind == CategoryClass::backward_flow ? KinetoLinks::FlowUse::backward
                                                   : KinetoLinks::FlowUse::other;
  end.key = static_cast<uint64_t>(tracks_.number_of(event_.id));
  if (end.use == KinetoLinks::FlowUse::other)  // numbers are used again under other names
    end.key = end.key * 0x9e3779b97f4a7c15u + static_cast<uint64_t>(static_cast<uint32_t>(intern(event_.name)));
  end.time = rounded(times.start);
  end.process = tracks_.number_of(event_.process);
  end.thread = tracks_.number_of(event_.thread);
  end.source = source;
  links_.add_flow(end);
}

void KinetoReader::add_counters() {
  Timed times;
  if (!read_times(times)) return;
  add_samples(rounded(times.start), std::string(json_text(event_.name, scratch_, odd_escapes_)));
}

void KinetoReader::add_samples(int64_t time, const std::string& prefix) {
  if (event_.arguments.empty()) return;
  JsonCursor cursor(event_.arguments);
  cursor.object([&](std::string_view key) {
    const JsonValue value = cursor.value();
    const double number = json_number(value, kUnknown);
    if (number != number) return;
    const std::string full = key.empty() ? prefix : prefix.empty() ? std::string(key) : prefix + " " + std::string(key);
    const JsonValue label{full, JsonKind::text, false};
    builder_.add_counter(tracks_.find(event_.process, label, Place::counter), time, number);
  });
}

void KinetoReader::begin_span() {
  Timed times;
  if (!read_times(times)) return;
  std::vector<Open>& open = open_[tracks_.find(event_.process, event_.thread, Place::thread)];
  if (open_count_ >= kMostOpen || open.size() >= kDeepestOpen) {
    ++unfinished_;
    return;
  }
  open.push_back({rounded(times.start), name_id(), static_cast<int64_t>(event_.offset), told_step()});
  latest_ = std::max(latest_, times.start.ns);
  ++open_count_;
}

void KinetoReader::end_span() {
  Timed times;
  if (!read_times(times)) return;
  const int32_t track = tracks_.find(event_.process, event_.thread, Place::thread);
  std::vector<Open>& open = open_[track];
  if (open.empty()) {
    ++unfinished_;
    return;
  }
  const Open begun = open.back();
  open.pop_back();
  --open_count_;
  latest_ = std::max(latest_, times.start.ns);
  const int16_t rule = rules_.result(RuleScope::host, begun.name, builder_.text(begun.name));
  SpanFacts facts;
  facts.start = begun.start;
  facts.end = rounded(times.start);
  facts.name = begun.name;
  facts.kind = rule == NameRules::kNoMatch ? SpanKind::other : static_cast<SpanKind>(rule);
  facts.step = begun.step;
  facts.source = begun.offset;
  builder_.add_span(track, facts);
  ++tracks_.seen(track).ops;
}

uint64_t KinetoReader::asynchronous_key() {
  uint64_t key = static_cast<uint64_t>(tracks_.number_of(event_.id));
  for (const int64_t part : {int64_t{category().name}, tracks_.number_of(event_.process), int64_t{intern(event_.name)}})
    key = (key ^ static_cast<uint64_t>(part)) * 0x9e3779b97f4a7c15u;
  return key;
}

void KinetoReader::begin_asynchronous() {
  Timed times;
  if (!read_times(times)) return;
  std::vector<Open>& open = asynchronous_[asynchronous_key()];
  if (open_count_ >= kMostOpen || open.size() >= kDeepestOpen) {
    ++unfinished_;
    return;
  }
  open.push_back({rounded(times.start), name_id(), static_cast<int64_t>(event_.offset)});
  ++open_count_;
}

void KinetoReader::end_asynchronous() {
  Timed times;
  if (!read_times(times)) return;
  const auto found = asynchronous_.find(asynchronous_key());
  if (found == asynchronous_.end()) {
    ++unfinished_;
    return;
  }
  const Open begun = found->second.back();
  found->second.pop_back();
  if (found->second.empty()) asynchronous_.erase(found);
  --open_count_;
  JsonValue label = event_.category;
  if (!label) label = {"asynchronous", JsonKind::text, false};
  SpanFacts facts;
  facts.start = begun.start;
  facts.end = rounded(times.start);
  facts.name = begun.name;
  facts.source = begun.offset;
  builder_.add_span(tracks_.find(event_.process, label, Place::asynchronous), facts);
}

// What was begun and never ended lasts to the end of the recording, as every viewer draws it.
void KinetoReader::close_open() {
  for (auto& [track, open] : open_) {
    for (const Open& begun : open) {
      SpanFacts facts;
      facts.start = begun.start;
      facts.end = latest_;
      facts.unended = true;
      facts.name = begun.name;
      facts.source = begun.offset;
      builder_.add_span(track, facts);
      ++unfinished_;
    }
  }
  for (const auto& [key, open] : asynchronous_) unfinished_ += open.size();
}

}  // namespace stepscope::profile
