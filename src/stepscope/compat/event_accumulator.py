"""EventAccumulator with TensorBoard's names, for code that imports it: one run's series, read by the same core as everything else.

Change `from tensorboard.backend.event_processing.event_accumulator import EventAccumulator` to
`from stepscope.compat.event_accumulator import EventAccumulator`. Values of TensorFlow 2 are tensors here, as they are there.
"""

from __future__ import annotations

import os
import struct
import threading
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np

from stepscope._native import WIRE, EventFile, NamePool, SeriesView, read_records
from stepscope.compat.accumulated_events import (
    AudioEvent,
    CompressedHistogramEvent,
    HistogramEvent,
    HistogramValue,
    ImageEvent,
    PluginData,
    ScalarEvent,
    SummaryMetadata,
    TensorEvent,
    audio_event,
    compressed,
    histogram_event,
    image_event,
    part_of,
    tensor_event,
)
from stepscope.compat.peer_messages import peer_module
from stepscope.model.kinds import Kind
from stepscope.model.protobuf_fields import BadMessage, fields
from stepscope.queries.names import tag_text
from stepscope.queries.tensor_message import scalar_tensor
from stepscope.sources.files import is_folder, list_folder, origin_of, read_range, stat

__all__ = [
    "AUDIO",
    "COMPRESSED_HISTOGRAMS",
    "DEFAULT_SIZE_GUIDANCE",
    "GRAPH",
    "HISTOGRAMS",
    "IMAGES",
    "META_GRAPH",
    "NORMAL_HISTOGRAM_BPS",
    "RUN_METADATA",
    "SCALARS",
    "STORE_EVERYTHING_SIZE_GUIDANCE",
    "TENSORS",
    "AudioEvent",
    "CompressedHistogramEvent",
    "EventAccumulator",
    "HistogramEvent",
    "HistogramValue",
    "ImageEvent",
    "ScalarEvent",
    "TensorEvent",
]

COMPRESSED_HISTOGRAMS = "distributions"
HISTOGRAMS = "histograms"
IMAGES = "images"
AUDIO = "audio"
SCALARS = "scalars"
TENSORS = "tensors"
GRAPH = "graph"
META_GRAPH = "meta_graph"
RUN_METADATA = "run_metadata"

NORMAL_HISTOGRAM_BPS = (0, 668, 1587, 3085, 5000, 6915, 8413, 9332, 10000)
DEFAULT_SIZE_GUIDANCE = {COMPRESSED_HISTOGRAMS: 500, IMAGES: 4, AUDIO: 4, SCALARS: 10000, HISTOGRAMS: 1, TENSORS: 10}
"""What TensorBoard keeps when nothing is asked for. Here it is everything, unless this is passed."""
STORE_EVERYTHING_SIZE_GUIDANCE = dict.fromkeys(DEFAULT_SIZE_GUIDANCE, 0)

_RUN_GRAPH, _META_GRAPH = b"__run_graph__", b"__meta_graph__"
_LEGACY = {Kind.IMAGE: IMAGES, Kind.AUDIO: AUDIO, Kind.HISTOGRAM: HISTOGRAMS}
"""Values of these kinds that name no plugin are old messages; all others are tensors."""
_MAYBE_EMPTY = frozenset({Kind.HPARAMS, Kind.OTHER})
"""Kinds whose values may have nothing but metadata."""
_LONGEST_WRITER = 128

Made = TypeVar("Made")


@dataclass(frozen=True, slots=True)
class _Series:
    """A tag: the files that have it, and its place in each."""

    kind: Kind
    tag: bytes
    parts: list[tuple[EventFile, int]]


@dataclass(slots=True)
class _Listed:
    """The tags of a run, by what TensorBoard calls their type; in the order of their first value."""

    series: dict[str, dict[str, _Series]]
    metadata: dict[str, SummaryMetadata]
    contents: defaultdict[str, dict[str, bytes]]
    graph: _Series | None = None
    meta_graph: _Series | None = None


