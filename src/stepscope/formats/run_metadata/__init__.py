"""TensorFlow 1's RunMetadata: what session.run with a full trace returns, saved as bare protobuf bytes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from stepscope.formats.format import Limits, LoggedProfiles, ProfileFormat
from stepscope.formats.kind_rows import native_rows
from stepscope.model.kinds import Kind

if TYPE_CHECKING:
    from stepscope.formats.stored_bytes import StoredBytes
    from stepscope.model.executed import ExecutedStep
    from stepscope.model.graph import GraphSet
    from stepscope.model.node_costs import CostNode
    from stepscope.model.profile import Profile

_TITLE = "TensorFlow 1 run metadata"
_FIRST_FIELD = b"\x0a"


def is_candidate(name: str) -> bool:
    """Nobody but users names these files; the word is in every tutorial's name for them."""
    lower = name.lower()
    return lower.endswith((".pb", ".bin")) and ("run_metadata" in lower or "runmetadata" in lower)


def sniff(head: bytes, _: str) -> bool:
    """Whether the bytes begin with step_stats > dev_stats > a device's name, which starts with a slash."""
    place = 0
    for _depth in range(3):
        if head[place : place + 1] != _FIRST_FIELD:
            return False
        place += 1
        while place < len(head) and head[place] >= 0x80:
            place += 1
        place += 1
    return head[place : place + 1] == b"/"


def _read(path: str, limits: Limits) -> Profile:
    from stepscope.formats.run_metadata.read import read

    return read(path, limits)


def _logged_content(data: bytes) -> bytes:
    from stepscope.formats.run_metadata.read import logged_content

    return logged_content(data)


def _has_nodes(content: bytes) -> bool:
    from stepscope.formats.run_metadata.read import has_nodes

    return has_nodes(content)


def _read_bytes(data: bytes, path: str, limits: Limits) -> Profile:
    from stepscope.formats.run_metadata.read import read_bytes

    return read_bytes(data, path, limits)


def _graphs(content: StoredBytes, name: str) -> GraphSet:
    from stepscope.formats.run_metadata.graphs import read_graphs

    return read_graphs(content, name)


def _executed(content: StoredBytes) -> ExecutedStep:
    from stepscope.formats.run_metadata.executed import read_executed

    return read_executed(content)


def _costs(content: StoredBytes) -> dict[str, CostNode]:
    from stepscope.formats.run_metadata.costs import read_costs

    return read_costs(content.read(0, content.length))


FORMAT = ProfileFormat(
    "run_metadata",
    _TITLE,
    is_candidate,
    sniff,
    _read,
    graphs=_graphs,
    executed=_executed,
    costs=_costs,
    endings=(".pb",),
    logged=LoggedProfiles(Kind.RUN_METADATA, _logged_content, _has_nodes, _read_bytes),
    kind_rows=lambda: native_rows("run_metadata", _TITLE, {"host": "types of operations", "device": "work of streams"}),
)
