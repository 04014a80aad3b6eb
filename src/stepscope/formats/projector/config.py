"""Reads projector_config.pbtxt: which embeddings a folder has, at which steps, and where their files are."""

from __future__ import annotations

import os
import re
from dataclasses import replace

from stepscope.formats.projector import CONFIG_NAME
from stepscope.formats.projector.checkpoint_files import find_checkpoints, saved_steps
from stepscope.formats.projector.checkpoint_table import read_variables
from stepscope.formats.projector.confined import confined_file, is_below
from stepscope.formats.projector.keras_weights import (
    CALLBACK,
    embeddings_first,
    is_embedding,
    is_weights,
    saved_weights,
    tables_of,
)
from stepscope.formats.text_proto import BadText, Message, parse
from stepscope.model.embedding import Embedding, EmbeddingList, EmbeddingState, Sprite
from stepscope.model.errors import BadInput, NotThere, Refused
from stepscope.sources.files import list_folder, read_range
from stepscope.sources.source import reason_of

MOST_BYTES = 8 << 20
MOST_EMBEDDINGS = 5_000
_AT_STEP = re.compile(r"(.+):(\d{1,18})\Z", re.DOTALL)
_SLOTS = ".OPTIMIZER_SLOT"
_KERAS = "/.ATTRIBUTES/VARIABLE_VALUE"


def read_config(path: str) -> EmbeddingList:
    """Everything that a configuration lists; what is wrong with one embedding is said there, and the others are listed."""
    folder = os.path.dirname(path)
    try:
        text = read_range(path, 0, MOST_BYTES + 1)
    except OSError as error:
        return EmbeddingList(problems=(f"{CONFIG_NAME} cannot be read: {reason_of(error)}.",))
    if len(text) > MOST_BYTES:
        return EmbeddingList(problems=(f"{CONFIG_NAME} is larger than {MOST_BYTES >> 20} MiB; it is not read.",))
    try:
        config = parse(text)
    except BadText as error:
        return EmbeddingList(problems=(f"{CONFIG_NAME} cannot be read, {error}.",))
    entries = config.messages("embeddings")
    problems: list[str] = []
    if len(entries) > MOST_EMBEDDINGS:
        problems.append(f"{CONFIG_NAME} lists {len(entries):,} embeddings; the first {MOST_EMBEDDINGS:,} are shown.")
    states: dict[str, list[EmbeddingState]] = {}
    wanted: dict[str, EmbeddingState] = {}
    for entry in entries[:MOST_EMBEDDINGS]:
        name, state = _entry(folder, entry)
        if state.tensor or state.problem:
            parts = _AT_STEP.match(name)
            series, step = (parts[1], int(parts[2])) if parts and int(parts[2]) < 1 << 53 else (name, None)
            states.setdefault(series, []).append(_at(state, step))
        else:
            wanted[name.removesuffix(":0")] = state
    _add_variables(folder, config, states, wanted, problems)
    found = tuple(Embedding(name, tuple(sorted(each, key=_step_order))) for name, each in states.items())
    return EmbeddingList(found, tuple(problems))


def read_checkpoint(path: str) -> EmbeddingList:
    """The tables of a checkpoint in a folder without a configuration."""
    states: dict[str, list[EmbeddingState]] = {}
    problems: list[str] = []
    _add_variables(os.path.dirname(path), parse(b""), states, {}, problems)
    return EmbeddingList(tuple(Embedding(name, tuple(sorted(each, key=_step_order))) for name, each in states.items()), tuple(problems))


