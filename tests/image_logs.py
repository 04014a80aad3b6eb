"""Event files with images of both generations, and the smallest images there are, built by hand."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Sequence
from pathlib import Path

import event_bytes as eb

START = 1_700_000_000.0
SVG = b'<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"><script>alert(2)</script><rect width="9" height="9"/></svg>'
HTML = b"<!doctype html><script>alert(3)</script><h1>not an image</h1>"


def _chunk(name: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))


def png(width: int = 8, height: int = 8, colour: tuple[int, ...] = (200, 40, 40)) -> bytes:
    """A picture of one colour, of which a fourth number is how opaque it is."""
    header = _chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 6 if len(colour) == 4 else 2, 0, 0, 0))
    rows = (b"\0" + bytes(colour) * width) * height
    return b"\x89PNG\r\n\x1a\n" + header + _chunk(b"IDAT", zlib.compress(rows)) + _chunk(b"IEND", b"")


def old_image(tag: str, step: int, data: bytes, *, size: tuple[int, int] = (8, 8), wall: float | None = None) -> bytes:
    """A record with Summary.Image, as torch writes it."""
    image = eb.integer(1, size[1]) + eb.integer(2, size[0]) + eb.integer(3, 3) + eb.message(4, data)
    return eb.record(eb.event(step, START + step if wall is None else wall, eb.summary(eb.value(tag.encode(), eb.message(4, image)))))


def tensor_images(tag: str, step: int, images: Sequence[bytes], *, size: tuple[bytes, bytes] = (b"8", b"8")) -> bytes:
    """A record with a string tensor, as TensorFlow writes it."""
    strings = [eb.message(8, text) for text in (*size, *images)]
    tensor = eb.message(8, eb.tensor(eb.STRING, *strings, shape=[len(strings)]))
    about = eb.message(9, eb.metadata(b"images", data_class=3))
    return eb.record(eb.event(step, START + step, eb.summary(eb.value(tag.encode(), tensor, about))))


def write(folder: Path, run: str, *records: bytes, file: str = "events.out.tfevents.1") -> Path:
    """One event file of a run."""
    return eb.write(folder / run / file, eb.version(START), *records)
