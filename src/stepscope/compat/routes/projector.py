"""TensorBoard's projector plugin: configurations, vectors and what belongs to them; an error is always 400 here, as in TensorBoard."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from typing import Any

from stepscope.compat.json_text import answer
from stepscope.compat.route import BYTES, JSON, TEXT, Answer, Body, Question, plugin_route
from stepscope.compat.routes.images import SHOWN
from stepscope.compat.served import Served
from stepscope.model.embedding import Embedding, EmbeddingState
from stepscope.model.errors import BadInput, NotThere, StepscopeError
from stepscope.queries.image_encoding import content_type
from stepscope.queries.names import path_text
from stepscope.queries.view import ShownRun

PLUGIN = "projector"
_AT_STEP = re.compile(r"(.+):(\\d{1,18})\\Z", re.DOTALL)


def _run(served: Served, name: str) -> tuple[ShownRun, tuple[Embedding, ...]]:
    """A run with what it lists. Raises BadInput."""
    records = served.view().by_id
    for listed in served.embeddings.listed():
        record = records.get(listed.run)
        if record is not None and record.name == name and listed.embeddings:
            return record, listed.embeddings
    raise BadInput(f"The run {name!r} has no embeddings.", "unknown_run")


def _tensor_name(name: str, state: EmbeddingState) -> str:
    """As the configuration has it: torch writes the step behind the name."""
    return name if state.step is None or state.variable else f"{name}:{state.step:05d}"


def _named(served: Served, question: Question) -> tuple[str, str, int | None]:
    """The run's id, and name and step of the embedding that is asked for. Raises BadInput."""
    record, embeddings = _run(served, question.needed("run"))
    wanted = question.needed("name")
    for embedding in embeddings:
        for state in embedding.states:
            if wanted.removesuffix(":0") in (_tensor_name(embedding.name, state), embedding.name):
                return str(record.record.id), embedding.name, state.step
    raise BadInput(f"The run has no embedding named {wanted!r}.", "unknown_embedding")


def _as_bad_input(handler: Callable[[Served, Question], Answer]) -> Callable[[Served, Question], Answer]:
    def answered(served: Served, question: Question) -> Answer:
        try:
            return handler(served, question)
        except NotThere as problem:
            raise BadInput(problem.message, problem.code) from None

    return answered


def _runs(served: Served, _: Question) -> Answer:
    records = served.view().by_id
    found = [records[each.run] for each in served.embeddings.listed() if each.embeddings and each.run in records]
    return answer([record.name for record in found])


def _info(served: Served, question: Question) -> Answer:
    record, embeddings = _run(served, question.needed("run"))
    found = [_embedding(served, record, one.name, state) for one in embeddings for state in one.states if not state.problem]
    return answer({"embeddings": found})


def _embedding(served: Served, record: ShownRun, name: str, state: EmbeddingState) -> dict[str, Any]:
    found: dict[str, Any] = {"tensorName": _tensor_name(name, state)}
    for key, path in (("metadataPath", state.metadata), ("bookmarksPath", state.bookmarks)):
        if path:
            found[key] = _below(record, path)
    shape = list(state.shape)
    if not shape:
        try:
            vectors = served.embeddings.open(str(record.record.id), name, state.step).vectors
            shape = [vectors.total, vectors.values.shape[1]]
        except StepscopeError:
            pass  # vectors that cannot be read have no shape, and are listed
    if shape:
        found["tensorShape"] = shape
    if state.sprite is not None:
        size = [state.sprite.width, state.sprite.height]
        found["sprite"] = {"imagePath": _below(record, state.sprite.path), "singleImageDim": size}
    if state.tensor and not state.variable:
        found["tensorPath"] = _below(record, state.tensor)
    return found


def _below(record: ShownRun, path: str) -> str:
    return path_text(os.path.relpath(path, os.path.realpath(record.record.path)))


def _rows_wanted(question: Question) -> int | None:
    if not question.arg("num_rows"):
        return None
    rows = question.whole("num_rows", 0)
    if not rows:
        raise BadInput("The query parameter num_rows must be a whole number above 0.", "bad_parameter")
    return rows


def _tensor(served: Served, question: Question) -> Answer:
    rows = _rows_wanted(question)
    vectors = served.embeddings.open(*_named(served, question)).vectors
    return Body(vectors.values[:rows].astype("<f4").tobytes(), BYTES)


def _metadata(served: Served, question: Question) -> Answer:
    rows = _rows_wanted(question)
    data = served.embeddings.metadata(*_named(served, question))
    lines = data.decode("utf-8", "replace").splitlines(keepends=True)
    headings = 1 if lines and "\t" in lines[0] else 0
    return Body("".join(lines if rows is None else lines[: rows + headings]).encode(), TEXT)


def _bookmarks(served: Served, question: Question) -> Answer:
    return Body(served.embeddings.bookmarks(*_named(served, question)), JSON)


def _sprite_image(served: Served, question: Question) -> Answer:
    data = served.embeddings.sprite(*_named(served, question))
    kind = content_type(data)
    return Body(data, kind if kind in SHOWN else BYTES)


ROUTES = (
    plugin_route(PLUGIN, "runs", "Runs that have embeddings.", _runs),
    plugin_route(PLUGIN, "info", "The embeddings of a run.", _as_bad_input(_info)),
    plugin_route(PLUGIN, "tensor", "The vectors of an embedding as 32-bit floats.", _as_bad_input(_tensor)),
    plugin_route(PLUGIN, "metadata", "The labels of an embedding as TSV.", _as_bad_input(_metadata)),
    plugin_route(PLUGIN, "bookmarks", "The bookmarks of an embedding.", _as_bad_input(_bookmarks)),
    plugin_route(PLUGIN, "sprite_image", "The sprite image of an embedding.", _as_bad_input(_sprite_image)),
)
