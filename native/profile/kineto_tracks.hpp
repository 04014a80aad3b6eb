// Finds the track of an event's process and thread, and names and places all tracks once everything was read.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "profile/json_values.hpp"
#include "profile/kineto_rules.hpp"
#include "profile/span_builder.hpp"

namespace stepscope::profile {

// What a process and thread number mean: the same numbers can be a thread, a stream and what is drawn beside it.
enum class Place : uint8_t { thread, stream, annotations, waits, overhead, recording, asynchronous, counter };

class KinetoTracks {
 public:
  KinetoTracks(SpanBuilder& builder, NameRules& rules) : builder_(builder), rules_(rules) {}

  // What a track's spans tell about it.
  struct Seen {
    uint64_t ops = 0, collectives = 0, steps = 0, backward = 0, calls = 0, launches = 0, python = 0;
    uint64_t named = 0;                     // of them with no category that says what they are
    bool executes = false;                  // a lane on which a runtime drew its operations
    int16_t purpose = NameRules::kNoMatch;  // by a rule on its Python functions
  };

  int32_t find(const JsonValue& process, const JsonValue& thread, Place place) {
    return find(number_of(process), number_of(thread), place);
  }
  int32_t find(int64_t process, int64_t thread, Place place);
  // The track when there is one, none otherwise.
  int32_t known(int64_t process, int64_t thread, Place place) const;
  Seen& seen(int32_t track) { return entries_[static_cast<size_t>(track)].seen; }
  // A number for what may be a number or a text.
  int64_t number_of(const JsonValue& value);

  void set_device(int32_t track, int64_t ordinal);
  int32_t device_index(int64_t ordinal);
  const std::vector<int64_t>& ordinals() const { return ordinals_; }
  // What the devices are, in the order of `ordinals`: as their processes are labelled, empty when they are not.
  const std::vector<std::string>& kinds() const { return kinds_; }
  // Whether a process is a device whose work has no categories: its threads are streams, known by name and structure.
  bool has_device_processes() const { return has_device_processes_; }

  // `purpose` is the word our own export has for what the thread does, or empty.
  void name_thread(const JsonValue& process, const JsonValue& thread, std::string_view name, std::string_view purpose = {});
  void name_process(const JsonValue& process, std::string_view name);
  void label_process(const JsonValue& process, std::string_view label);
  // Whether a process is named as TensorFlow's and JAX's exporter does.
  bool exported_by_xla() const { return exported_by_xla_; }
  // Whether its threads are those of JAX's runtime.
  bool exported_by_jax() const { return exported_by_jax_; }

  // Names, roles and purposes; to be called before the builder finishes.
  void finish(bool is_kineto);

 private:
  struct Key {
    int64_t process, thread;
    Place place;
    bool operator==(const Key&) const = default;
  };
  struct Hash {
    size_t operator()(const Key& key) const {
      uint64_t hash = static_cast<uint64_t>(key.process) * 0x9e3779b97f4a7c15u;
      hash = (hash ^ hash >> 29 ^ static_cast<uint64_t>(key.thread)) * 0xd6e8feb86659fd93u;
      return static_cast<size_t>((hash ^ hash >> 32) + static_cast<size_t>(key.place));
    }
  };
  struct Entry {
    Key key;
    Seen seen;
    int64_t ordinal = kNone;
  };
  struct ProcessNames {
    std::string name, label;
  };

  std::string text_of(int64_t number) const;
  std::string thread_name(const Key& key) const;
  void name_track(const Entry& entry, Track& track, bool is_kineto) const;
  void place_exported(const Entry& entry, Track& track) const;
  std::string process_name(int64_t process) const;
  // The kind of the device that a process is, by the rules, or as it is labelled when all its threads are streams; empty for a host.
  std::string device_kind(int64_t process) const;
  void place_device_processes();
  void find_kinds();
  void find_purposes();

  SpanBuilder& builder_;
  NameRules& rules_;
  std::unordered_map<Key, int32_t, Hash> tracks_;
  std::vector<Entry> entries_;
  Key last_key_{0, 0, Place::thread};
  int32_t last_ = kNone;
  std::vector<int64_t> ordinals_;
  std::vector<std::string> kinds_;
  bool has_device_processes_ = false;
  std::unordered_map<Key, std::string, Hash> thread_names_;
  std::unordered_map<Key, TrackPurpose, Hash> purposes_;  // that the file tells
  std::unordered_map<int64_t, ProcessNames> processes_;
  std::string scratch_;
  bool exported_by_xla_ = false, exported_by_jax_ = false;
};

}  // namespace stepscope::profile