def _entry(folder: str, entry: Message) -> tuple[str, EmbeddingState]:
    """The name of an entry, and its files as far as they may be read."""
    name = entry.text("tensor_name") or os.path.basename(entry.text("tensor_path")) or "embedding"
    try:
        tensor = confined_file(folder, entry.text("tensor_path"), f"tensor_path of {name}")
        metadata = confined_file(folder, entry.text("metadata_path"), f"metadata_path of {name}")
        bookmarks = confined_file(folder, entry.text("bookmarks_path"), f"bookmarks_path of {name}")
        shape = tuple(entry.numbers("tensor_shape"))
        sprite = None
        for inner in entry.messages("sprite"):
            size = inner.numbers("single_image_dim")
            image = confined_file(folder, inner.text("image_path"), f"image_path of the sprite of {name}")
            if image and len(size) == 2 and all(0 < side <= 4096 for side in size):
                sprite = Sprite(image, size[0], size[1])
    except (Refused, BadText) as error:
        return name, EmbeddingState(None, problem=_sentence(str(error)))
    return name, EmbeddingState(None, tensor, "", shape, metadata, sprite, bookmarks)


def _add_variables(
    folder: str, config: Message, states: dict[str, list[EmbeddingState]], wanted: dict[str, EmbeddingState], problems: list[str]
) -> None:
    """Adds what is in the run's checkpoint: entries without a file, and every other variable that is a table."""
    try:
        prefix = find_checkpoints(folder, config.text("model_checkpoint_path"), config.text("model_checkpoint_dir"))
        tables = {} if prefix is None else {one.name: one for one in read_variables(prefix).values() if len(one.shape) == 2}
    except (BadInput, NotThere, Refused) as error:
        prefix, tables = None, {}
        problems.append(str(error))
    if prefix is not None:
        steps = saved_steps(prefix)
        for name in [*wanted, *(name for name in tables if name not in wanted and _SLOTS not in name)]:
            known = wanted.get(name, EmbeddingState(None))
            if name not in tables:
                problem = f"The checkpoint {os.path.basename(prefix)} has no two-dimensional variable {name!r}."
                states.setdefault(name, []).append(EmbeddingState(None, problem=problem))
                continue
            shape = tables[name].shape
            for step, place in steps:
                states.setdefault(name, []).append(
                    EmbeddingState(step, place, name, shape, known.metadata, known.sprite, known.bookmarks)
                )
        return
    weights = _add_weights(folder, states, wanted, problems)
    for name in wanted:
        if not (weights and name.endswith(_KERAS)):
            problem = (
                f"{name} has no tensor_path, and there is no checkpoint in the folder. Write one there, or give the path of a TSV file."
            )
            states.setdefault(name, []).append(EmbeddingState(None, problem=problem))


def _add_weights(folder: str, states: dict[str, list[EmbeddingState]], wanted: dict[str, EmbeddingState], problems: list[str]) -> bool:
    """Adds the tables of what the callback of Keras saved; whether there is any.

    Keras gives all its embeddings one name in the configuration, which is none in the file: entries belong to layers in their order.
    """
    saved = [
        file.path
        for place in (f"{folder}/train", folder)
        for file in list_folder(place, lambda one: one.startswith(CALLBACK) and is_weights(one)).files
        if is_below(folder, file.path)
    ]
    if not saved:
        return False
    steps = saved_weights(*os.path.split(saved[-1]))
    try:
        tables = embeddings_first(tables_of(steps[-1][1]))
    except BadInput as error:
        problems.append(error.message)
        return False
    except OSError as error:
        problems.append(f"{os.path.basename(steps[-1][1])} cannot be read: {reason_of(error)}.")
        return False
    known = [state for name, state in wanted.items() if name.endswith(_KERAS)]
    for place, table in enumerate(tables):
        about = known[min(place, len(known) - 1)] if known and is_embedding(table.path) else EmbeddingState(None)
        states.setdefault(table.path, []).extend(
            EmbeddingState(step, path, "", table.shape, about.metadata, about.sprite, about.bookmarks, dataset=table.path)
            for step, path in steps
        )
    return True


def _at(state: EmbeddingState, step: int | None) -> EmbeddingState:
    return replace(state, step=step)


def _step_order(state: EmbeddingState) -> tuple[int, str]:
    return (-1 if state.step is None else state.step, state.tensor)


def _sentence(text: str) -> str:
    return text if text.endswith(".") else f"{text}."
