"""Reads a profile file into memory, plain or gzip: never mapped, never a device or pipe, never beyond the limits."""

from __future__ import annotations

import os
import stat
import zlib
from collections.abc import Sequence
from typing import BinaryIO

import numpy as np
from numpy.typing import NDArray

from stepscope._native import read_whole_file
from stepscope.formats.format import Limits
from stepscope.model.errors import BadInput, NotThere, TooMuch

_GZIP = b"\x1f\x8b"
_PART = 1 << 20
_LARGE = 16 << 20


def read_content(path: str, limits: Limits) -> bytes:
    """The file's content, inflated when it is compressed. Raises BadInput, TooMuch or NotThere."""
    descriptor = _open(path)
    try:
        if os.fstat(descriptor).st_size > limits.bytes:
            raise _too_much(path, limits)
        with open(descriptor, "rb", buffering=0, closefd=False) as file:
            content = file.readall()
    finally:
        os.close(descriptor)
    return _inflate(content, path, limits) if content.startswith(_GZIP) else content


def read_buffer(path: str, limits: Limits) -> bytes | NDArray[np.uint8]:
    """The same for readers that take an array too: of a large plain file, which several threads read. Raises as read_content does."""
    descriptor = _open(path)
    try:
        size, head = os.fstat(descriptor).st_size, os.read(descriptor, len(_GZIP))
    finally:
        os.close(descriptor)
    if size < _LARGE or size > limits.bytes or head == _GZIP:
        return read_content(path, limits)
    try:
        return read_whole_file(os.fsencode(path), limits.bytes)
    except OSError as problem:
        raise BadInput(f"{path} cannot be read: {problem.strerror}.", "unreadable_profile") from None


def read_parts(path: str, limits: Limits, parts: Sequence[tuple[int, int]]) -> list[bytes]:
    """Parts of the file's content, each from an offset on so many bytes or as many as there are. Raises as read_content does."""
    if is_compressed(path):
        content = read_content(path, limits)
        return [content[offset : offset + length] for offset, length in parts]
    descriptor = _open(path)
    try:
        if os.fstat(descriptor).st_size > limits.bytes:
            raise _too_much(path, limits)
        with open(descriptor, "rb", closefd=False) as file:
            return [_part(file, offset, length) for offset, length in parts]
    finally:
        os.close(descriptor)


def _part(file: BinaryIO, offset: int, length: int) -> bytes:
    file.seek(offset)
    return file.read(length)


def is_compressed(path: str) -> bool:
    """Whether the file begins as gzip does. Raises BadInput or NotThere."""
    descriptor = _open(path)
    try:
        return os.read(descriptor, len(_GZIP)) == _GZIP
    finally:
        os.close(descriptor)


def _open(path: str) -> int:
    """An open regular file; anything else might block or never end."""
    try:
        descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    except FileNotFoundError:
        raise NotThere(f"{path} does not exist.", "no_profile") from None
    except OSError as problem:
        raise BadInput(f"{path} cannot be read: {problem.strerror}.", "unreadable_profile") from None
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise BadInput(f"{path} is no regular file: give one that a profiler wrote.", "unreadable_profile")
    return descriptor


def _inflate(content: bytes, path: str, limits: Limits) -> bytes:
    """All members of a gzip file; one that was cut gives what there is, and the reader notes that it ends early."""
    parts: list[bytes] = []
    size = 0
    rest = content
    try:
        while rest.startswith(_GZIP):
            inflater = zlib.decompressobj(wbits=31)
            while rest and not inflater.eof:
                parts.append(inflater.decompress(rest, _PART))
                size += len(parts[-1])
                if size > limits.bytes:
                    raise _too_much(path, limits)
                if size > len(content) * limits.ratio:
                    raise unpacks_too_far(path, limits)
                rest = inflater.unconsumed_tail
            rest = inflater.unused_data
    except zlib.error:
        rest = b""  # what was inflated before the damage is still good
    if not size:
        raise BadInput(f"{path} is a damaged gzip file: copy it again from where it was written.", "unreadable_profile")
    return b"".join(parts)


def _too_much(path: str, limits: Limits) -> TooMuch:
    return TooMuch(
        f"{path} holds more than the {limits.bytes:,} bytes it may have: record fewer steps, or allow more with --max-gib.",
        "profile_too_large",
    )


def unpacks_too_far(path: str, limits: Limits) -> TooMuch:
    """For a file that unpacks to so much that it was made to fill a disk or a memory."""
    return TooMuch(
        f"{path} unpacks to more than {limits.ratio} times its size, as no profile does; if you trust it, allow it with --max-gib.",
        "bomb",
    )
