"""Reads a profile file into memory, plain or gzip: never mapped, never a device or pipe, never beyond the limits."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from io import BytesIO

import numpy as np
from numpy.typing import NDArray

from stepscope._native import read_whole_file
from stepscope.formats.format import Limits
from stepscope.model.errors import BadInput, NotThere, TooMuch
from stepscope.sources.files import origin_of, read_range, stat

_GZIP = b"\x1f\x8b"
_PART = 1 << 20
_LARGE = 16 << 20


def read_content(path: str, limits: Limits) -> bytes:
    """The file's content, inflated when it is compressed. Raises BadInput, TooMuch or NotThere."""
    size = _size(path)
    if size > limits.bytes:
        raise _too_much(path, limits)
    content = _range(path, 0, size)
    return _inflate(content, path, limits) if content.startswith(_GZIP) else content


def read_buffer(path: str, limits: Limits) -> bytes | NDArray[np.uint8]:
    """The same for readers that take an array too: of a large plain file, which several threads read. Raises as read_content does."""
    if not _LARGE <= _size(path) <= limits.bytes or is_compressed(path):
        return read_content(path, limits)
    try:
        return read_whole_file(origin_of(path), limits.bytes)
    except OSError as problem:
        raise _unreadable(path, problem) from None


def read_parts(path: str, limits: Limits, parts: Sequence[tuple[int, int]]) -> list[bytes]:
    """Parts of the file's content, each from an offset on so many bytes or as many as there are. Raises as read_content does."""
    if is_compressed(path):
        content = read_content(path, limits)
        return [content[offset : offset + length] for offset, length in parts]
    if _size(path) > limits.bytes:
        raise _too_much(path, limits)
    return [_range(path, offset, length) for offset, length in parts]


def is_compressed(path: str) -> bool:
    """Whether the file begins as gzip does. Raises BadInput or NotThere."""
    return _range(path, 0, len(_GZIP)) == _GZIP


def _size(path: str) -> int:
    """Of a regular file; anything else might block or never end."""
    try:
        found = stat(path)
    except OSError as problem:
        raise _unreadable(path, problem) from None
    if not found.is_file:
        raise BadInput(f"{path} is not a regular file; give a file written by a profiler.", "unreadable_profile")
    return found.size


def _range(path: str, offset: int, length: int) -> bytes:
    try:
        return read_range(path, offset, length)
    except OSError as problem:
        raise _unreadable(path, problem) from None


def _unreadable(path: str, problem: OSError) -> BadInput | NotThere:
    if isinstance(problem, FileNotFoundError):
        return NotThere(f"{path} does not exist.", "no_profile")
    return BadInput(f"{path} cannot be read: {problem.strerror}.", "unreadable_profile")


def _inflate(content: bytes, path: str, limits: Limits) -> bytes:
    """All members of a gzip file; one that was cut gives what there is, and the reader notes that it ends early."""
    made = BytesIO()  # which gives its bytes away without a copy, as joining parts would not
    size = 0
    rest = content
    try:
        while rest.startswith(_GZIP):
            inflater = zlib.decompressobj(wbits=31)
            while rest and not inflater.eof:
                size += made.write(inflater.decompress(rest, _PART))
                if size > limits.bytes:
                    raise _too_much(path, limits)
                if size > len(content) * limits.ratio:
                    raise unpacks_too_far(path, limits)
                rest = inflater.unconsumed_tail
            rest = inflater.unused_data
    except zlib.error:
        rest = b""  # what was inflated before the damage is still good
    if not size:
        raise BadInput(f"{path} is a corrupt gzip file: copy it again from its source.", "unreadable_profile")
    return made.getvalue()


def _too_much(path: str, limits: Limits) -> TooMuch:
    return TooMuch(
        f"{path} is larger than the limit of {limits.bytes:,} bytes: capture fewer steps, or allow more with --max-gib.",
        "profile_too_large",
    )


def unpacks_too_far(path: str, limits: Limits) -> TooMuch:
    """For a file that unpacks to so much that it was made to fill a disk or a memory."""
    return TooMuch(
        f"{path} unpacks to more than {limits.ratio} times its size, unlike any profile; if you trust it, allow it with --max-gib.",
        "bomb",
    )
