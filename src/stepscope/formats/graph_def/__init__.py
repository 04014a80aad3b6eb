"""TensorFlow's graphs in files of their own: GraphDef as bytes or text, MetaGraphDef of a checkpoint, and SavedModel."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from stepscope.formats.format import RunFileFormat

if TYPE_CHECKING:
    from stepscope.formats.stored_bytes import StoredBytes
    from stepscope.model.graph import GraphSet

META_GRAPH = "__meta_graph__"
"""The tag under which event files list a MetaGraphDef."""

_ENDINGS = (".pb", ".pbtxt", ".graphdef", ".meta")
_TEXT = re.compile(
    rb"(?:\s|#[^\n]*\n)*(?:node|library|versions|meta_info_def|graph_def|saved_model_schema_version|meta_graphs)\s*[:{<]"
)
_OP = re.compile(rb"[A-Za-z_][\w>.:-]*\Z")


def is_candidate(name: str) -> bool:
    """As tf.io.write_graph, estimators, savers and SavedModel name them; profiles end in .pb too, and are recognised first."""
    lower = name.lower()
    return lower.endswith(_ENDINGS) and not lower.endswith(".xplane.pb")


def sniff(head: bytes, name: str) -> bool:
    """Whether it begins with a node that has a name and an operation, or with what the other messages begin with."""
    if _TEXT.match(head):
        return True
    if is_saved_model(head):
        return True
    return _begins_with_node(head) or (name.lower().endswith(".meta") and head[:1] == b"\x0a")


def is_saved_model(head: bytes) -> bool:
    """A schema version, which is 1, and then a MetaGraphDef."""
    return head.startswith(b"\x08\x01\x12")


def is_text(head: bytes) -> bool:
    """Whether the content is protobuf's text format."""
    return _TEXT.match(head) is not None


def _begins_with_node(head: bytes) -> bool:
    place = _message(head, 0, 0x0A)
    if place is None:
        return False
    name = _text(head, place, 0x0A)
    if name is None or not name[0]:
        return False
    op = _text(head, name[1], 0x12)
    return op is not None and _OP.match(op[0]) is not None and name[0].isascii() and name[0].decode().isprintable()


def _message(head: bytes, place: int, key: int) -> int | None:
    """Where the content of a field starts."""
    if head[place : place + 1] != bytes([key]):
        return None
    place += 1
    while place < len(head) and head[place] >= 0x80:
        place += 1
    return place + 1


def _text(head: bytes, place: int, key: int) -> tuple[bytes, int] | None:
    """A text of less than 128 bytes, and where it ends; a longer one is no name to begin with."""
    if head[place : place + 1] != bytes([key]) or place + 1 >= len(head) or head[place + 1] >= 0x80:
        return _long_text(head, place, key)
    end = place + 2 + head[place + 1]
    return head[place + 2 : end], end


def _long_text(head: bytes, place: int, key: int) -> tuple[bytes, int] | None:
    """The same for names of up to 16 kB."""
    if head[place : place + 1] != bytes([key]) or place + 2 >= len(head) or head[place + 2] >= 0x80:
        return None
    size = (head[place + 1] & 0x7F) | head[place + 2] << 7
    end = place + 3 + size
    return head[place + 3 : end], end


def _graphs(content: StoredBytes, name: str) -> GraphSet:
    from stepscope.formats.graph_def.read import read_graphs

    return read_graphs(content, name)


FORMAT = RunFileFormat(
    "graph_def", "TensorFlow graph", is_candidate, sniff, graphs=_graphs, graph_tags=frozenset({"__run_graph__", META_GRAPH})
)
