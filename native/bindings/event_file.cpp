// NamePool and EventFile for Python. Scanning and copying run without the interpreter's lock.
#include "event_file.hpp"

#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <system_error>
#if defined(_WIN32)
#include <io.h>
#else
#include <unistd.h>
#endif

#include "bindings/arrays.hpp"
#include "bindings/origin.hpp"
#include "checkpoint.hpp"

namespace nb = nanobind;

namespace stepscope {
namespace {

nb::bytes to_bytes(std::string_view text) { return nb::bytes(text.data(), text.size()); }

// Python's own OSError, with errno, so that callers can tell "gone" from "not allowed".
[[noreturn]] void raise_os_error(const std::system_error& error, const std::string& path) {
  errno = error.code().value();
  PyErr_SetFromErrnoWithFilename(PyExc_OSError, path.c_str());
  throw nb::python_error();
}

template <class Work>
auto with_file_errors(const EventFile& file, Work&& work) {
  try {
    nb::gil_scoped_release unlocked;
    return work();
  } catch (const std::system_error& error) {
    // The lock is held again here: the release object is gone.
    raise_os_error(error, file.path());
  }
}

void write_all(int descriptor, const char* data, size_t size) {
  while (size > 0) {
#if defined(_WIN32)
    const int written = _write(descriptor, data, static_cast<unsigned>(std::min<size_t>(size, 1u << 30)));
#else
    const ssize_t written = ::write(descriptor, data, size);
#endif
    if (written < 0) {
      if (errno == EINTR) continue;
      throw std::system_error(errno, std::generic_category());
    }
    data += written;
    size -= static_cast<size_t>(written);
  }
}

const Series& series_at(const EventFile& file, uint32_t index) {
  if (index >= file.columns().size()) throw nb::index_error("There is no series with that index in the file.");
  return file.columns().at(index);
}

// A series whose points are about to be read: what came from a checkpoint is tested first.
const Series& intact_series_at(const EventFile& file, uint32_t index) {
  const Series& series = series_at(file, index);
  if (series.intact()) return series;
  file.note_damaged_pack();
  throw CheckpointError("The cache of this file is corrupt; reading the log again.");
}

template <class T, class Get>
Array<T> per_series(const EventFile& file, uint32_t start, Get&& get) {
  std::vector<T> values;
  const uint32_t size = file.columns().size();
  if (start < size) values.reserve(size - start);
  for (uint32_t i = start; i < size; ++i) values.push_back(get(file.columns().at(i)));
  return to_numpy(std::move(values));
}

nb::tuple scalars(const EventFile& file, uint32_t index) {
  const Series& series = intact_series_at(file, index);
  if (!series.scalars) throw nb::index_error("That series holds no scalars.");
  const uint64_t count = series.scalars->size();
  std::vector<int64_t> step;
  std::vector<double> wall, value;
  {
    nb::gil_scoped_release unlocked;
    step.reserve(count);
    wall.reserve(count);
    value.reserve(count);
    for (const ScalarSpan& span : series.scalars->spans(count)) {
      step.insert(step.end(), span.step, span.step + span.size);
      wall.insert(wall.end(), span.wall, span.wall + span.size);
      for (size_t i = 0; i < span.size; ++i) value.push_back(span.value(i));
    }
  }
  return nb::make_tuple(to_numpy(std::move(step)), to_numpy(std::move(wall)), to_numpy(std::move(value)));
}

nb::tuple blobs(const EventFile& file, uint32_t index) {
  const Series& series = intact_series_at(file, index);
  if (!series.blobs) throw nb::index_error("That series holds scalars.");
  std::vector<int64_t> step;
  std::vector<double> wall;
  std::vector<uint64_t> offset, length;
  for (const BlobSpan& span : series.blobs->spans(series.blobs->size())) {
    step.insert(step.end(), span.step, span.step + span.size);
    wall.insert(wall.end(), span.wall, span.wall + span.size);
    offset.insert(offset.end(), span.offset, span.offset + span.size);
    length.insert(length.end(), span.length, span.length + span.size);
  }
  return nb::make_tuple(to_numpy(std::move(step)), to_numpy(std::move(wall)), to_numpy(std::move(offset)), to_numpy(std::move(length)));
}

nb::dict summaries(const EventFile& file) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  std::vector<int64_t> first_step, last_step;
  std::vector<double> last, min, max;
  for (uint32_t i = 0, n = file.columns().size(); i < n; ++i) {
    const Series& series = file.columns().at(i);
    ScalarColumn::Summary s;
    if (series.scalars)
      s = series.scalars->summary();
    else
      s.first_step = series.blobs->first_step(), s.last_step = series.blobs->last_step(), s.last = s.min = s.max = nan;
    first_step.push_back(s.first_step);
    last_step.push_back(s.last_step);
    last.push_back(s.last);
    min.push_back(s.min);
    max.push_back(s.max);
  }
  nb::dict result;
  result["first_step"] = to_numpy(std::move(first_step));
  result["last_step"] = to_numpy(std::move(last_step));
  result["last"] = to_numpy(std::move(last));
  result["min"] = to_numpy(std::move(min));
  result["max"] = to_numpy(std::move(max));
  return result;
}

// Whether a series of this file alone is drawn as it lies: the restart rule has nothing to hide or to sort.
bool is_plain(const Series& series) {
  if (!series.scalars) return false;
  const ScalarColumn::Summary s = series.scalars->summary();
  return s.steps_ordered && s.steps_distinct;
}

// One number for each series that is plain, NaN for the others, and which are plain; none is in a file with session starts.
template <typename Reading>
nb::tuple read_plain(const EventFile& file, Reading reading) {
  const uint32_t n = file.columns().size();
  std::vector<double> values(n, std::numeric_limits<double>::quiet_NaN());
  std::vector<uint8_t> plain(n, 0);
  const bool restarted = !file.columns().start_steps().empty();
  for (uint32_t i = 0; i < n && !restarted; ++i) {
    const Series& series = file.columns().at(i);
    if (!is_plain(series)) continue;
    intact_series_at(file, i);
    plain[i] = 1;
    values[i] = reading(series.scalars->spans(series.scalars->size()));
  }
  return nb::make_tuple(to_numpy(std::move(values)), to_numpy(std::move(plain)));
}

// The mean of the last `count` finite values, among the last `look_back` points.
nb::tuple tail_means(const EventFile& file, uint32_t count, uint64_t look_back) {
  return read_plain(file, [=](const std::vector<ScalarSpan>& spans) {
    double sum = 0;
    uint32_t found = 0;
    uint64_t seen = 0;
    for (auto span = spans.rbegin(); span != spans.rend(); ++span) {
      for (size_t i = span->size; i-- > 0 && found < count && seen < look_back; ++seen) {
        const double value = span->value(i);
        if (std::isfinite(value)) sum += value, ++found;
      }
    }
    return found ? sum / found : std::numeric_limits<double>::quiet_NaN();
  });
}

// The newest finite value at or before a step; none where a series begins later or ends before.
nb::tuple values_at(const EventFile& file, double step) {
  return read_plain(file, [=](const std::vector<ScalarSpan>& spans) {
    const double nan = std::numeric_limits<double>::quiet_NaN();
    if (spans.empty() || static_cast<double>(spans.back().step[spans.back().size - 1]) < step) return nan;
    for (auto span = spans.rbegin(); span != spans.rend(); ++span) {
      const int64_t* end = std::upper_bound(span->step, span->step + span->size, step,
                                            [](double at, int64_t one) { return at < static_cast<double>(one); });
      for (size_t i = end - span->step; i-- > 0;)
        if (std::isfinite(span->value(i))) return static_cast<double>(span->value(i));
    }
    return nan;
  });
}

nb::tuple metadata(const EventFile& file, uint32_t index) {
  static const Metadata none;
  const Metadata* found = series_at(file, index).metadata.load(std::memory_order_acquire);
  const Metadata& m = found ? *found : none;
  return nb::make_tuple(to_bytes(m.plugin), to_bytes(m.display_name), to_bytes(m.description), to_bytes(m.content), m.data_class);
}

nb::tuple save(const EventFile& file, int descriptor, uint64_t base) {
  uint64_t written = 0;
  std::string index;
  try {
    nb::gil_scoped_release unlocked;
    std::string buffer;  // columns of short series are gathered, so that a million of them is not a million writes
    const auto flush = [&] {
      write_all(descriptor, buffer.data(), buffer.size());
      buffer.clear();
    };
    index = save_columns(file, base, [&](const char* data, size_t size) {
      written += size;
      if (buffer.size() + size > (size_t{1} << 20)) flush();
      if (size > (size_t{1} << 18))
        write_all(descriptor, data, size);
      else
        buffer.append(data, size);
    });
    flush();
  } catch (const std::system_error& error) {
    raise_os_error(error, file.path());
  }
  return nb::make_tuple(to_bytes(index), written);
}

std::shared_ptr<EventFile> restore(const nb::object& origin, std::shared_ptr<NamePool> names, nb::bytes index,
                                   std::shared_ptr<PackFile> pack) {
  Origin from = origin_of(origin);
  const std::string_view bytes(index.c_str(), index.size());
  nb::gil_scoped_release unlocked;
  return restore_columns(std::move(from), std::move(names), bytes, std::move(pack));
}

uint64_t count_values(const EventFile& file) {
  uint64_t values = 0;
  for (uint32_t i = 0, n = file.columns().size(); i < n; ++i) values += file.columns().at(i).size();
  return values;
}

// Plain numbers, not an array: reading a folder needs no numpy.
std::vector<uint32_t> series_of_kinds(const EventFile& file, const std::vector<uint8_t>& kinds, uint32_t start) {
  std::vector<uint32_t> found;
  for (uint32_t i = start, n = file.columns().size(); i < n; ++i)
    if (std::find(kinds.begin(), kinds.end(), static_cast<uint8_t>(file.columns().at(i).kind)) != kinds.end()) found.push_back(i);
  return found;
}

nb::list faults(const EventFile& file) {
  nb::list result;
  for (const Fault& fault : file.report().faults) result.append(nb::make_tuple(fault.offset, fault.bytes, fault.reason));
  return result;
}

}  // namespace

