"""PyTorch's traces (Kineto), and Chrome traces in general: JSON, plain or gzip, read as it streams by and repaired where broken."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from stepscope.formats.format import Limits, ProfileFormat

if TYPE_CHECKING:
    from stepscope.model.profile import Profile
    from stepscope.model.span_kinds import KindRow

_SIGNS = re.compile(rb'"(traceEvents|schemaVersion|deviceProperties|distributedInfo|baseTimeNanoseconds)"\s*:|"ph"\s*:\s*"[A-Za-z]"')
_JSON_NAMES = (".json", ".json.gz")
_PROFILER_NAMES = (".pt.trace.json", ".pt.trace.json.gz")


def is_candidate(name: str) -> bool:
    """Any JSON: people choose the name themselves in export_chrome_trace."""
    return name.endswith(_JSON_NAMES)


def sniff(head: bytes, name: str) -> bool:
    """Whether it is JSON that begins as a trace does."""
    if head.removeprefix(b"\xef\xbb\xbf").lstrip()[:1] not in (b"{", b"["):
        return False
    # Metadata that a user put in front can be longer than what we look at: then the name decides.
    return _SIGNS.search(head) is not None or ".trace.json" in name


def _read(path: str, limits: Limits) -> Profile:
    from stepscope.formats.kineto.read import read

    return read(path, limits)


def _read_ranks(path: str, limits: Limits) -> list[Profile]:
    from stepscope.formats.kineto.read import read_ranks

    return read_ranks(path, limits)


def _read_arguments(path: str, offset: int) -> Mapping[str, object]:
    from stepscope.formats.kineto.arguments import read_arguments

    return read_arguments(path, offset)


def _kind_rows() -> Iterable[KindRow]:
    from stepscope.formats.kineto.read import kind_rows

    return kind_rows()


FORMAT = ProfileFormat(
    "kineto",
    "PyTorch or Chrome trace",
    is_candidate,
    sniff,
    _read,
    read_arguments=_read_arguments,
    read_ranks=_read_ranks,
    endings=(*_PROFILER_NAMES, ".trace.json", ".trace.json.gz", *_JSON_NAMES),
    sure_endings=_PROFILER_NAMES,
    kind_rows=_kind_rows,
)
