"""The data of runs as TensorBoard's plugins ask for it: a DataProvider on the queries that the page uses."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from stepscope._native import EventFile, histogram_buckets
from stepscope.compat.blob_keys import BlobKey, blob_key
from stepscope.compat.logged import UNNAMED
from stepscope.compat.peer_messages import peer_module
from stepscope.compat.served import Served
from stepscope.model.errors import NotThere, StepscopeError
from stepscope.model.identity import TagId
from stepscope.model.kinds import Kind
from stepscope.model.protobuf_fields import BadMessage
from stepscope.queries.audio_values import audio_value
from stepscope.queries.blobs import BlobSeries
from stepscope.queries.image_values import image_value
from stepscope.queries.tensor_message import value_tensor
from stepscope.queries.view import ShownRun, first_wall

_SCALAR, _TENSOR, _BLOBS = 1, 2, 3
"""Data classes, as summaries name them."""
_OF_BLOBS = frozenset({Kind.IMAGE, Kind.AUDIO, Kind.GRAPH, Kind.RUN_METADATA})
_RUN_GRAPH = "__run_graph__"
_OF_OLD = {Kind.IMAGE: b"\x10\x01", Kind.AUDIO: b"\x10\x0b\x18\x01"}
"""What TensorBoard tells plugins about old messages: that they were converted, and that sounds are WAV files."""
_GOOD = 0


@dataclass(frozen=True, slots=True)
class _Found:
    """A series of a plugin."""

    run: ShownRun
    name: str
    tag: TagId
    kind: Kind
    data_class: int
    content: bytes
    description: str
    display_name: str


def data_provider(served: Served) -> Any:  # noqa: ANN401 - a class of tensorboard, which has no types
    """An object with the methods of tensorboard.data.provider.DataProvider. Raises NeedsExtra."""
    contract: Any = peer_module("tensorboard.data.provider")
    answers = _Answers(served, contract)
    names = [name for name in dir(_Answers) if not name.startswith("_")]
    made = type("StepscopeDataProvider", (contract.DataProvider,), {name: _method(name) for name in names})()
    made.answers = answers
    return made


def _method(name: str) -> Any:  # noqa: ANN401
    """One method: the request's context, which names nobody here, and then only named arguments."""

    def ask(self: Any, ctx: Any = None, **asked: Any) -> Any:  # noqa: ANN401
        del ctx
        asked.pop("experiment_id", None)
        try:
            return getattr(self.answers, name)(**asked)
        except NotThere as problem:
            raise peer_module("tensorboard.errors").NotFoundError(problem.message) from problem

    return ask


