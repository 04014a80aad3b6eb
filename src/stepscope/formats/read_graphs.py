"""Reads the graphs of anything that may have some, by the format of its content: a file, an upload, a value in an event file."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from stepscope._native import WIRE
from stepscope.formats.all_formats import PROFILE_FORMATS, RUN_FILE_FORMATS
from stepscope.formats.format import SNIFF_BYTES, ProfileFormat, RunFileFormat
from stepscope.formats.stored_bytes import StoredBytes
from stepscope.model.errors import BadInput, NotThere
from stepscope.model.graph import GraphSet
from stepscope.model.kinds import Kind
from stepscope.model.protobuf_fields import BadMessage, places

Read = TypeVar("Read")


def graph_formats() -> tuple[ProfileFormat | RunFileFormat, ...]:
    """The formats whose files may have graphs."""
    return tuple(known for known in (*PROFILE_FORMATS, *RUN_FILE_FORMATS) if known.graphs is not None)


def has_graphs(format_id: str) -> bool:
    """Whether files of that format (`RunFile.format`) have graphs."""
    return any(known.id == format_id for known in graph_formats())


def graphs_of(content: StoredBytes, name: str) -> tuple[str, GraphSet]:
    """The title of the format that content has, and its graphs. Raises BadInput, NotThere or TooMuch."""
    head = _unfailing(lambda content, _: content.read(0, SNIFF_BYTES), content, name)
    for known in graph_formats():
        if known.graphs is not None and known.sniff(head, name):
            return known.title, _unfailing(known.graphs, content, name)
    titles = ", ".join(known.title for known in graph_formats())
    raise BadInput(f"{name or 'The file'} is not a graph that Stepscope can read; supported are {titles}.", "unknown_graph")


def logged_graphs(content: StoredBytes, tag: str, kind: Kind) -> tuple[str, GraphSet]:
    """The same for one value of an event file: a graph, a Keras model, or run metadata. Raises BadInput, NotThere or TooMuch."""
    for known in RUN_FILE_FORMATS:
        if kind is Kind.GRAPH and known.graphs is not None and tag in known.graph_tags:
            return known.title, _unfailing(known.graphs, content, tag)
    for known in PROFILE_FORMATS:
        if known.graphs is not None and known.logged is not None and known.logged.kind == kind:
            return known.title, _unfailing(known.graphs, inner_text(content), tag)
    return graphs_of(inner_text(content), tag)


def _unfailing(read: Callable[[StoredBytes, str], Read], content: StoredBytes, name: str) -> Read:
    """What a reader reads; what the system refuses becomes a sentence."""
    try:
        return read(content, name)
    except FileNotFoundError as problem:
        raise NotThere(f"{name} no longer exists; reload the list of graphs.", "no_graph") from problem
    except OSError as problem:
        raise BadInput(f"{name} cannot be read: {(problem.strerror or str(problem)).lower()}.", "unreadable") from problem


def inner_text(content: StoredBytes) -> StoredBytes:
    """The string in the tensor of a summary's value; the content itself when it is no such value."""
    value, tensor = WIRE["Value"], WIRE["TensorProto"]
    read = content.windowed()
    try:
        for field in places(read, 0, content.length):
            if field.id == value["tensor"] and field.is_bytes:
                for part in places(read, field.start, field.start + field.size):
                    if part.id == tensor["string_val"] and part.is_bytes:
                        return content.part(part.start, part.size)
    except BadMessage:
        pass  # reading it says what is wrong
    return content
