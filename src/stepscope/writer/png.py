"""PNG files from arrays of pixels: still ones, and animated ones for videos, which browsers play like a GIF in full colour."""

from __future__ import annotations

import struct
import zlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from numpy.typing import NDArray

_SIGNATURE = b"\x89PNG\r\n\x1a\n"
_COLOUR_TYPE = {1: 0, 2: 4, 3: 2, 4: 6}
_UP_FILTER = 2
_LEVEL = 4


def png(pixels: NDArray[Any]) -> bytes:
    """The file of one picture, height × width × 1 to 4 channels of bytes."""
    return _SIGNATURE + _header(pixels) + _chunk(b"IDAT", _compressed(pixels)) + _chunk(b"IEND", b"")


def animated_png(frames: NDArray[Any], frames_per_second: float) -> bytes:
    """The file of a film, frames × height × width × channels, that repeats for ever."""
    height, width = frames.shape[1:3]
    # A frame lasts `part / whole` seconds, both of 16 bits.
    part, whole = (
        (1000, min(round(frames_per_second * 1000), 65535))
        if frames_per_second >= 1
        else (min(round(1000 / frames_per_second), 65535), 1000)
    )
    pieces = [_SIGNATURE, _header(frames[0]), _chunk(b"acTL", struct.pack(">II", len(frames), 0))]
    number = 0
    for index, frame in enumerate(frames):
        control = struct.pack(">IIIIIHHBB", number, width, height, 0, 0, part, whole, 0, 0)
        pieces.append(_chunk(b"fcTL", control))
        number += 1
        if index == 0:
            pieces.append(_chunk(b"IDAT", _compressed(frame)))
        else:
            pieces.append(_chunk(b"fdAT", struct.pack(">I", number) + _compressed(frame)))
            number += 1
    return b"".join([*pieces, _chunk(b"IEND", b"")])


def _header(pixels: NDArray[Any]) -> bytes:
    height, width, channels = pixels.shape
    return _chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, _COLOUR_TYPE[channels], 0, 0, 0))


def _compressed(pixels: NDArray[Any]) -> bytes:
    """Each row as its difference from the one above, which packs better, behind the number that says so."""
    import numpy as np

    height = pixels.shape[0]
    rows = pixels.reshape(height, -1)
    lines = np.empty((height, rows.shape[1] + 1), np.uint8)
    lines[:, 0] = _UP_FILTER
    lines[0, 1:] = rows[0]
    np.subtract(rows[1:], rows[:-1], out=lines[1:, 1:])
    return zlib.compress(lines.data, _LEVEL)


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(data, zlib.crc32(kind)))