class _Answers:
    """The methods themselves. Runs are as on disk; of more values than `downsample` so many are returned, with both ends."""

    def __init__(self, served: Served, contract: Any) -> None:  # noqa: ANN401
        self._served = served
        self._contract = contract

    def experiment_metadata(self) -> Any:  # noqa: ANN401
        return self._contract.ExperimentMetadata(data_location=self._served.location)

    def list_plugins(self) -> list[str]:
        return sorted({plugin for run in self._served.runs().values() for plugin, _ in _all_series(run)})

    def list_runs(self) -> list[Any]:
        found = [(_started(run), name) for name, run in self._served.runs().items()]
        return [self._contract.Run(run_id=name, run_name=name, start_time=start) for start, name in sorted(found)]

    def list_scalars(self, *, plugin_name: str, run_tag_filter: Any = None) -> dict[str, dict[str, Any]]:  # noqa: ANN401
        return self._listed(plugin_name, run_tag_filter, _SCALAR, self._contract.ScalarTimeSeries)

    def list_tensors(self, *, plugin_name: str, run_tag_filter: Any = None) -> dict[str, dict[str, Any]]:  # noqa: ANN401
        return self._listed(plugin_name, run_tag_filter, _TENSOR, self._contract.TensorTimeSeries)

    def list_blob_sequences(self, *, plugin_name: str, run_tag_filter: Any = None) -> dict[str, dict[str, Any]]:  # noqa: ANN401
        made = self._contract.BlobSequenceTimeSeries

        def with_length(longest: int, **about: Any) -> Any:  # noqa: ANN401
            return made(max_length=longest, **about)

        return self._listed(plugin_name, run_tag_filter, _BLOBS, with_length)

    def read_scalars(self, *, plugin_name: str, downsample: int, run_tag_filter: Any = None) -> dict[str, dict[str, Any]]:  # noqa: ANN401
        datum = self._contract.ScalarDatum
        return self._read(plugin_name, run_tag_filter, _SCALAR, lambda one: [datum(*point) for point in self._points(one, downsample)])

    def read_last_scalars(self, *, plugin_name: str, run_tag_filter: Any = None) -> dict[str, dict[str, Any]]:  # noqa: ANN401
        found = self.read_scalars(plugin_name=plugin_name, downsample=1, run_tag_filter=run_tag_filter)
        return {run: {tag: points[-1] for tag, points in tags.items() if points} for run, tags in found.items()}

    def read_tensors(self, *, plugin_name: str, downsample: int, run_tag_filter: Any = None) -> dict[str, dict[str, Any]]:  # noqa: ANN401
        datum = self._contract.TensorDatum
        return self._read(plugin_name, run_tag_filter, _TENSOR, lambda one: [datum(*value) for value in self._arrays(one, downsample)])

    def read_blob_sequences(self, *, plugin_name: str, downsample: int, run_tag_filter: Any = None) -> dict[str, dict[str, Any]]:  # noqa: ANN401
        return self._read(plugin_name, run_tag_filter, _BLOBS, lambda one: self._sequences(plugin_name, one, downsample))

    def read_blob(self, *, blob_key: str) -> bytes:
        return self._blob(blob_key)

    def _listed(self, plugin: str, wanted: Any, data_class: int, made: Any) -> dict[str, dict[str, Any]]:  # noqa: ANN401
        def about(one: _Found) -> Any:  # noqa: ANN401
            if one.kind == Kind.SCALAR:
                held = self._served.series.open(self._served.view().source(one.run.record.id, one.tag), "latest")
                none = np.empty(0), np.empty(0)
                step, wall = none if held is None else held.series.arrays()[:2]
                longest = 0
            else:
                series = self._series(one)
                step, wall, longest = series.step, series.wall, self._longest(one, series)
            last = {"longest": longest} if data_class == _BLOBS else dict[str, int]()
            return made(
                max_step=int(step.max()) if len(step) else 0,
                max_wall_time=float(wall.max()) if len(wall) else 0.0,
                plugin_content=one.content,
                description=one.description,
                display_name=one.display_name,
                **last,
            )

        return self._read(plugin, wanted, data_class, about)

    def _read(self, plugin: str, wanted: Any, data_class: int, made: Callable[[_Found], Any]) -> dict[str, dict[str, Any]]:  # noqa: ANN401
        """What is made of each series of a plugin, by run and tag; runs without any are left out."""
        runs, tags = (None, None) if wanted is None else (wanted.runs, wanted.tags)
        found: dict[str, dict[str, Any]] = {}
        for name, run in self._served.runs().items():
            if runs is not None and name not in runs:
                continue
            for one in self._of_run(run, plugin):
                if one.data_class == data_class and (tags is None or one.name in tags):
                    found.setdefault(name, {})[one.name] = made(one)
        return found

    def _of_run(self, run: ShownRun, plugin: str) -> Iterator[_Found]:
        seen: set[int] = set()
        for named, (events, index) in _all_series(run):
            tag, kind = int(events.tag_ids()[index]), Kind(int(events.kinds()[index]))
            if named != plugin or tag in seen:
                continue
            seen.add(tag)
            own, shown, description, content, told = events.metadata(index)
            name = self._served.views.tag_name(tag)
            display = shown.decode("utf-8", "replace") or ("" if own else name)
            content = content if own else _OF_OLD.get(kind, content)
            class_ = told or (_SCALAR if kind == Kind.SCALAR else _BLOBS if kind in _OF_BLOBS else _TENSOR)
            yield _Found(run, name, TagId(tag), kind, class_, content, description.decode("utf-8", "replace"), display)

    def _series(self, one: _Found) -> BlobSeries:
        return self._served.blobs.open(self._served.view(), one.run.record.id, one.name, one.kind)

    def _points(self, one: _Found, most: int) -> list[tuple[int, float, float]]:
        if one.kind != Kind.SCALAR:
            return [(step, wall, float(array.reshape(-1)[0])) for step, wall, array in self._arrays(one, most) if array.size]
        held = self._served.series.open(self._served.view().source(one.run.record.id, one.tag), "latest")
        if held is None:
            return []
        step, wall, value, _ = held.series.arrays()
        chosen = _chosen(len(step), most)
        return list(zip(step[chosen].tolist(), wall[chosen].tolist(), value[chosen].tolist(), strict=True))

    def _arrays(self, one: _Found, most: int) -> Iterator[tuple[int, float, Any]]:
        """Step, wall time and array of each tensor; one that cannot be read is left out."""
        series = self._series(one)
        for place in _chosen(len(series), most).tolist():
            try:
                value = self._served.blobs.read_value(series, place)
                tensor = value_tensor(value)
                array = _old_histogram(value, series.tag) if tensor is None else tensor.numpy()
                if array is not None:
                    yield int(series.step[place]), float(series.wall[place]), array
            except (StepscopeError, BadMessage):
                continue

    def _sequences(self, plugin: str, one: _Found, most: int) -> list[Any]:
        series = self._series(one)
        found: list[Any] = []
        for place in _chosen(len(series), most).tolist():
            step = int(series.step[place])
            keys = [BlobKey(plugin, one.run.name, one.name, step, blob).text for blob in range(self._count(one, series, place))]
            blobs = [self._contract.BlobReference(key) for key in keys]
            found.append(self._contract.BlobSequenceDatum(step, float(series.wall[place]), tuple(blobs)))
        return found

    def _longest(self, one: _Found, series: BlobSeries) -> int:
        return max((self._count(one, series, place) for place in _chosen(len(series), 100).tolist()), default=0)

    def _count(self, one: _Found, series: BlobSeries, place: int) -> int:
        try:
            return len(self._strings(one, series, place))
        except StepscopeError:
            return 0

    def _strings(self, one: _Found, series: BlobSeries, place: int) -> tuple[bytes, ...]:
        """The blobs of one value, as TensorBoard counts them: an old image has its width and height in front, as new ones have."""
        if one.kind in (Kind.GRAPH, Kind.RUN_METADATA) and one.name == _RUN_GRAPH:
            return (self._served.blobs.read_value(series, place),)
        payload = self._served.blobs.read(series, place)
        if payload.message is None:
            return payload.strings[::2] if one.kind == Kind.AUDIO and len(payload.shape) == 2 else payload.strings
        if one.kind == Kind.AUDIO:
            return audio_value(payload).samples
        image = image_value(payload)
        return (str(image.width).encode(), str(image.height).encode(), *image.samples)

    def _blob(self, text: str) -> bytes:
        key = blob_key(text)
        run = self._served.runs().get(key.run)
        for one in () if run is None else self._of_run(run, key.plugin):
            if one.name == key.tag and one.data_class == _BLOBS:
                series = self._series(one)
                strings = self._strings(one, series, series.find(float(key.step), None))
                if key.place < len(strings):
                    return strings[key.place]
        raise NotThere("No blob has this key; fetch the list again.", "unknown_blob")


