"""PNG files as arrays of pixels, without any other package: every colour type and depth; interlaced files are left to Pillow."""

from __future__ import annotations

import struct
import zlib
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stepscope.model.errors import NotThere
from stepscope.queries.image_encoding import check_image

Pixels = NDArray[np.uint8] | NDArray[np.uint16]

_HEAD = struct.Struct(">IIBBBBB")
_CHUNK = struct.Struct(">I4s")
_START = 8
_CHANNELS = {0: 1, 2: 3, 3: 1, 4: 2, 6: 4}
"""By colour type: grey, colour, palette, grey with alpha, colour with alpha."""
_PALETTE = 3
_SUB, _UP, _AVERAGE, _PAETH = 1, 2, 3, 4


class Interlaced(NotThere):
    """The file is made for slow connections, in an order that is not read here."""


def png_pixels(data: bytes) -> Pixels:
    """Rows, columns and channels (none for grey). Raises NotThere, Interlaced or TooMuch."""
    check_image(data, "image/png")
    try:
        return _pixels(data)
    except (struct.error, zlib.error, ValueError, KeyError, IndexError) as problem:
        raise NotThere("The image cannot be decoded: its PNG is corrupt.", "bad_image") from problem


def _pixels(data: bytes) -> Pixels:
    chunks = _chunks(data)
    width, height, depth, kind, _, _, interlaced = _HEAD.unpack_from(chunks[b"IHDR"])
    if interlaced:
        raise Interlaced("The image is an interlaced PNG; install Pillow to decode it.", "needs_pillow")
    channels = _CHANNELS[kind]
    line = (width * channels * depth + 7) // 8
    size = height * (line + 1)
    raw = zlib.decompressobj().decompress(chunks[b"IDAT"], size)
    if len(raw) < size or depth not in (1, 2, 4, 8, 16):
        raise NotThere("The image is truncated: its PNG has too few rows.", "bad_image")
    rows = _unfiltered(np.frombuffer(raw, np.uint8).reshape(height, line + 1), max(1, channels * depth // 8))
    values = _values(rows, depth, width * channels)
    if kind == _PALETTE:
        palette = np.frombuffer(chunks[b"PLTE"], np.uint8).reshape(-1, 3)
        return palette[values.reshape(height, width)]
    if depth < 8:
        values = (values * (255 // ((1 << depth) - 1))).astype(np.uint8)
    return values.reshape((height, width) if channels == 1 else (height, width, channels))


def _chunks(data: bytes) -> dict[bytes, bytes]:
    """The chunks by name; those of pixels are joined."""
    found: dict[bytes, bytes] = {}
    pixels: list[bytes] = []
    place = _START
    while place + _CHUNK.size <= len(data):
        length, name = _CHUNK.unpack_from(data, place)
        content = data[place + _CHUNK.size : place + _CHUNK.size + length]
        if name == b"IDAT":
            pixels.append(content)
        else:
            found.setdefault(name, content)
        place += _CHUNK.size + length + 4
    return found | {b"IDAT": b"".join(pixels)}


def _values(rows: NDArray[np.uint8], depth: int, each: int) -> Any:  # noqa: ANN401 - of one of two types
    """One number for each channel of each pixel."""
    if depth == 8:
        return rows
    if depth == 16:
        return rows.reshape(-1).view(">u2").astype(np.uint16)
    bits = np.unpackbits(rows, axis=1).reshape(len(rows), -1, depth)
    weights = 1 << np.arange(depth)[::-1]
    return (bits * weights).sum(axis=2)[:, :each].astype(np.uint8)


def _unfiltered(rows: NDArray[np.uint8], step: int) -> NDArray[np.uint8]:
    """Every row was written as its difference to what is left of it and above it; `step` bytes are one pixel."""
    above = np.zeros(rows.shape[1] - 1, np.uint8)
    found = np.empty((len(rows), len(above)), np.uint8)
    for place, row in enumerate(rows):
        how, line = int(row[0]), row[1:]
        if how == _SUB:
            padded = np.zeros(-(-len(line) // step) * step, np.uint8)
            padded[: len(line)] = line
            line = np.add.accumulate(padded.reshape(-1, step), axis=0, dtype=np.uint8).reshape(-1)[: len(line)]
        elif how == _UP:
            line = line + above
        elif how in (_AVERAGE, _PAETH):
            line = _by_pixel(line.tobytes(), above.tobytes(), step, how)
        elif how:
            raise NotThere("The image cannot be decoded: its PNG is corrupt.", "bad_image")
        found[place] = above = line
    return found


def _by_pixel(line: bytes, above: bytes, step: int, how: int) -> NDArray[np.uint8]:
    """Rows whose bytes depend on those before them in a way that only a loop can follow."""
    done = bytearray(len(line))
    for place, byte in enumerate(line):
        left = done[place - step] if place >= step else 0
        up = above[place]
        if how == _AVERAGE:
            guess = (left + up) >> 1
        else:
            corner = above[place - step] if place >= step else 0
            middle = left + up - corner
            away, away_up, away_corner = abs(middle - left), abs(middle - up), abs(middle - corner)
            guess = left if away <= away_up and away <= away_corner else up if away_up <= away_corner else corner
        done[place] = (byte + guess) & 0xFF
    return np.frombuffer(bytes(done), np.uint8)
