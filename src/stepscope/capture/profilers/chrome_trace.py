"""Adds events and facts to a Chrome trace that a profiler has written, while it is copied: it may be larger than memory."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Mapping, Sequence
from typing import Protocol

_HEAD_BYTES = 1 << 20
"""Facts come first, the list of events after them; the facts of real traces take a few kilobytes."""
_LIST = re.compile(rb'"traceEvents"\s*:\s*\[\s*')
_BASE = re.compile(rb'"baseTimeNanoseconds"\s*:\s*(\d{1,20})')


class Readable(Protocol):
    """What bytes are copied from."""

    def read(self, size: int = -1, /) -> bytes:
        """At most as many bytes."""
        ...


class Writable(Protocol):
    """What bytes are copied to."""

    def write(self, data: bytes, /) -> object:
        """Takes all of them."""
        ...


def base_of(path: str) -> int:
    """The moment, in nanoseconds since 1970, from which the trace counts its times; 0 where it says none."""
    with open(path, "rb") as file:
        found = _BASE.search(_before_list(file.read(_HEAD_BYTES)))
    return 0 if found is None else int(found[1])


def copy_with(events: Sequence[str], facts: Mapping[str, object], source: Readable, sink: Writable) -> None:
    """Copies a trace with these events and facts in front of its own; without them where its list of events is not found."""
    head = source.read(_HEAD_BYTES)
    found = _LIST.search(head) if events or facts else None
    if found is None:
        sink.write(head)
    else:
        is_last = not events or head[found.end() : found.end() + 1] == b"]"
        told = "".join(f"{json.dumps(name)}: {json.dumps(value)},\n" for name, value in facts.items())
        sink.write(head[: found.start()] + told.encode() + head[found.start() : found.end()])
        sink.write(",\n".join(events).encode() + (b"" if is_last else b",\n") + head[found.end() :])
    shutil.copyfileobj(source, sink, _HEAD_BYTES)


def _before_list(head: bytes) -> bytes:
    found = _LIST.search(head)
    return head if found is None else head[: found.start()]
