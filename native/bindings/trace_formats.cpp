// Perfetto's format in both directions, and the JSON of Chrome and speedscope as output, for Python.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <tuple>

#include "profile/perfetto_reader.hpp"
#include "profile/trace_export.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace stepscope {
namespace {

using namespace profile;

template <class T>
using Array = nb::ndarray<const T, nb::numpy, nb::ndim<1>, nb::c_contig>;

auto made_by(const std::string& format) {
  if (format == "pftrace") return perfetto_export;
  if (format == "json") return chrome_export;
  if (format == "speedscope") return speedscope_export;
  throw nb::value_error("The format must be pftrace, json or speedscope.");
}

// An export together with the arrays it reads.
class PythonExport {
 public:
  PythonExport(const std::string& format, Array<int32_t> track, Array<int32_t> name, Array<int32_t> cause, Array<int64_t> start,
               Array<int64_t> end, Array<int8_t> kind, Array<int32_t> counter_track, Array<int64_t> counter_time,
               Array<double> counter_value, Array<int32_t> marker_row, Array<int64_t> marker_number, Array<int8_t> marker_family,
               Array<int32_t> copy_row, Array<int8_t> copy_direction, std::vector<std::string> names, nb::list tracks, int64_t base,
               int64_t low, int64_t high)
      : held_(nb::make_tuple(track, name, cause, start, end, kind, counter_track, counter_time, counter_value, marker_row,
                             marker_number, marker_family, copy_row, copy_direction)) {
    const size_t rows = track.size();
    if (name.size() != rows || cause.size() != rows || start.size() != rows || end.size() != rows || kind.size() != rows ||
        counter_time.size() != counter_track.size() || counter_value.size() != counter_track.size() ||
        marker_number.size() != marker_row.size() || marker_family.size() != marker_row.size() ||
        copy_direction.size() != copy_row.size())
      throw nb::value_error("The columns of one table must be equally long.");
    ExportColumns columns;
    columns.track = {track.data(), rows};
    columns.name = {name.data(), rows};
    columns.cause = {cause.data(), rows};
    columns.start = {start.data(), rows};
    columns.end = {end.data(), rows};
    columns.kind = {kind.data(), rows};
    columns.counter_track = {counter_track.data(), counter_track.size()};
    columns.counter_time = {counter_time.data(), counter_time.size()};
    columns.counter_value = {counter_value.data(), counter_value.size()};
    columns.marker_row = {marker_row.data(), marker_row.size()};
    columns.marker_number = {marker_number.data(), marker_number.size()};
    columns.marker_family = {marker_family.data(), marker_family.size()};
    columns.copy_row = {copy_row.data(), copy_row.size()};
    columns.copy_direction = {copy_direction.data(), copy_direction.size()};
    columns.names = std::move(names);
    for (nb::handle each : tracks) {
      const auto [track_name, process, role, purpose] = nb::cast<std::tuple<std::string, std::string, int, int>>(each);
      Track made;
      made.name = track_name;
      made.process = process;
      made.role = static_cast<TrackRole>(role);
      made.purpose = static_cast<TrackPurpose>(purpose);
      columns.tracks.push_back(std::move(made));
    }
    columns.base_ns = base;
    columns.low = low;
    columns.high = high;
    export_ = made_by(format)(std::move(columns));
  }

  nb::bytes next(size_t wanted) {
    std::string piece;
    {
      nb::gil_scoped_release unlocked;
      piece = export_->next(wanted);
    }
    return nb::bytes(piece.data(), piece.size());
  }

 private:
  nb::tuple held_;
  std::unique_ptr<TraceExport> export_;
};

}  // namespace

void bind_trace_formats(nb::module_& m) {
  nb::exception<NoPerfettoTrace>(m, "NoPerfettoTrace", PyExc_ValueError);
  m.def(
      "read_perfetto",
      [](nb::bytes data, uint64_t spans, uint64_t names) {
        const std::string_view bytes(data.c_str(), data.size());
        nb::gil_scoped_release unlocked;
        return read_perfetto(bytes, {spans, names});
      },
      "data"_a, "spans"_a, "names"_a);
  nb::class_<PythonExport>(m, "TraceExport")
      .def(nb::init<const std::string&, Array<int32_t>, Array<int32_t>, Array<int32_t>, Array<int64_t>, Array<int64_t>, Array<int8_t>,
                    Array<int32_t>, Array<int64_t>, Array<double>, Array<int32_t>, Array<int64_t>, Array<int8_t>, Array<int32_t>,
                    Array<int8_t>, std::vector<std::string>, nb::list, int64_t, int64_t, int64_t>(),
           nb::kw_only(), "format"_a, "track"_a, "name"_a, "cause"_a, "start"_a, "end"_a, "kind"_a, "counter_track"_a, "counter_time"_a,
           "counter_value"_a, "marker_row"_a, "marker_number"_a, "marker_family"_a, "copy_row"_a, "copy_direction"_a, "names"_a,
           "tracks"_a, "base_ns"_a, "low"_a, "high"_a)
      .def("next", &PythonExport::next, "wanted"_a);
}

}  // namespace stepscope