void bind_event_file(nb::module_& m) {
  nb::class_<NamePool>(m, "NamePool")
      .def(nb::init<>())
      .def("__len__", &NamePool::size)
      .def("intern", [](NamePool& pool, nb::bytes name) { return pool.intern({name.c_str(), name.size()}); })
      .def("find", [](const NamePool& pool, nb::bytes name) { return pool.find({name.c_str(), name.size()}); })
      .def("name", [](const NamePool& pool, int32_t id) { return to_bytes(pool.name(id)); })
      .def(
          "names",
          [](const NamePool& pool, size_t start) {
            nb::list names;
            for (size_t i = start, n = pool.size(); i < n; ++i) names.append(to_bytes(pool.name(static_cast<int32_t>(i))));
            return names;
          },
          nb::arg("start") = 0);

  nb::exception<CheckpointError>(m, "CheckpointError");
  nb::class_<PackFile>(m, "PackFile")
      .def(
          "__init__",
          [](PackFile* self, nb::bytes path) {
            const std::string name(path.c_str(), path.size());
            try {
              new (self) PackFile(name);
            } catch (const std::system_error& error) {
              raise_os_error(error, name);
            }
          },
          nb::arg("path"))
      .def("__len__", &PackFile::size);

  nb::class_<EventFile>(m, "EventFile")
      .def(
          "__init__",
          [](EventFile* self, const nb::object& origin, std::shared_ptr<NamePool> names) {
            new (self) EventFile(origin_of(origin), std::move(names));
          },
          nb::arg("origin"), nb::arg("names"))
      .def_prop_ro("path", [](const EventFile& file) { return to_bytes(file.path()); })
      .def(
          "scan",
          [](EventFile& file, uint64_t limit, bool settled) {
            return with_file_errors(file, [&] { return file.scan(limit, settled); });
          },
          nb::arg("limit_bytes") = 0, nb::arg("settled") = false)
      .def("changed", [](EventFile& file) { return file.columns().take_changed(); })
      .def("verify", [](const EventFile& file) { return with_file_errors(file, [&] { return file.verify(); }); })
      .def("read_blob",
           [](const EventFile& file, uint64_t offset, uint64_t length) {
             return to_bytes(with_file_errors(file, [&] { return file.read_blob(offset, length); }));
           })
      .def_prop_ro("offset", [](const EventFile& file) { return file.report().offset; })
      .def_prop_ro("pending", [](const EventFile& file) { return file.report().pending; })
      .def_prop_ro("records", [](const EventFile& file) { return file.report().records; })
      .def_prop_ro("skipped", [](const EventFile& file) { return file.report().skipped; })
      .def_prop_ro("skipped_bytes", [](const EventFile& file) { return file.report().skipped_bytes; })
      .def_prop_ro("faults", &faults)
      .def_prop_ro("first_wall", &EventFile::first_wall)
      .def_prop_ro("last_wall", &EventFile::last_wall)
      .def_prop_ro("last_point", &EventFile::last_point)
      .def_prop_ro("file_version", [](const EventFile& file) { return to_bytes(file.report().facts.file_version); })
      .def_prop_ro("writer", [](const EventFile& file) { return to_bytes(file.report().facts.writer); })
      .def_prop_ro("session_status", [](const EventFile& file) { return file.report().facts.session_status; })
      .def_prop_ro("hparams_status", [](const EventFile& file) { return file.report().facts.hparams_status; })
      .def_prop_ro("points", [](const EventFile& file) { return file.columns().points(); })
      .def_prop_ro("values", &count_values)
      .def_prop_ro("series_count", [](const EventFile& file) { return file.columns().size(); })
      .def_prop_ro("memory_bytes", [](const EventFile& file) { return file.columns().memory_bytes(); })
      .def_prop_ro(
          "start_steps", [](const EventFile& file) { return to_numpy(file.columns().start_steps()); }, nb::rv_policy::move)
      .def(
          "tag_ids",
          [](const EventFile& file, uint32_t start) { return per_series<int32_t>(file, start, [](const Series& s) { return s.tag; }); },
          nb::arg("start") = 0)
      .def(
          "kinds",
          [](const EventFile& file, uint32_t start) {
            return per_series<uint8_t>(file, start, [](const Series& s) { return static_cast<uint8_t>(s.kind); });
          },
          nb::arg("start") = 0)
      .def("series_of_kinds", &series_of_kinds, nb::arg("kinds"), nb::arg("start") = 0)
      .def("counts",
           [](const EventFile& file) {
             return per_series<int64_t>(file, 0, [](const Series& s) { return static_cast<int64_t>(s.size()); });
           })
      .def(
          "find", [](const EventFile& file, int32_t tag, uint8_t kind) { return file.columns().find(tag, static_cast<Kind>(kind)); },
          nb::arg("tag_id"), nb::arg("kind") = 0)
      .def_prop_ro("pack_damaged", &EventFile::pack_damaged)
      .def("save", &save, nb::arg("descriptor"), nb::arg("base"))
      .def_static("restore", &restore, nb::arg("origin"), nb::arg("names"), nb::arg("index"), nb::arg("pack"))
      .def("summaries", &summaries)
      .def("tail_means", &tail_means, nb::arg("count"), nb::arg("look_back"))
      .def("values_at", &values_at, nb::arg("step"))
      .def("metadata", &metadata, nb::arg("index"))
      .def("scalars", &scalars, nb::arg("index"))
      .def("blobs", &blobs, nb::arg("index"));
}

}  // namespace stepscope
