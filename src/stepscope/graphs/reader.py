"""Finds the graphs of all runs, opens them, and keeps those that were used last in memory."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from stepscope.analyses.programs.program_graph import program_graphs
from stepscope.formats.all_formats import profile_format
from stepscope.formats.read_graphs import graphs_of, has_graphs, logged_graphs
from stepscope.formats.stored_bytes import StoredBytes
from stepscope.graphs.opened import OpenedGraphs
from stepscope.graphs.uploads import GraphUploads
from stepscope.model.errors import NotThere
from stepscope.model.graph import GraphSet, joined_sets
from stepscope.model.hlo import HloProgram
from stepscope.model.kinds import Kind
from stepscope.model.run_file import RunFile
from stepscope.queries.blobs import BlobReader, BlobSeries, check_file
from stepscope.queries.view import View, Views
from stepscope.sources.files import stat
from stepscope.store.kept import Kept
from stepscope.store.library import RunRecord

KEPT_BYTES = 1 << 30
"""Memory of graphs; those used least recently go first."""
MOST_LISTED = 10_000
UPLOADED = "upload"
"""Stands for the run of what was uploaded; no run has this id."""
_LOGGED = {"graph": Kind.GRAPH, "run_metadata": Kind.RUN_METADATA}
_FILE, _PROGRAMS = "file", "programs"

Programs = Callable[[str], list[HloProgram]]
"""The compiled programs of a session by its id. Raises NotThere."""


@dataclass(frozen=True, slots=True)
class GraphSource:
    """Something of a run that has graphs; `source` names it in its run."""

    run: str
    source: str
    name: str
    kind: str
    """`graph`, `run_metadata`, `file` or `programs`."""
    step: int | None
    time: float
    bytes: int


class GraphReader:
    """Everything that is read of graphs. Safe from any thread."""

    def __init__(self, views: Views, blobs: BlobReader, programs: Programs) -> None:
        self._views = views
        self._blobs = blobs
        self._programs = programs
        self._opened: Kept[OpenedGraphs] = Kept(KEPT_BYTES)
        self.uploads = GraphUploads()

    def listed(self) -> list[GraphSource]:
        """What may have graphs, by run; nothing is opened for it."""
        view = self._views.view(True)
        found = [*self._logged(view), *self._files(), *self._sessions()]
        place = {str(run.record.id): number for number, run in enumerate(view.runs)}
        found.sort(key=lambda one: (place.get(one.run, len(place)), _ORDER.index(one.kind), one.name))
        return found[:MOST_LISTED]

    def has_any(self) -> bool:
        """Whether a run has a file of graphs; logged ones are known by their kind."""
        return any(has_graphs(file.format) for run in self._views.library.snapshot.runs for file in run.others)

    def open(self, run: str, source: str) -> OpenedGraphs:
        """The graphs of a source. Raises BadInput, NotThere or TooMuch."""
        if run == UPLOADED:
            return self.uploads.find(source)
        kind, _, name = source.partition("/")
        if kind in _LOGGED:
            return self._open_logged(run, name, _LOGGED[kind])
        if kind == _FILE:
            return self._open_file(run, name)
        if kind == _PROGRAMS:
            return self._open_programs(name)
        raise NotThere("This run has no such graph; reload the list of graphs.", "unknown_graph")

    def _logged(self, view: View) -> Iterator[GraphSource]:
        ids = [str(run.record.id) for run in view.runs]
        for word, kind in _LOGGED.items():
            tags, _ = self._blobs.list_tags(view, kind)
            for row in tags:
                for place in row.runs:
                    series = self._series(view, ids[place], row.name, kind)
                    if series is None:
                        continue
                    last = len(series) - 1
                    step, time, size = int(series.step[last]), float(series.wall[last]), int(series.length[last])
                    yield GraphSource(ids[place], f"{word}/{row.name}", row.name, word, step, time, size)

    def _series(self, view: View, run: str, tag: str, kind: Kind) -> BlobSeries | None:
        try:
            found = self._blobs.open(view, run, tag, kind)
        except NotThere:
            return None
        return found if len(found) else None

    def _files(self) -> Iterator[GraphSource]:
        for run in self._views.library.snapshot.runs:
            for file in run.others:
                if has_graphs(file.format):
                    name = os.path.basename(file.path)
                    yield GraphSource(str(run.id), f"{_FILE}/{name}", name, _FILE, None, file.modified, file.size)

    def _sessions(self) -> Iterator[GraphSource]:
        for run in self._views.library.snapshot.runs:
            for session in run.profiles:
                known = [profile_format(file.format) for file in session.files]
                if any(one is not None and one.read_programs is not None for one in known):
                    size = sum(file.size for file in session.files)
                    yield GraphSource(str(run.id), f"{_PROGRAMS}/{session.id}", session.name, _PROGRAMS, None, session.time, size)

    def _open_logged(self, run: str, tag: str, kind: Kind) -> OpenedGraphs:
        series = self._blobs.open(self._views.view(True), run, tag, kind)
        last = len(series) - 1
        if last < 0:
            raise NotThere("This run has no such graph; reload the list of graphs.", "unknown_graph")
        file = series.files[int(series.file[last])]
        check_file(file)
        try:
            file.events.read_blob(int(series.offset[last]), 0)  # checks the record's checksum, and keeps nothing of it
        except (OSError, RuntimeError) as problem:
            raise NotThere(
                "The record of this graph is corrupt or was replaced; reload the log folder.", "unreadable_value"
            ) from problem
        content = StoredBytes(file.path, int(series.offset[last]), int(series.length[last]))
        key = (file.path, file.inode, content.offset, content.length)
        return self._kept(key, lambda: logged_graphs(content, tag, kind))

    def _open_file(self, run: str, name: str) -> OpenedGraphs:
        record = next((one for one in self._views.library.snapshot.runs if str(one.id) == run), None)
        file = next((one for one in _others(record) if os.path.basename(one.path) == name), None)
        if file is None:
            raise NotThere("This run has no such file; reload the list of graphs.", "unknown_graph")
        try:
            found = stat(file.path)
        except OSError:
            raise NotThere(f"{name} no longer exists; reload the list of graphs.", "no_graph") from None
        content = StoredBytes(file.path, 0, found.size)
        return self._kept((file.path, found.size, found.modified_ns, found.inode), lambda: graphs_of(content, name))

    def _open_programs(self, session: str) -> OpenedGraphs:
        programs = self._programs(session)
        if not programs:
            raise NotThere("This profile contains no compiled program.", "no_graph")
        key = (_PROGRAMS, session, tuple(program.name for program in programs))
        return self._kept(key, lambda: ("Compiled XLA programs", joined_sets([program_graphs(program) for program in programs])))

    def _kept(self, key: object, read: Callable[[], tuple[str, GraphSet]]) -> OpenedGraphs:
        def make() -> tuple[OpenedGraphs, int]:
            opened = OpenedGraphs(*read())
            return opened, opened.nbytes

        return self._opened.get(key, make)


_ORDER = (*_LOGGED, _FILE, _PROGRAMS)


def _others(run: RunRecord | None) -> list[RunFile]:
    return [file for file in run.others if has_graphs(file.format)] if run is not None else []
