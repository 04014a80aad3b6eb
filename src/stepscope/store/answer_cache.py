"""The cache of answers: what took long to work out about recordings, as text, for as long as these and the program stay the same."""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Mapping
from pathlib import Path

import msgspec

from stepscope._native import crc32c
from stepscope.store.cache_files import make_room, mark_used, read_file, write_file
from stepscope.store.folder_lock import try_lock
from stepscope.store.folders import cache_folder
from stepscope.store.private_files import close_own_folders, close_to_others
from stepscope.store.profile_cache import Identity

log = logging.getLogger("stepscope.cache")

MAGIC = b"stepscope answer 1\n"
LIMIT_BYTES = 64 << 20
"""All answers together; those used least recently go first."""

Files = Mapping[str, Identity | None]
"""What an answer depends on: paths, and None for one that is not there."""


class SavedAnswer(msgspec.Struct, array_like=True, frozen=True):
    """An answer, and what it is the answer to."""

    question: str
    files: dict[str, Identity | None]
    program: str
    """The program that answered: another one may answer otherwise."""
    text: str


class AnswerCache:
    """Answers to this user's questions. Safe from any thread and process: one of them writes at a time, the others do without."""

    def __init__(self, program: str, folder: Path | None = None, limit_bytes: int = LIMIT_BYTES) -> None:
        self._program = program
        self._folder = (folder or cache_folder()) / "answers"
        self._limit = limit_bytes

    def load(self, question: str, files: Files) -> str | None:
        """The answer, or None when there is none from this program and these files as they are."""
        place = self._place(question, files)
        try:
            saved = _decoded(read_file(place))
        except (FileNotFoundError, NotADirectoryError):  # also a home that is no folder
            return None
        except (OSError, ValueError) as error:
            log.warning("Ignoring a cached answer: %s.", error)
            return None
        if (saved.question, saved.files, saved.program) != (question, dict(files), self._program):
            return None
        mark_used(place)
        close_own_folders(self._folder)
        close_to_others(place)
        return saved.text

    def save(self, question: str, files: Files, text: str) -> bool:
        """Keeps an answer, and says whether it could."""
        payload = msgspec.msgpack.encode(SavedAnswer(question, dict(files), self._program, text))
        try:
            with try_lock(self._folder) as got:
                if got:
                    write_file(self._place(question, files), [MAGIC + crc32c(payload).to_bytes(4, "little") + payload])
                    make_room(self._folder, self._limit)
                return got
        except OSError as error:
            log.warning("Could not write the cache in %s (%s); the answer is worked out again next time.", self._folder, error)
            return False

    def _place(self, question: str, files: Files) -> Path:
        key = "\0".join([question, *files]).encode("utf-8", "surrogateescape")
        return self._folder / hashlib.blake2b(key, digest_size=10).hexdigest()


def _decoded(content: bytes) -> SavedAnswer:
    begin = len(MAGIC) + 4
    if content[: len(MAGIC)] != MAGIC:
        raise ValueError("it was written by another version")
    payload = content[begin:]
    if crc32c(payload) != int.from_bytes(content[len(MAGIC) : begin], "little"):
        raise ValueError("its checksum is wrong")
    return msgspec.msgpack.decode(payload, type=SavedAnswer)
