"""Answers about recordings through a cache: what took long to work out is told again, until a file or the program changes."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from pathlib import Path

import stepscope
from stepscope import _native
from stepscope.ingest.profile_reading import file_identity, stamp_of
from stepscope.store.answer_cache import AnswerCache

WORTH_SECONDS = 0.5
"""An answer is kept when that saves the next one who asks this much."""


class ProfileAnswers:
    """Answers questions; with a cache, from there where it can."""

    def __init__(self, cache: bool = True) -> None:
        self._cache = AnswerCache(answering_stamp()) if cache else None

    def answer(self, question: str, paths: Sequence[str], make: Callable[[], str]) -> str:
        """What `make` says, which may depend on the question, on the files at `paths` and on nothing else."""
        if self._cache is None:
            return make()
        files = {path: file_identity(path) for path in paths}
        if (found := self._cache.load(question, files)) is not None:
            return found
        began = time.perf_counter()
        text = make()
        if time.perf_counter() - began > WORTH_SECONDS and files == {path: file_identity(path) for path in paths}:
            self._cache.save(question, files, text)
        return text


def answering_stamp() -> str:
    """Changes with anything that may answer otherwise: the native core and all code of the package."""
    return stamp_of([Path(_native.__file__ or ""), *sorted(Path(next(iter(stepscope.__path__))).rglob("*.py"))])
