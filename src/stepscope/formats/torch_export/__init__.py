"""Programs that torch.export.save wrote: the graph of operations in the archive's JSON; nothing of it is unpickled or run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from stepscope.formats.format import RunFileFormat

if TYPE_CHECKING:
    from stepscope.formats.stored_bytes import StoredBytes
    from stepscope.model.graph import GraphSet

_RECORD, _NAME_SIZE, _NAME = b"PK\x03\x04", 26, 30
"""The first record of an archive, and where the length of its name and the name are."""
_FIRST = (b"data/weights/", b"data/constants/", b"models/", b"archive_format", b"archive_version")
_FIRST_BEFORE_2_8 = b"serialized_exported_program.json"


def is_candidate(name: str) -> bool:
    """As torch's documentation names it."""
    return name.lower().endswith(".pt2")


def sniff(head: bytes, _: str) -> bool:
    """Whether it is an archive whose first file is one of those that exported programs have; checkpoints have others."""
    if not head.startswith(_RECORD):
        return False
    first = head[_NAME : _NAME + int.from_bytes(head[_NAME_SIZE : _NAME_SIZE + 2], "little")]
    return first.partition(b"/")[2].startswith(_FIRST) or first.startswith(_FIRST) or _FIRST_BEFORE_2_8 in head


def _graphs(content: StoredBytes, name: str) -> GraphSet:
    from stepscope.formats.torch_export.read import read_program

    return read_program(content, name)


FORMAT = RunFileFormat("torch_export", "torch exported program", is_candidate, sniff, graphs=_graphs)