class EventAccumulator:
    """Reads one folder of event files, or one file. Call `Reload` first, and again for what was written since.

    Differs from TensorBoard's in keeping everything: `size_guidance` limits a type only when it is given, and then the values
    returned are evenly spaced, with the first and the last. A step that a restart logged again has its newest value only; with
    `purge_orphaned_data=False` it has all. A corrupt record costs that record alone.
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        size_guidance: Mapping[str, int] | None = None,
        compression_bps: Sequence[float] = NORMAL_HISTOGRAM_BPS,
        purge_orphaned_data: bool = True,
    ) -> None:
        self.path = os.fspath(path)
        if not self.path:
            raise ValueError("path must name a folder or an event file")
        self.purge_orphaned_data = purge_orphaned_data
        self._sizes = dict(size_guidance or {})
        self._points = compression_bps
        self._names = NamePool()
        self._files: dict[str, EventFile] = {}
        self._lock = threading.Lock()
        self._listed = _Listed({}, {}, defaultdict(dict))

    def Reload(self) -> EventAccumulator:  # noqa: N802 - TensorBoard's names
        """Reads what was written since the last call, or everything."""
        with self._lock:
            for path in _event_files(self.path):
                self._scan(path)
            self._listed = self._list()
        return self

    def Tags(self) -> dict[str, Any]:  # noqa: N802
        """Tags by type; of graphs, whether there is one."""
        listed = self._listed
        found: dict[str, Any] = {kind: list(listed.series.get(kind, {})) for kind in (IMAGES, AUDIO, HISTOGRAMS, SCALARS)}
        found[COMPRESSED_HISTOGRAMS] = list(found[HISTOGRAMS])
        found[TENSORS] = list(listed.series.get(TENSORS, {}))
        found[GRAPH] = listed.graph is not None or self._graph_inside() is not None
        found[META_GRAPH] = listed.meta_graph is not None
        found[RUN_METADATA] = list(listed.series.get(RUN_METADATA, {}))
        return found

    def Scalars(self, tag: str) -> list[ScalarEvent]:  # noqa: N802
        """The points of a tag. Raises KeyError."""
        step, wall, value = self._columns(self._series(SCALARS, tag), SCALARS)
        return [ScalarEvent(*point) for point in zip(wall.tolist(), step.tolist(), value.tolist(), strict=True)]

    def Histograms(self, tag: str) -> list[HistogramEvent]:  # noqa: N802
        """The histograms of a tag. Raises KeyError."""
        return list(self._values(self._series(HISTOGRAMS, tag), HISTOGRAMS, histogram_event))

    def CompressedHistograms(self, tag: str) -> list[CompressedHistogramEvent]:  # noqa: N802
        """Percentiles of the histograms of a tag. Raises KeyError."""
        events = self._values(self._series(HISTOGRAMS, tag), COMPRESSED_HISTOGRAMS, histogram_event)
        return [compressed(event, self._points) for event in events]

    def Images(self, tag: str) -> list[ImageEvent]:  # noqa: N802
        """The images of a tag. Raises KeyError."""
        return list(self._values(self._series(IMAGES, tag), IMAGES, image_event))

    def Audio(self, tag: str) -> list[AudioEvent]:  # noqa: N802
        """The sounds of a tag. Raises KeyError."""
        return list(self._values(self._series(AUDIO, tag), AUDIO, audio_event))

    def Tensors(self, tag: str) -> list[TensorEvent]:  # noqa: N802
        """The tensors of a tag. Raises KeyError."""
        series = self._series(TENSORS, tag)
        if series.kind != Kind.SCALAR:
            return list(self._values(series, TENSORS, tensor_event))
        step, wall, value = self._columns(series, TENSORS)
        points = zip(wall.tolist(), step.tolist(), value.tolist(), strict=True)
        return [TensorEvent(at, when, scalar_tensor(number)) for at, when, number in points]

    def Graph(self) -> Any:  # noqa: N802, ANN401 - a message of tensorboard
        """The graph as a GraphDef message. Raises ValueError without one, and NeedsExtra when tensorboard is not installed."""
        data = self._last(self._listed.graph) if self._listed.graph else self._graph_inside()
        if data is None:
            raise ValueError("There is no graph in this run.")
        return peer_module("tensorboard.compat.proto.graph_pb2").GraphDef.FromString(data)

    def MetaGraph(self) -> Any:  # noqa: N802, ANN401
        """The meta graph as a MetaGraphDef message. Raises as Graph does."""
        if self._listed.meta_graph is None:
            raise ValueError("There is no meta graph in this run.")
        return peer_module("tensorboard.compat.proto.meta_graph_pb2").MetaGraphDef.FromString(self._last(self._listed.meta_graph))

    def RunMetadata(self, tag: str) -> Any:  # noqa: N802, ANN401
        """What a session recorded under a tag, as a RunMetadata message. Raises as Graph does."""
        series = self._listed.series.get(RUN_METADATA, {}).get(tag)
        if series is None:
            raise ValueError(f"There is no run metadata with the tag {tag!r}.")
        return peer_module("tensorboard.compat.proto.config_pb2").RunMetadata.FromString(self._last(series))

    def SummaryMetadata(self, tag: str) -> SummaryMetadata:  # noqa: N802
        """What the writer said about a tag. Raises KeyError."""
        return self._listed.metadata[tag]

    def PluginTagToContent(self, plugin_name: str) -> dict[str, bytes]:  # noqa: N802
        """What the writer told a plugin, by tag. Raises KeyError."""
        if plugin_name not in self._listed.contents:
            raise KeyError(f"No series names the plugin {plugin_name!r}.")
        return self._listed.contents[plugin_name]

    def AllSummaryMetadata(self) -> dict[str, SummaryMetadata]:  # noqa: N802
        """What the writer said about each tag."""
        return self._listed.metadata

    def FirstEventTimestamp(self) -> float:  # noqa: N802
        """Wall time of the first event. Raises ValueError when there is none."""
        for events in self._read():
            # Not the file's earliest time: writers with several threads may write their first events in another order.
            for record, _ in read_records(origin_of(os.fsdecode(events.path)), 0, 1):
                return _wall_time(record)
        raise ValueError("No event timestamp could be found")

    def GetSourceWriter(self) -> str | None:  # noqa: N802
        """What wrote the newest file that says so; None when none does."""
        names = [events.writer.decode("utf-8", "replace") for events in self._read()]
        return next((name for name in reversed(names) if 0 < len(name) <= _LONGEST_WRITER), None)

    def PluginAssets(self, plugin_name: str) -> list[str]:  # noqa: N802
        """Names of the files that a plugin keeps in the run."""
        folder = _assets(self.path, plugin_name)
        if not is_folder(folder):
            return []
        found = list_folder(folder, lambda _: True)
        return sorted(os.path.basename(name) for name in (*found.folders, *(file.path for file in found.files)))

    def RetrievePluginAsset(self, plugin_name: str, asset_name: str) -> str:  # noqa: N802
        """The text of such a file. Raises KeyError."""
        if asset_name != os.path.basename(asset_name) or asset_name in ("", ".", ".."):
            raise KeyError(f"{asset_name!r} is not the name of a file of the plugin.")
        path = os.path.join(_assets(self.path, plugin_name), asset_name)
        try:
            return read_range(path, 0, stat(path).size).decode("utf-8")
        except (OSError, UnicodeDecodeError) as problem:
            raise KeyError(f"{path} could not be read: {problem}.") from problem

    @property
    def file_version(self) -> float | None:
        """The version of the newest file that has one; None before `Reload`."""
        texts = [events.file_version.decode("utf-8", "replace") for events in self._files.values()]
        number = next((text.rpartition(":")[2] for text in reversed(texts) if text), None)
        try:
            return None if number is None else float(number)
        except ValueError:
            return -1

    @property
    def summary_metadata(self) -> dict[str, SummaryMetadata]:
        """What the writer said about each tag."""
        return self._listed.metadata

    @property
    def _plugin_to_tag_to_content(self) -> defaultdict[str, dict[str, bytes]]:
        """tbparse reads hyperparameters from here."""
        return self._listed.contents

    def _read(self) -> Iterator[EventFile]:
        """The files that were read; all of them when none was."""
        if not self._files:
            self.Reload()
        yield from self._files.values()

    def _scan(self, path: str) -> None:
        for _ in range(2):  # a file that was replaced is begun anew
            events = self._files.get(path) or EventFile(origin_of(path), self._names)
            self._files[path] = events
            try:
                if events.scan() >= 0:
                    return
            except FileNotFoundError:
                pass
            del self._files[path]

    def _list(self) -> _Listed:
        listed = _Listed({}, {}, defaultdict(dict))
        seen: dict[tuple[int, int], _Series] = {}
        for path in sorted(self._files):
            events = self._files[path]
            for index, (tag, kind) in enumerate(zip(events.tag_ids().tolist(), events.kinds().tolist(), strict=False)):
                if (tag, kind) in seen:
                    seen[tag, kind].parts.append((events, index))
                else:
                    seen[tag, kind] = _Series(Kind(kind), self._names.name(tag), [(events, index)])
                    self._sort_in(listed, seen[tag, kind])
        return listed

    def _sort_in(self, listed: _Listed, series: _Series) -> None:
        events, index = series.parts[0]
        plugin, display_name, description, content, data_class = events.metadata(index)
        name, named = tag_text(series.tag), plugin.decode("utf-8", "replace")
        if plugin or display_name or description:
            texts = display_name.decode("utf-8", "replace"), description.decode("utf-8", "replace")
            listed.metadata.setdefault(name, SummaryMetadata(PluginData(named, content), *texts, data_class))
            if named:
                listed.contents[named].setdefault(name, content)
        if not named and series.kind == Kind.GRAPH:
            if series.tag == _RUN_GRAPH:
                listed.graph = series
            elif series.tag == _META_GRAPH:
                listed.meta_graph = series
        elif series.kind != Kind.SESSION_LOG and not (series.kind in _MAYBE_EMPTY and self._is_empty(series)):
            listed.series.setdefault(_type_of(series.kind, named), {})[name] = series

    def _is_empty(self, series: _Series) -> bool:
        events, index = series.parts[0]
        _, _, offset, length = events.blobs(index)
        try:
            return not len(offset) or part_of(events.read_blob(int(offset[0]), int(length[0])), "tensor") is None
        except (OSError, RuntimeError, BadMessage):
            return True

    def _series(self, kind: str, tag: str) -> _Series:
        return self._listed.series.get(kind, {})[tag]

    def _columns(self, series: _Series, kind: str) -> tuple[Any, Any, Any]:
        """Step, wall time and value of a series of scalars."""
        places = {id(events): index for events, index in series.parts}
        files = [self._files[path] for path in sorted(self._files)]
        parts = [(events, places.get(id(events), -1)) for events in files if id(events) in places or len(events.start_steps)]
        step, wall, value, _ = SeriesView(parts, "latest" if self.purge_orphaned_data else "all").arrays()
        chosen = _chosen(len(step), self._sizes.get(kind, 0))
        return step[chosen], wall[chosen], value[chosen]

    def _values(self, series: _Series, kind: str, made: Callable[[float, int, bytes], Made]) -> Iterator[Made]:
        """What values have; one that cannot be read is left out."""
        files = [events for events, _ in series.parts]
        columns = [events.blobs(index) for events, index in series.parts]
        step, wall, offset, length = (np.concatenate([part[place] for part in columns]) for place in range(4))
        file = np.repeat(np.arange(len(files)), [len(part[0]) for part in columns])
        order = np.argsort(step, kind="stable")
        if self.purge_orphaned_data and len(order):
            order = order[np.append(step[order][1:] != step[order][:-1], True)]
        for place in order[_chosen(len(order), self._sizes.get(kind, 0))].tolist():
            try:
                value = files[file[place]].read_blob(int(offset[place]), int(length[place]))
                yield made(float(wall[place]), int(step[place]), value)
            except (RuntimeError, BadMessage, FileNotFoundError):
                continue

    def _last(self, series: _Series) -> bytes:
        events, index = series.parts[-1]
        _, _, offset, length = events.blobs(index)
        return events.read_blob(int(offset[-1]), int(length[-1]))

    def _graph_inside(self) -> bytes | None:
        """The graph in a meta graph, for runs that have no other."""
        if self._listed.meta_graph is None:
            return None
        data = self._last(self._listed.meta_graph)
        try:
            return next((part.data for part in fields(data) if part.id == WIRE["MetaGraphDef"]["graph_def"] and part.is_bytes), None)
        except BadMessage:
            return None


def _wall_time(event: bytes) -> float:
    known = WIRE["Event"]["wall_time"]
    bits = next((part.number for part in fields(event) if part.id == known), 0)
    return float(struct.unpack("<d", bits.to_bytes(8, "little"))[0])


def _event_files(path: str) -> list[str]:
    """The event files of a folder by name, or the one that the path names."""
    if not is_folder(path):
        stat(path)  # raises when there is nothing
        return [path]
    return sorted(file.path for file in list_folder(path, lambda name: "tfevents" in name).files)


def _assets(path: str, plugin: str) -> str:
    return os.path.join(path, "plugins", plugin)


def _type_of(kind: Kind, plugin: str) -> str:
    """TensorBoard's type of a series; old messages name no plugin."""
    if kind == Kind.SCALAR:
        return TENSORS if plugin else SCALARS
    if not plugin and kind == Kind.RUN_METADATA:
        return RUN_METADATA
    return TENSORS if plugin else _LEGACY.get(kind, TENSORS)


def _chosen(count: int, most: int) -> Any:  # noqa: ANN401 - what an array is indexed with
    """All places, or so many at equal distances with both ends."""
    if not 0 < most < count:
        return slice(None)
    return np.unique(np.linspace(0, count - 1, most).round().astype(int)) if most > 1 else np.array([count - 1])
