"""The embeddings in weights that Keras saved: every table of a .weights.h5 or .keras file, at each step that was saved."""

from __future__ import annotations

import os
import re

from stepscope.formats.projector.confined import is_below
from stepscope.formats.projector.hdf5 import Dataset, Hdf5File
from stepscope.model.embedding import Embedding, EmbeddingList, EmbeddingState
from stepscope.model.errors import BadInput
from stepscope.sources.files import list_folder
from stepscope.sources.source import reason_of

ENDINGS = (".weights.h5", ".keras")
CALLBACK = "keras_embedding.ckpt-"
"""How the callback of Keras names what it saves for the projector."""
MOST_STEPS = 1_000
MOST_TABLES = 5_000
_NUMBERED = re.compile(r"(.*?)(\d{1,15})\Z", re.DOTALL)
_OPTIMIZER = ("optimizer/", "optimizer_")
_EMBEDDING = re.compile(r"(?:^|/)[^/]*embedding[^/]*/(?:[^/]+/)*vars/\d+$", re.IGNORECASE)


def is_weights(name: str) -> bool:
    """Whether a file is called as Keras calls weights."""
    return name.endswith(ENDINGS)


def tables_of(path: str) -> list[Dataset]:
    """The tables of numbers of a file, without those of the optimizer. Raises BadInput or OSError."""
    found = [one for one in Hdf5File(path).datasets() if len(one.shape) == 2 and min(one.shape) > 0 and one.dtype is not None]
    return [one for one in found if not one.path.startswith(_OPTIMIZER)][:MOST_TABLES]


def embeddings_first(tables: list[Dataset]) -> list[Dataset]:
    """What layers for embeddings have, before what others have."""
    return sorted(tables, key=lambda one: _EMBEDDING.search(one.path) is None)


def is_embedding(path: str) -> bool:
    """Whether the table is that of a layer called embedding."""
    return _EMBEDDING.search(path) is not None


def saved_weights(folder: str, name: str) -> list[tuple[int | None, str]]:
    """A file and its sisters, whose names differ in the number at the end, with these numbers; the newest of very many."""
    stem, ending = _split(name)
    numbered = _NUMBERED.match(stem)
    if numbered is None:
        return [(None, f"{folder}/{name}")]
    found: dict[int, str] = {}
    for file in list_folder(folder, lambda one: one.endswith(ending)).files:
        other = _NUMBERED.match(_split(os.path.basename(file.path))[0])
        if other is not None and other[1] == numbered[1] and is_below(folder, file.path):
            found[int(other[2])] = file.path
    steps: list[tuple[int | None, str]] = [*sorted(found.items())]
    return steps[-MOST_STEPS:] or [(int(numbered[2]), f"{folder}/{name}")]


def read_weights(path: str) -> EmbeddingList:
    """The tables of a file and its sisters, once: by the newest of them. What is wrong is said in a sentence."""
    folder, name = os.path.split(path)
    saved = saved_weights(folder, name)
    if os.path.basename(saved[-1][1]) != name:
        return EmbeddingList()
    family = (_NUMBERED.sub(r"\1", _split(name)[0]).rstrip("-_. ") or "weights") if len(saved) > 1 else _split(name)[0]
    try:
        tables = embeddings_first(tables_of(path))
    except BadInput as error:
        return EmbeddingList(problems=(error.message,))
    except OSError as error:
        return EmbeddingList(problems=(f"{name} cannot be read: {reason_of(error)}.",))
    return EmbeddingList(
        tuple(
            Embedding(
                f"{family}/{table.path}",
                tuple(EmbeddingState(step, place, shape=table.shape, dataset=table.path) for step, place in saved),
            )
            for table in tables
        )
    )


def _split(name: str) -> tuple[str, str]:
    ending = next((one for one in ENDINGS if name.endswith(one)), "")
    return name.removesuffix(ending), ending
