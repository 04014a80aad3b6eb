"""A single event's arguments, read from the file when somebody asks for them."""

from __future__ import annotations

import json
import threading
from collections import OrderedDict
from typing import Any, cast

from stepscope._native import RestartIndex, read_trace_event, restart_index
from stepscope.sources.files import canonical, origin_of, read_range, stat

KEPT_INDEXES = 16
_GZIP = b"\x1f\x8b"
_Identity = tuple[str, int, int]

_guard = threading.Lock()
_indexes: OrderedDict[_Identity, RestartIndex] = OrderedDict()


def read_arguments(path: str, offset: int) -> dict[str, Any]:
    """The arguments of the event at that offset of the uncompressed file (`Spans.source`); empty when there is none."""
    arguments = read_event(path, offset).get("args")
    return cast("dict[str, Any]", arguments) if isinstance(arguments, dict) else {}


def read_event(path: str, offset: int) -> dict[str, Any]:
    """The whole event at that offset as it stands in the file, repaired where its JSON is broken; empty when there is none."""
    if offset < 0:
        return {}
    text = read_trace_event(origin_of(path), offset, _index_of(path))
    try:
        event = json.loads(text.decode("utf-8", "replace"), strict=False)
    except (ValueError, RecursionError):
        return {}
    return cast("dict[str, Any]", event) if isinstance(event, dict) else {}


def remember_index(path: str, index: RestartIndex) -> None:
    """Keeps what reading the file has found, so that the first event need not inflate it again."""
    with _guard:
        _indexes[_identity(path)] = index
        while len(_indexes) > KEPT_INDEXES:
            _indexes.popitem(last=False)


def _identity(path: str) -> _Identity:
    found = stat(path)
    return (canonical(path), found.size, found.modified_ns)


def _index_of(path: str) -> RestartIndex | None:
    if read_range(path, 0, len(_GZIP)) != _GZIP:
        return None
    with _guard:
        known = _indexes.get(_identity(path))
    if known is None:
        known = restart_index(origin_of(path))
        remember_index(path, known)
    return known
