// One event file: how far it has been read, its columns, and the report of what was stepped over.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "event_columns.hpp"
#include "event_scanner.hpp"
#include "record_framing.hpp"

namespace stepscope {

struct Fault {
  uint64_t offset = 0;
  uint64_t bytes = 0;
  const char* reason = "";
};

// What came of reading one of many blobs.
enum class BlobState : uint8_t { read, unreadable, damaged, too_large };

// What the outside may know of a file at one moment.
struct FileReport {
  uint64_t offset = 0;   // everything before it has been read
  uint64_t pending = 0;  // bytes after it that are no whole record yet
  uint64_t records = 0;
  uint64_t skipped = 0;  // damaged stretches, the one at the very end included
  uint64_t skipped_bytes = 0;
  std::vector<Fault> faults;  // the first of them, at most kMostFaults
  SessionFacts facts;
};

// The constant text of a fault's reason, for reports that come from a checkpoint.
const char* known_reason(std::string_view reason);

class EventFile {
 public:
  static constexpr size_t kMostFaults = 100;
  static constexpr int64_t kReplaced = -1;

  EventFile(Origin origin, std::shared_ptr<NamePool> names) : origin_(std::move(origin)), columns_(std::move(names)) {}

  // Reads what is new, at most about `limit` bytes when not 0, and publishes it. Returns the bytes consumed, or kReplaced when
  // the file no longer holds what was read before (then nothing is read: the caller starts anew). Throws std::system_error.
  // One thread at a time.
  //
  // A record that is longer than the file is waited for. With `settled`, which says that the file has ended inside this record for a
  // long time, it is skipped if whole records lie behind its header. Should the file prove later that it was still being written, scan
  // returns kReplaced.
  int64_t scan(uint64_t limit, bool settled = false);

  // Checks every checksum of the file, also of blobs that were not checked at load; returns how many records are wrong.
  uint64_t verify() const;

  // The bytes at a place that a column names. Throws std::system_error when they cannot be read, std::runtime_error when their
  // record's checksum is wrong or the place is beyond the file.
  std::string read_blob(uint64_t offset, uint64_t length) const;

  // The bytes at many places, one after another, each at most `most` long. They are valid during the call, and there are none when a
  // place cannot be read. Fast when the places are in the order of the file. Throws std::system_error when the file cannot be opened.
  void visit_blobs(std::span<const uint64_t> offset, std::span<const uint64_t> length, uint64_t most,
                   const std::function<void(size_t, BlobState, std::string_view)>& take) const;

  const std::string& path() const { return origin_.path; }
  EventColumns& columns() { return columns_; }
  const EventColumns& columns() const { return columns_; }
  FileReport report() const;
  double first_wall() const;
  double last_wall() const;
  double last_point() const;
  // Whether our writer went on here from a file that had grown too large or too old, so that the two are as one.
  bool goes_on_from_another() const;
  // Whether a column that came from a pack was found damaged: the caller starts the file anew.
  bool pack_damaged() const { return pack_damaged_.load(std::memory_order_relaxed); }
  void note_damaged_pack() const { pack_damaged_.store(true, std::memory_order_relaxed); }

  using Records = std::vector<std::pair<uint64_t, uint64_t>>;  // offset, and length of the data

  // What a checkpoint keeps of a file beside its columns.
  struct Memory {
    FileReport report;
    std::string head, tail;
    Records unchecked, doubted;
  };
  // Runs `work` while nothing can be scanned, so that columns and report agree.
  template <class Work>
  void while_still(Work&& work) const {
    std::lock_guard lock(scanning_);
    work(Memory{report_, head_, tail_, unchecked_, doubted_});
  }
  void recall(Memory memory, std::shared_ptr<const void> backing);

 private:
  static constexpr size_t kFingerprint = 64;
  bool still_same(FileWindow& file) const;
  void take_fingerprint(FileWindow& file);
  static std::string bytes_before(FileWindow& file, uint64_t end);
  bool search_goes_on(FileWindow& file, uint64_t offset) const;
  void note_search(FileWindow& file, uint64_t offset, uint64_t to);
  uint64_t find_after(RecordSearch& search, FileWindow& file, uint64_t offset, bool unfinished);
  uint64_t skip_bad_data(RecordSearch& search, FileWindow& file, uint64_t end);
  bool is_refuted(FileWindow& file);
  Framing take_record(RecordSearch& search, FileWindow& file, const Frame& frame);
  void step_over(uint64_t from, uint64_t to, const char* reason);
  void publish();

  Origin origin_;
  EventColumns columns_;

  // Held for a whole scan or save; what follows belongs to whoever holds it. `unchecked_` is also read by others, so it only
  // changes under `reading_`.
  mutable std::mutex scanning_;
  FileReport report_;
  Fault tail_fault_;                                      // damage at the end of the file: perhaps a write still under way
  Records unchecked_;                                     // large records of one blob, whose data was not read at load
  Records doubted_;                                       // records that were skipped because the file ended inside them
  std::string head_, tail_;                               // the first bytes, and the last before `offset`
  uint64_t searched_for_ = UINT64_MAX, searched_to_ = 0;  // an unfinished search for a good record
  std::string searched_end_;                              // the last bytes it saw

  // Held only for a moment, so that readers never wait for a scan.
  mutable std::mutex reading_;
  FileReport published_;
  std::shared_ptr<const void> backing_;  // a pack that columns point into
  mutable std::atomic<bool> pack_damaged_{false};
};

}  // namespace stepscope
