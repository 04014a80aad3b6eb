// An event file's columns as two byte strings: a small index kept in memory, and a pack of columns that are read when used.
//
// The pack holds, series after series and aligned to 8 bytes: steps, wall times and values of scalars, or steps, wall times,
// offsets and lengths of blobs. The index holds everything else and each series' place and checksum in the pack. Numbers are
// little-endian; a checkpoint is only read on the kind of machine that wrote it.
#pragma once

#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>

#include "event_file.hpp"
#include "pack_file.hpp"

namespace stepscope {

// The checkpoint does not say what its reader needs: damaged, cut short, or of another version. Read the log file instead.
struct CheckpointError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

inline constexpr uint32_t kCheckpointVersion = 4;

using WriteBytes = std::function<void(const char*, size_t)>;

// Writes the file's columns through `write`, as they will lie at `base` of a pack (a multiple of 8), and returns the index.
// Throws CheckpointError, before anything is written, when columns that came from a pack are damaged.
std::string save_columns(const EventFile& file, uint64_t base, const WriteBytes& write);

// The file as it was saved. Columns point into the pack; they are read, and their checksums tested, when they are first used.
std::shared_ptr<EventFile> restore_columns(Origin origin, std::shared_ptr<NamePool> names, std::string_view index,
                                           std::shared_ptr<const PackFile> pack);

}  // namespace stepscope
