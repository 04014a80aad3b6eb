"""TensorBoard's graphs plugin: which runs have graphs, and graphs and run metadata as protobuf text."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from stepscope.compat.graph_edits import function_graphs, without_large_attributes
from stepscope.compat.json_text import answer
from stepscope.compat.keras_graph import keras_graph
from stepscope.compat.logged import RUN_GRAPH, found_one, listed
from stepscope.compat.proto_text import proto_text
from stepscope.compat.route import Answer, Pieces, Question, plugin_route
from stepscope.compat.served import Served
from stepscope.model.errors import BadInput, NotThere
from stepscope.model.protobuf_fields import BadMessage, fields

PLUGIN = "graphs"
_TEXT = "text/x-protobuf"
_TRACED, _PROFILED, _MODEL, _TAGGED = (
    "graph_run_metadata_graph",
    "graph_run_metadata",
    "graph_keras_model",
    "graph_tagged_run_metadata",
)
_SHOWS = {_TRACED: ("op_graph",), _PROFILED: ("profile", "op_graph"), _MODEL: ("conceptual_graph",), _TAGGED: ("profile",)}
"""What can be seen of a tag of each plugin."""
_CONTENT = b"1"
"""What writers of all of these but the last one say; of another version nobody knows how to read them."""


def _info(served: Served, _: Question) -> Answer:
    found: dict[str, dict[str, Any]] = {}
    for plugin, shows in _SHOWS.items():
        for run, tags in listed(served, plugin).items():
            for tag, one in tags.items():
                if plugin == _TAGGED or one.content == _CONTENT:
                    blank = {"tag": tag, "conceptual_graph": False, "op_graph": False, "profile": False}
                    _entry(found, run)["tags"].setdefault(tag, blank).update(dict.fromkeys(shows, True))
    for run, tags in listed(served, PLUGIN).items():
        if RUN_GRAPH in tags:
            _entry(found, run)["run_graph"] = True
    return answer(found)


def _entry(found: dict[str, dict[str, Any]], run: str) -> dict[str, Any]:
    return found.setdefault(run, {"run": run, "tags": {}, "run_graph": False})


def _graph(served: Served, question: Question) -> Answer:
    run, tag = question.needed("run"), question.arg("tag")
    limit = question.whole("limit_attr_size", 0) if question.arg("limit_attr_size") is not None else None
    key = question.arg("large_attrs_key")
    if limit == 0 or (limit is not None and key is None):
        raise BadInput("limit_attr_size must be above 0, and large_attrs_key must be given with it.", "bad_parameter")
    try:
        graph = _wanted_graph(served, run, tag, is_model=question.arg("conceptual") == "true")
        if limit is not None and key is not None:
            graph = without_large_attributes(graph, limit, key)
    except BadMessage as problem:
        raise NotThere(f"This graph cannot be read: {problem}.", "bad_graph") from None
    return _printed(graph, "GraphDef")


def _wanted_graph(served: Served, run: str, tag: str | None, *, is_model: bool) -> bytes:
    """The graph of a run, or of one of its tags: the functions that were traced, or the layers of a Keras model."""
    if is_model:
        return keras_graph(_last(served, (_MODEL,), run, tag or ""))
    if tag is None:
        return _last(served, (PLUGIN,), run, RUN_GRAPH)
    return function_graphs(_last(served, (_PROFILED, _TRACED), run, tag))


def _run_metadata(served: Served, question: Question) -> Answer:
    run, tag = question.run_and_tag()
    return _printed(_last(served, (_TAGGED, _PROFILED), run, tag), "RunMetadata")


def _printed(data: bytes, message: str) -> Answer:
    """The whole text; a message that is corrupt further down ends there."""
    return Pieces(_lines(data, message), _TEXT)


def _lines(data: bytes, message: str) -> Iterator[bytes]:
    held: list[str] = []
    try:
        for line in proto_text(data, message):
            held.append(line)
            if len(held) >= 1_000:
                yield "".join(held).encode()
                held = []
    except BadMessage:
        pass
    yield "".join(held).encode()


def _last(served: Served, plugins: tuple[str, ...], run: str, tag: str) -> bytes:
    """The last value of the first of these plugins that has the tag. Raises NotThere."""
    problem: NotThere | None = None
    for plugin in plugins:
        try:
            one = found_one(served, plugin, run, tag)
        except NotThere as missing:
            problem = missing
            continue
        series = served.blobs.open(served.view(), one.run_id, one.name, one.kind)
        data = served.blobs.read_value(series, len(series) - 1)
        return data if plugin in (PLUGIN, _TAGGED) else _string(data)
    raise problem or NotThere("There is no such graph.", "unknown_series")


def _string(value: bytes) -> bytes:
    """The string of a summary value's tensor. Raises NotThere."""
    try:
        for field in fields(value):
            if field.id == 8 and field.is_bytes:  # tensor
                return next(part.data for part in fields(field.data) if part.id == 8 and part.is_bytes)  # string_val
    except (BadMessage, StopIteration):
        pass
    raise NotThere("This value contains no graph or run metadata.", "bad_graph")


ROUTES = (
    plugin_route(PLUGIN, "info", "Graphs of every run.", _info),
    plugin_route(PLUGIN, "graph", "A graph as text of the message GraphDef.", _graph),
    plugin_route(PLUGIN, "run_metadata", "What a traced step recorded, as text of the message RunMetadata.", _run_metadata),
)
