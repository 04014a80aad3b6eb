"""Finds the embeddings of all runs, opens them, and keeps those that were used last in memory."""

from __future__ import annotations

import hashlib
import os
import threading
from collections import OrderedDict
from dataclasses import dataclass

import msgspec

from stepscope.embeddings.opened import Opened, read_opened
from stepscope.embeddings.uploads import Uploads
from stepscope.formats.all_formats import embedding_files
from stepscope.formats.format import EmbeddingFiles
from stepscope.model.embedding import Bounds, Embedding, EmbeddingState
from stepscope.model.errors import BadInput, NotThere, TooMuch
from stepscope.model.identity import RunId
from stepscope.sources.files import read_range, stat
from stepscope.store.library import Library, RunRecord
from stepscope.store.profile_cache import identify

KEPT_BYTES = 1 << 30
"""Vectors in memory; those used least recently go first, and the last one stays."""
MOST_SPRITE = 64 << 20
MOST_BOOKMARKS = 32 << 20
MOST_METADATA = 64 << 20
UPLOADED = RunId("upload")
"""Stands for the run of what was uploaded; no run has this id."""


@dataclass(frozen=True, slots=True)
class RunEmbeddings:
    """What one run lists."""

    run: RunId
    embeddings: tuple[Embedding, ...]
    problems: tuple[str, ...]


class EmbeddingReader:
    """Everything that is read of embeddings. Safe from any thread."""

    def __init__(self, library: Library, bounds: Bounds | None = None) -> None:
        self._library = library
        self._bounds = bounds or Bounds()
        self._guard = threading.Lock()
        self._opened: OrderedDict[str, Opened] = OrderedDict()
        self.uploads = Uploads(self._bounds)

    def listed(self) -> list[RunEmbeddings]:
        """The embeddings of all runs that list any, or whose list cannot be read."""
        found: list[RunEmbeddings] = []
        for run in self._library.snapshot.runs:
            lists = [files.listed(path) for path, files in _lists(run)]
            if lists:
                problems = tuple(problem for one in lists for problem in one.problems)
                found.append(RunEmbeddings(run.id, tuple(one for each in lists for one in each.embeddings), problems))
        return found

    def has_any(self) -> bool:
        """Whether a run has a list; no file is opened for it."""
        return any(_lists(run) for run in self._library.snapshot.runs)

    def embedding(self, run: str, name: str) -> tuple[EmbeddingFiles, Embedding]:
        """An embedding by name, and how it is read. Raises NotThere."""
        record = self._library.snapshot.by_id.get(RunId(run))
        for path, files in _lists(record) if record is not None else []:
            for embedding in files.listed(path).embeddings:
                if embedding.name == name:
                    return files, embedding
        raise NotThere("The run has no embedding of this name; reload the list.", "unknown_embedding")

    def state(self, run: str, name: str, step: int | None) -> tuple[EmbeddingFiles, EmbeddingState]:
        """One state of an embedding; without a step the last one. Raises NotThere."""
        files, embedding = self.embedding(run, name)
        states = [state for state in embedding.states if step is None or state.step == step]
        if not states:
            raise NotThere(f"The embedding has no step {step}; reload the list.", "unknown_step")
        return files, states[-1]

    def open(self, run: str, name: str, step: int | None) -> Opened:
        """An embedding with its vectors. Raises BadInput or NotThere."""
        if run == UPLOADED:
            return self.uploads.find(name)
        files, state = self.state(run, name, step)
        key = _key(state, self._bounds)
        with self._guard:
            if (known := self._opened.get(key)) is not None:
                self._opened.move_to_end(key)
                return known
        opened = read_opened(files, state, self._bounds, key)
        with self._guard:
            self._opened[key] = opened
            while len(self._opened) > 1 and sum(one.nbytes for one in self._opened.values()) > KEPT_BYTES:
                self._opened.popitem(last=False)
        return opened

    def sprite(self, run: str, name: str, step: int | None) -> bytes:
        """The picture with a small one for each point. Raises NotThere or TooMuch."""
        _, state = self.state(run, name, step)
        if state.sprite is None:
            raise NotThere("The embedding has no sprite image.", "no_sprite")
        return _content(state.sprite.path, MOST_SPRITE)

    def metadata(self, run: str, name: str, step: int | None) -> bytes:
        """The file about the points that the configuration names. Raises NotThere or TooMuch."""
        _, state = self.state(run, name, step)
        if not state.metadata:
            raise NotThere("The embedding has no metadata.", "no_metadata")
        return _content(state.metadata, MOST_METADATA)

    def bookmarks(self, run: str, name: str, step: int | None) -> bytes:
        """The bookmarks that the configuration names. Raises NotThere or TooMuch."""
        _, state = self.state(run, name, step)
        if not state.bookmarks:
            raise NotThere("The embedding has no bookmarks.", "no_bookmarks")
        return _content(state.bookmarks, MOST_BOOKMARKS)


def _lists(run: RunRecord) -> list[tuple[str, EmbeddingFiles]]:
    return [(file.path, files) for file in run.others if (files := embedding_files(file.format)) is not None]


def _key(state: EmbeddingState, bounds: Bounds) -> str:
    """Names the content of a state. Raises NotThere or BadInput."""
    if state.problem:
        raise BadInput(state.problem, "unreadable_embedding")
    try:
        files = [(path, identify(path)) for path in state.files]
    except OSError as error:
        raise NotThere(f"A file of the embedding cannot be read: {error.strerror}.", "no_vectors") from None
    said = msgspec.json.encode([files, state.variable, state.dataset, state.shape, bounds.rows, bounds.values])
    return hashlib.blake2b(said, digest_size=16).hexdigest()


def _content(path: str, most: int) -> bytes:
    name = os.path.basename(path)
    try:
        size = stat(path).size
        if size > most:
            raise TooMuch(f"{name} is larger than {most >> 20} MiB and is not shown.", "too_large")
        return read_range(path, 0, size)
    except OSError as error:
        raise NotThere(f"{name} cannot be read: {error.strerror}.", "no_such_file") from None
