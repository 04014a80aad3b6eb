// Tracks of a trace: lookup while reading, names and purposes at the end.
#include "profile/kineto_tracks.hpp"

#include <algorithm>
#include <limits>

#include "profile/kind_names.hpp"
#include "profile/xspace_rules.hpp"

namespace stepscope::profile {
namespace {

constexpr int64_t kTextNumbers = -(int64_t{1} << 62);               // below it a number stands for a text
constexpr int64_t kOverflow = std::numeric_limits<int64_t>::max();  // the thread of all that are too many
constexpr size_t kMostTracks = 100000;
constexpr size_t kMostNames = 1 << 20;
constexpr size_t kLongestName = 1024;

TrackRole role_of(Place place) {
  switch (place) {
    case Place::thread:
      return TrackRole::thread;
    case Place::stream:
      return TrackRole::stream;
    case Place::counter:
      return TrackRole::counter;
    default:
      return TrackRole::derived;
  }
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// "Stream 3", "stream7": what a device's threads are called.
bool names_stream(std::string_view name) {
  if (!name.starts_with("Stream") && !name.starts_with("stream")) return false;
  name.remove_prefix(6);
  while (name.starts_with(' ') || name.starts_with('#') || name.starts_with('_')) name.remove_prefix(1);
  return !name.empty() && std::all_of(name.begin(), name.end(), is_digit);
}

// "NPU" of "NPU 0"; what begins with small letters or is the host's own is no kind.
std::string kind_in(std::string_view label) {
  const std::string_view word = label.substr(0, label.find_first_of(" :_0123456789"));
  const bool upper = !word.empty() && std::all_of(word.begin(), word.end(), [](char c) { return c >= 'A' && c <= 'Z'; });
  return upper && word != "CPU" ? std::string(word) : std::string();
}

// 3 of "NPU 3"; 0 when no number ends it.
int64_t ordinal_in(std::string_view label) {
  size_t at = label.size();
  while (at > 0 && is_digit(label[at - 1])) --at;
  return at < label.size() && label.size() - at < 6 ? json_integer({label.substr(at), JsonKind::bare, false}, 0) : 0;
}

bool is_device_process(std::string_view name) { return name.starts_with("/device:"); }

}  // namespace

int64_t KinetoTracks::number_of(const JsonValue& value) {
  if (!value) return 0;
  if (value.kind != JsonKind::text) return json_integer(value, 0);
  const bool numeric = !value.raw.empty() && value.raw.size() < 20 &&
                       std::all_of(
                           value.raw.begin() + (value.raw[0] == '-' && value.raw.size() > 1), value.raw.end(),
                           [](char c) { return c >= '0' && c <= '9'; });
  if (numeric) return json_integer(value, 0);
  uint32_t ignored = 0;
  return kTextNumbers - builder_.intern(json_text(value, scratch_, ignored));
}

int32_t KinetoTracks::find(int64_t process, int64_t thread, Place place) {
  Key key{process, thread, place};
  if (last_ != kNone && key == last_key_) return last_;
  if (tracks_.size() >= kMostTracks && !tracks_.contains(key)) key = {0, kOverflow, place};
  const auto [found, is_new] = tracks_.try_emplace(key, kNone);
  if (is_new) {
    Track track;
    track.role = role_of(place);
    track.number = thread <= kTextNumbers ? kNone : thread;
    found->second = builder_.add_track(std::move(track));
    entries_.resize(std::max(entries_.size(), static_cast<size_t>(found->second) + 1));
    entries_[static_cast<size_t>(found->second)].key = key;
  }
  last_key_ = key;
  last_ = found->second;
  return last_;
}

int32_t KinetoTracks::known(int64_t process, int64_t thread, Place place) const {
  const auto found = tracks_.find({process, thread, place});
  return found == tracks_.end() ? kNone : found->second;
}

int32_t KinetoTracks::device_index(int64_t ordinal) {
  const auto found = std::find(ordinals_.begin(), ordinals_.end(), ordinal);
  if (found == ordinals_.end() && ordinals_.size() < 4096) {
    ordinals_.push_back(ordinal);
    return static_cast<int32_t>(ordinals_.size() - 1);
  }
  return found == ordinals_.end() ? kNone : static_cast<int32_t>(found - ordinals_.begin());
}

void KinetoTracks::set_device(int32_t track, int64_t ordinal) {
  Entry& entry = entries_[static_cast<size_t>(track)];
  if (entry.ordinal == ordinal) return;
  entry.ordinal = ordinal;
  builder_.tables().tracks[static_cast<size_t>(track)].device = device_index(ordinal);
}

void KinetoTracks::name_thread(const JsonValue& process, const JsonValue& thread, std::string_view name, std::string_view purpose) {
  if (thread_names_.size() >= kMostNames) return;
  if (const auto word = std::find(kTrackPurposes.begin(), kTrackPurposes.end(), purpose); word != kTrackPurposes.end())
    purposes_[{number_of(process), number_of(thread), Place::thread}] = static_cast<TrackPurpose>(word - kTrackPurposes.begin());
  thread_names_[{number_of(process), number_of(thread), Place::thread}] = name.substr(0, kLongestName);
  exported_by_jax_ |= name.find("PjRt") != std::string_view::npos;
}

void KinetoTracks::name_process(const JsonValue& process, std::string_view name) {
  if (processes_.size() >= kMostNames) return;
  processes_[number_of(process)].name = name.substr(0, kLongestName);
  exported_by_xla_ |= name.starts_with("/host:") || is_device_process(name);
}

void KinetoTracks::label_process(const JsonValue& process, std::string_view label) {
  if (processes_.size() < kMostNames) processes_[number_of(process)].label = label.substr(0, kLongestName);
}

std::string KinetoTracks::text_of(int64_t number) const {
  if (number <= kTextNumbers) return std::string(builder_.text(static_cast<int32_t>(kTextNumbers - number)));
  return std::to_string(number);
}

std::string KinetoTracks::thread_name(const Key& key) const {
  const auto named = thread_names_.find({key.process, key.thread, Place::thread});
  std::string name = named == thread_names_.end() ? std::string() : named->second;
  while (!name.empty() && name.back() == ' ') name.pop_back();
  if (!name.empty()) return name;
  if (key.thread == kOverflow) return "(too many threads)";
  if (key.thread <= kTextNumbers) return text_of(key.thread);
  return (key.place == Place::thread ? "thread " : "stream ") + text_of(key.thread);
}

void KinetoTracks::name_track(const Entry& entry, Track& track, bool is_kineto) const {
  const Key& key = entry.key;
  const auto found = processes_.find(key.process);
  const ProcessNames names = found == processes_.end() ? ProcessNames() : found->second;
  const bool on_device = entry.ordinal != kNone;
  if (on_device && !names.label.empty() && track.role == TrackRole::stream && key.place == Place::thread)
    track.process = is_digit(names.label.back()) ? names.label : names.label + " " + std::to_string(entry.ordinal);
  else if (on_device)
    track.process = names.label.empty() ? "GPU " + std::to_string(entry.ordinal) : names.label;
  else if (is_kineto && key.place != Place::counter && !(key.place == Place::thread && track.role == TrackRole::derived))
    track.process = "host";
  else
    track.process = !names.name.empty()           ? names.name
                    : key.process <= kTextNumbers ? text_of(key.process)
                                                  : "process " + text_of(key.process);
  switch (key.place) {
    case Place::thread:
    case Place::stream:
      track.name = thread_name(key);
      break;
    case Place::annotations:
      track.name = thread_name(key) + ": annotations";
      break;
    case Place::waits:
      track.name = thread_name(key) + ": waits";
      break;
    case Place::overhead:
      track.name = "profiler overhead";
      break;
    case Place::recording:
      track.name = "profiler";
      break;
    case Place::asynchronous:
    case Place::counter:
      track.name = text_of(key.thread);
      break;
  }
}

// TensorFlow's and JAX's exporter has no categories: the device's lines are known by name.
void KinetoTracks::place_exported(const Entry& entry, Track& track) const {
  const auto found = processes_.find(entry.key.process);
  if (entry.key.place != Place::thread || found == processes_.end() || !is_device_process(found->second.name)) return;
  const std::string_view name = track.name;
  if (name == "Steps")
    track.role = TrackRole::marker;
  else if (name.starts_with("XLA Modules") || name.starts_with("Framework") || name.starts_with("TensorFlow") ||
           name.starts_with("Source") || name.starts_with("XLA TraceMe"))
    track.role = TrackRole::derived;
  else
    track.role = TrackRole::stream;
}

std::string KinetoTracks::process_name(int64_t process) const {
  const auto found = processes_.find(process);
  if (found != processes_.end() && !found->second.name.empty()) return found->second.name;
  return process <= kTextNumbers ? text_of(process) : std::string();
}

std::string KinetoTracks::device_kind(int64_t process) const {
  const std::string name = process_name(process);
  if (const NameRule* rule = rules_.find(RuleScope::device, name)) return rule->label;
  bool any = false;
  for (const Entry& entry : entries_) {
    if (entry.key.process != process || entry.key.place != Place::thread) continue;
    if (!names_stream(thread_name(entry.key)) || entry.seen.named == 0) return {};
    any = true;
  }
  if (!any) return {};
  const auto found = processes_.find(process);
  const std::string kind = found == processes_.end() ? std::string() : kind_in(found->second.label);
  return !kind.empty() ? kind : name.empty() ? "accelerator" : name;
}

// Threads of a process that is a device are streams; of one that repeats others they own no time.
void KinetoTracks::place_device_processes() {
  std::vector<Track>& tracks = builder_.tables().tracks;
  std::unordered_map<int64_t, std::string> kinds;
  for (size_t i = 0; i < entries_.size(); ++i) {
    const Key& key = entries_[i].key;
    if (key.place != Place::thread) continue;
    const auto [kind, fresh] = kinds.try_emplace(key.process);
    if (fresh) kind->second = device_kind(key.process);
    const NameRule* rule = rules_.find(RuleScope::device, process_name(key.process));
    if (rule && rule->result == 1) {
      tracks[i].role = TrackRole::derived;
    } else if (!kind->second.empty()) {
      const auto found = processes_.find(key.process);
      tracks[i].role = TrackRole::stream;
      has_device_processes_ = true;
      const int64_t ordinal = found == processes_.end() ? 0 : ordinal_in(found->second.label);
      set_device(static_cast<int32_t>(i), ordinal);
      const auto at = static_cast<size_t>(tracks[i].device);
      if (kinds_.size() <= at) kinds_.resize(at + 1);
      kinds_[at] = kind->second;
      if (found == processes_.end() || found->second.label.empty()) processes_[key.process].label = kind->second;
    }
  }
}

void KinetoTracks::find_kinds() {
  kinds_.resize(ordinals_.size());
  for (const Entry& entry : entries_) {
    if (entry.ordinal == kNone || entry.key.place != Place::stream) continue;
    const int32_t device = device_index(entry.ordinal);
    const auto found = processes_.find(entry.key.process);
    if (device != kNone && found != processes_.end() && kinds_[static_cast<size_t>(device)].empty())
      kinds_[static_cast<size_t>(device)] = kind_in(found->second.label);
  }
}

void KinetoTracks::finish(bool is_kineto) {
  std::vector<Track>& tracks = builder_.tables().tracks;
  if (!exported_by_xla_) place_device_processes();
  find_kinds();
  for (size_t i = 0; i < entries_.size(); ++i) {
    name_track(entries_[i], tracks[i], is_kineto);
    if (exported_by_xla_) place_exported(entries_[i], tracks[i]);
  }
  find_purposes();
}

void KinetoTracks::find_purposes() {
  std::vector<Track>& tracks = builder_.tables().tracks;
  bool any_steps = false;
  for (const Entry& entry : entries_) any_steps |= entry.seen.steps > 0;
  int32_t busiest = kNone;
  bool any_main = false;
  for (size_t i = 0; i < entries_.size(); ++i) {
    const auto& [key, seen, ordinal] = entries_[i];
    if (tracks[i].role != TrackRole::thread) continue;
    const int16_t by_name = rules_.result(RuleScope::thread, tracks[i].name);
    TrackPurpose& purpose = tracks[i].purpose;
    if (exported_by_xla_) purpose = xspace::thread_purpose(tracks[i].name);
    if (seen.executes) purpose = TrackPurpose::executor;
    if (const auto told = purposes_.find({key.process, key.thread, Place::thread}); told != purposes_.end()) purpose = told->second;
    any_main |= purpose == TrackPurpose::main;
    if (purpose != TrackPurpose::unknown) continue;
    if (seen.steps > 0)
      purpose = TrackPurpose::main;
    else if (by_name != NameRules::kNoMatch)
      purpose = static_cast<TrackPurpose>(by_name);
    else if (!any_steps && key.process == key.thread)
      purpose = TrackPurpose::main;
    else if (seen.purpose != NameRules::kNoMatch)
      purpose = static_cast<TrackPurpose>(seen.purpose);
    else if (seen.backward > 0)
      purpose = TrackPurpose::backward;
    else if (seen.calls > 0 && seen.launches == 0 && seen.ops == 0 && seen.python == 0)
      purpose = TrackPurpose::other;  // a watchdog that only asks whether events are done
    else if (seen.collectives > 0 && seen.collectives * 4 >= seen.ops)
      purpose = TrackPurpose::communication;
    any_main |= purpose == TrackPurpose::main;
    if (purpose == TrackPurpose::unknown && seen.ops > (busiest == kNone ? 0 : entries_[static_cast<size_t>(busiest)].seen.ops))
      busiest = static_cast<int32_t>(i);
  }
  if (!any_main && busiest != kNone) tracks[static_cast<size_t>(busiest)].purpose = TrackPurpose::main;
}

}  // namespace stepscope::profile
