"""Names from disk as text that is safe to show and to send, and the order people expect them in."""

from __future__ import annotations

import re

_DIGITS = re.compile(r"(\d{1,18})")
_UNSAFE = re.compile(r"[^A-Za-z0-9._-]+")

NaturalKey = tuple[tuple[int, int | str], ...]


def tag_text(name: bytes) -> str:
    """A tag's name; bytes that are no UTF-8 show as escapes, so that two different names never look alike."""
    return name.decode("utf-8", "backslashreplace")


def path_text(name: str) -> str:
    """A path's name; bytes the file system could not decode show as escapes."""
    if name.isascii():
        return name
    return name.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")


def file_stem(name: str, otherwise: str) -> str:
    """A name as every file system and HTTP header takes it; `otherwise` when nothing of it is left."""
    return _UNSAFE.sub("_", name)[:120].strip("._") or otherwise


def natural_key(name: str) -> NaturalKey:
    """Sorts layer2 before layer10. Numbers come before words where the two meet."""
    return tuple((0, int(part)) if part.isdecimal() else (1, part) for part in _DIGITS.split(name) if part)
