"""tf.profiler's own ProfileProto: nodes of a TensorFlow 1 graph with the times, memory and FLOPs of the steps that were added."""

from __future__ import annotations

from typing import TYPE_CHECKING

from stepscope.formats.format import Limits, ProfileFormat

if TYPE_CHECKING:
    from stepscope.formats.stored_bytes import StoredBytes
    from stepscope.model.node_costs import CostNode
    from stepscope.model.profile import Profile


def is_candidate(name: str) -> bool:
    """Users choose the name; the word is in most."""
    return "tfprof" in name and name.endswith(".pb")


def sniff(head: bytes, _: str) -> bool:
    """Whether the bytes begin with an entry of nodes: a number as key, then a node that has a name or inputs."""
    place = 1
    if head[:1] != b"\x0a":
        return False
    while place < len(head) and head[place] >= 0x80:
        place += 1
    place += 1
    key = head[place : place + 1]
    if key == b"\x08":
        place += 1
        while place < len(head) and head[place] >= 0x80:
            place += 1
        place += 1
    if head[place : place + 1] != b"\x12":
        return False
    place += 1
    while place < len(head) and head[place] >= 0x80:
        place += 1
    return head[place + 1 : place + 2] == b"\x0a"


def _read(path: str, limits: Limits) -> Profile:
    from stepscope.formats.tfprof.read import read

    return read(path, limits)


def _costs(content: StoredBytes) -> dict[str, CostNode]:
    from stepscope.formats.tfprof.nodes import read_costs

    return read_costs(content.read(0, content.length))


FORMAT = ProfileFormat("tfprof", "tf.profiler profile", is_candidate, sniff, _read, costs=_costs, endings=(".pb",))
