"""The hyperparameters that a run has logged in its event files, as text: in the first part of a file, where they are written."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np

from stepscope._native import EventFile, NamePool
from stepscope.model.kinds import Kind
from stepscope.queries.hparams.records import SessionStart, Value, session_start
from stepscope.sources.files import has_settled, origin_of, read_range, stat

LOOKED_AT = 4 << 20
"""Bytes of each file that are looked through."""
MOST_FILES = 64
_MOST_LOGGED = 100
"""Times that one file may log them; the last ones count."""
_TAG = b"_hparams_/session_start_info"


def hyperparameters(paths: Iterable[str]) -> dict[str, str]:
    """Of event files, the last one counts; empty where none is logged. Files and records that cannot be read are left out."""
    found: dict[str, str] = {}
    for path in list(paths)[-MOST_FILES:]:
        try:
            if _TAG not in read_range(path, 0, LOOKED_AT):
                continue  # scanning takes far longer than looking for the word
            names = NamePool()
            events = EventFile(origin_of(path), names)
            events.scan(LOOKED_AT, has_settled(stat(path).modified))
        except OSError:
            continue
        found.update(logged_in(events, names.find(_TAG)))
    return found


def logged_in(events: EventFile, tag: int) -> dict[str, str]:
    """What a file that is read has logged under the tag of session starts, given by its id."""
    return {name: text_of(value) for name, value in session_in(events, tag).values.items()}


def session_in(events: EventFile, tag: int) -> SessionStart:
    """The same with values as they were logged, and with the name of the session's group."""
    values: dict[str, Value] = {}
    group = ""
    for logged in values_of(events, tag):
        start = session_start(logged)
        values.update(start.values)
        group = start.group or group
    return SessionStart(values, group)


def values_of(events: EventFile, tag: int) -> Iterator[bytes]:
    """The values of a tag that are no scalars and whose records have the right checksums; of many the last."""
    if tag < 0:
        return
    for index in np.flatnonzero((events.tag_ids() == tag) & (events.kinds() != Kind.SCALAR)).tolist():
        _, _, offsets, lengths = events.blobs(index)
        for offset, length in list(zip(offsets.tolist(), lengths.tolist(), strict=True))[-_MOST_LOGGED:]:
            try:
                yield events.read_blob(offset, length)
            except (OSError, RuntimeError):
                continue


def text_of(value: Value) -> str:
    """A value as people write it."""
    return f"{value:.12g}" if isinstance(value, float) else str(value)