def _old_histogram(value: bytes, tag: bytes) -> Any:  # noqa: ANN401 - an array or None
    """Rows of left edge, right edge and count, as newer writers log them; None for another value."""
    state, left, right, count, _ = histogram_buckets(value, tag)
    return np.column_stack([left, right, count]) if state == _GOOD else None


def _all_series(run: ShownRun) -> Iterator[tuple[str, tuple[EventFile, int]]]:
    """Every series of a run with the plugin that shows it, in the order of its files."""
    for file in run.record.files:
        events = file.events
        for index, kind in enumerate(events.kinds()[: len(events.tag_ids())].tolist()):
            plugin = events.metadata(index)[0].decode("utf-8", "replace") or UNNAMED.get(Kind(kind), "")
            if plugin:
                yield plugin, (events, index)


def _started(run: ShownRun) -> float:
    walls = (first_wall(file.events) for file in run.record.files)
    return next((wall for wall in walls if wall is not None), math.inf)


def _chosen(count: int, most: int) -> Any:  # noqa: ANN401 - places in an array
    """At most so many places at equal distances with both ends; of one, the last."""
    if most <= 0 or not count:
        return np.arange(0)
    if most == 1:
        return np.array([count - 1])
    return np.unique(np.linspace(0, count - 1, min(most, count)).round().astype(int))
