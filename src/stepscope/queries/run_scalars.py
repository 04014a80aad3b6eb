"""The scalar series of one run by name, with the files that have each: listed once, so that asking for one looks at no other."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from stepscope._native import EventFile
from stepscope.model.identity import TagId
from stepscope.model.kinds import Kind
from stepscope.queries.names import tag_text
from stepscope.store.library import Library, RunRecord


@dataclass(frozen=True, slots=True)
class RunScalars:
    """As the run was last read."""

    tags: dict[str, TagId]
    """Names that are no UTF-8 are found by their escaped form."""
    _files: list[EventFile]
    _tag: NDArray[np.int64]
    """The tag of each series in each file, sorted; the next two are parallel to it."""
    _file: NDArray[np.int64]
    _place: NDArray[np.int64]
    _with_starts: list[int]
    """Files with session starts, which may cut a series that they do not have."""

    def parts(self, tag: TagId) -> list[tuple[EventFile, int]]:
        """What a SeriesView is made of: the files that matter to the series, with its place in them or -1."""
        first, last = np.searchsorted(self._tag, [tag, tag + 1])
        places = dict.fromkeys(self._with_starts, -1)
        places.update(zip(self._file[first:last].tolist(), self._place[first:last].tolist(), strict=True))
        return [(self._files[file], places[file]) for file in sorted(places)]


def run_scalars(library: Library, record: RunRecord) -> RunScalars:
    """Lists the run's scalar series."""
    files = [file.events for file in record.files]
    places = [np.flatnonzero(events.kinds() == Kind.SCALAR) for events in files]
    tag = _joined([events.tag_ids()[place] for events, place in zip(files, places, strict=True)])
    order = np.argsort(tag, kind="stable")
    return RunScalars(
        tags=_by_name(library, np.unique(tag).tolist()),
        _files=files,
        _tag=tag[order],
        _file=np.repeat(np.arange(len(files)), [len(place) for place in places])[order],
        _place=_joined(places)[order],
        _with_starts=[at for at, events in enumerate(files) if len(events.start_steps)],
    )


def _joined(columns: list[NDArray[np.int32]] | list[NDArray[np.int64]]) -> NDArray[np.int64]:
    return np.concatenate(columns).astype(np.int64) if columns else np.empty(0, np.int64)


def _by_name(library: Library, found: list[int]) -> dict[str, TagId]:
    tags: dict[str, TagId] = {}
    for tag in found:
        name = library.names.name(tag)
        text = tag_text(name)
        if text not in tags or name == text.encode():
            tags[text] = TagId(tag)
    return tags
