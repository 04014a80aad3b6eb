"""The series of all runs as TensorBoard's plugins see them: by plugin, run and tag, with what the writer said about each."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass

import numpy as np

from stepscope._native import EventFile
from stepscope.compat.served import Served
from stepscope.model.errors import NotThere
from stepscope.model.identity import TagId
from stepscope.model.kinds import Kind
from stepscope.model.protobuf_fields import BadMessage, fields
from stepscope.queries.view import ShownRun

RUN_GRAPH = "__run_graph__"

_PLUGINS: dict[str, Kind] = {
    "scalars": Kind.SCALAR,
    "images": Kind.IMAGE,
    "audio": Kind.AUDIO,
    "text": Kind.TEXT,
    "histograms": Kind.HISTOGRAM,
    "pr_curves": Kind.PR_CURVE,
    "mesh": Kind.MESH,
    "hparams": Kind.HPARAMS,
    "custom_scalars": Kind.LAYOUT,
    "graphs": Kind.GRAPH,
    "graph_keras_model": Kind.GRAPH,
    "graph_run_metadata": Kind.RUN_METADATA,
    "graph_run_metadata_graph": Kind.RUN_METADATA,
    "graph_tagged_run_metadata": Kind.RUN_METADATA,
}
"""The kind under which the series of each plugin are kept."""
UNNAMED: dict[Kind, str] = {
    Kind.SCALAR: "scalars",
    Kind.IMAGE: "images",
    Kind.AUDIO: "audio",
    Kind.HISTOGRAM: "histograms",
    Kind.GRAPH: "graphs",
    Kind.RUN_METADATA: "graph_tagged_run_metadata",
}
"""The plugin of values whose writer names none: those of the old messages, and graphs outside of summaries."""
_WITH_VERSION = frozenset({"scalars", "images", "audio", "text", "histograms", "pr_curves", "mesh"})
"""Plugins whose content begins with a version; series of another than 0 are hidden, as nobody knows how to read them."""


@dataclass(frozen=True, slots=True)
class Logged:
    """One series."""

    run: ShownRun
    tag: TagId
    name: str
    kind: Kind
    display_name: str
    description: str
    content: bytes
    """What the writer told the plugin."""

    @property
    def run_id(self) -> str:
        """Of the run that has it."""
        return str(self.run.record.id)


def listed(served: Served, plugin: str, runs: Collection[str] | None = None) -> dict[str, dict[str, Logged]]:
    """The series of a plugin by run and tag, of the named runs or of all; a run without any is left out."""
    found: dict[str, dict[str, Logged]] = {}
    for name, run in served.runs().items():
        if runs is not None and name not in runs:
            continue
        of_run = {one.name: one for one in _of_run(served, run, plugin)}
        if of_run:
            found[name] = of_run
    return found


def found_one(served: Served, plugin: str, run: str, tag: str) -> Logged:
    """One series. Raises NotThere."""
    record = served.runs().get(run)
    kind = _PLUGINS[plugin]
    tag_id = served.views.tag_id(tag)
    if record is not None and tag_id >= 0:
        for file in record.record.files:
            index = file.events.find(tag_id, kind)
            if index >= 0:
                one = _logged(served, record, plugin, file.events, index)
                if one is not None:
                    return one
                break
    raise NotThere(f"There is no series of {plugin} with the tag {tag!r} in the run {run!r}.", "unknown_series")


def plugins_with_data(served: Served) -> set[str]:
    """Names of all plugins that any run has a series of."""
    found: set[str] = set()
    for run in served.runs().values():
        for file in run.record.files:
            events = file.events
            for index, kind in enumerate(events.kinds().tolist()):
                found.add(events.metadata(index)[0].decode("utf-8", "replace") or UNNAMED.get(Kind(kind), ""))
    return found - {""}


def _of_run(served: Served, run: ShownRun, plugin: str) -> Iterator[Logged]:
    """Of several files with one tag the first that has it counts."""
    seen: set[int] = set()
    kind = _PLUGINS[plugin]
    for file in run.record.files:
        events = file.events
        tags = events.tag_ids()
        for index in np.flatnonzero(events.kinds()[: len(tags)] == kind).tolist():
            if int(tags[index]) in seen:
                continue
            seen.add(int(tags[index]))
            one = _logged(served, run, plugin, events, index)
            if one is not None:
                yield one


def _logged(served: Served, run: ShownRun, plugin: str, events: EventFile, index: int) -> Logged | None:
    kind = _PLUGINS[plugin]
    named, display_name, description, content, _ = events.metadata(index)
    if (named.decode("utf-8", "replace") or UNNAMED.get(kind, "")) != plugin:
        return None
    if plugin in _WITH_VERSION and _version(content) != 0:
        return None
    tag = TagId(int(events.tag_ids()[index]))
    name = served.views.tag_name(tag)
    shown = display_name.decode("utf-8", "replace")
    # Values of the old messages have no plugin, and then their tag is the name to show.
    return Logged(run, tag, name, kind, shown or ("" if named else name), description.decode("utf-8", "replace"), content)


def _version(content: bytes) -> int:
    try:
        return next((field.number for field in fields(content) if field.id == 1 and not field.is_bytes), 0)
    except BadMessage:
        return 0
