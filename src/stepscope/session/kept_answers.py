"""Answers that took long, kept on disk until a file, a table of the user or the program changes."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeVar

import msgspec

import stepscope
from stepscope import _native
from stepscope.store.answer_cache import AnswerCache
from stepscope.store.profile_cache import Identity, identify
from stepscope.store.program_stamp import stamp_of

WORTH_SECONDS = 0.5
"""An answer is kept when that saves the next one who asks this much."""

A = TypeVar("A", bound=msgspec.Struct)


class KeptAnswers:
    """Reads answers from the disk where it can, and keeps those that took long. Safe from any thread."""

    def __init__(self, cache: AnswerCache | None = None) -> None:
        self._cache = cache or AnswerCache(answering_stamp())

    def answer(self, question: str, paths: Sequence[str], kind: type[A], make: Callable[[], A]) -> A:
        """What `make` makes, which may depend on the question, on the files at `paths` and on nothing else."""
        files = {path: _identity(path) for path in paths}
        if (found := self._cache.load(question, files)) is not None:
            return msgspec.json.decode(found, type=kind)
        began = time.perf_counter()
        answer = make()
        if time.perf_counter() - began > WORTH_SECONDS and files == {path: _identity(path) for path in paths}:
            self._save(question, files, answer)
        return answer

    def keep(self, question: str, paths: Sequence[str], answer: msgspec.Struct, check: Callable[[], None]) -> None:
        """Keeps an answer that was quick only because its files had been read. `check` raises when they are others by now."""
        files = {path: _identity(path) for path in paths}
        check()
        self._save(question, files, answer)

    def _save(self, question: str, files: dict[str, Identity | None], answer: msgspec.Struct) -> None:
        self._cache.save(question, files, msgspec.json.encode(answer).decode())


def answering_stamp() -> str:
    """Changes with anything that may answer otherwise: the native core and all code of the package."""
    return stamp_of([Path(_native.__file__ or ""), *sorted(Path(next(iter(stepscope.__path__))).rglob("*.py"))])


def _identity(path: str) -> Identity | None:
    try:
        return identify(path)
    except OSError:
        return None
