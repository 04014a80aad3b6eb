"""Sizes of pictures that are files already, from their first bytes, and what is no picture."""

from __future__ import annotations

import struct

import numpy as np
import pytest

from stepscope.writer.picture_file import PictureSize, encoded_picture, encoded_pictures, picture_size
from stepscope.writer.png import png

SEGMENT = b"\xff\xe0" + struct.pack(">H", 6) + b"JFIF"
FRAME = b"\xff\xc0" + struct.pack(">HBHHB", 17, 8, 40, 60, 3) + bytes(9)
TABLE = b"\xff\xc4" + struct.pack(">H", 12) + bytes(10)
"""Its marker lies between those of frames."""
JPEG = b"\xff\xd8" + SEGMENT + TABLE + FRAME
GIF = b"GIF89a" + struct.pack("<HH", 7, 5)


def webp(kind: bytes, content: bytes) -> bytes:
    return b"RIFF" + struct.pack("<I", 4 + 8 + len(content)) + b"WEBP" + kind + struct.pack("<I", len(content)) + content


@pytest.mark.parametrize(
    ("file", "size"),
    [
        (png(np.zeros((5, 7, 3), np.uint8)), (7, 5, 3)),
        (png(np.zeros((5, 7, 1), np.uint8)), (7, 5, 1)),
        (png(np.zeros((5, 7, 4), np.uint8)), (7, 5, 4)),
        (JPEG, (60, 40, 3)),
        (b"\xff\xd8\xff" + SEGMENT + FRAME, (60, 40, 3)),
        (GIF, (7, 5, 3)),
        (webp(b"VP8 ", bytes(3) + b"\x9d\x01\x2a" + struct.pack("<HH", 7, 5)), (7, 5, 3)),
        (webp(b"VP8L", b"\x2f" + struct.pack("<I", 6 | 4 << 14 | 1 << 28)), (7, 5, 4)),
        (webp(b"VP8X", b"\x10\0\0\0" + b"\x06\0\0" + b"\x04\0\0"), (7, 5, 4)),
    ],
    ids=["png", "grey png", "png with alpha", "jpeg", "jpeg with fill bytes", "gif", "webp", "lossless webp", "extended webp"],
)
def test_sizes(file: bytes, size: tuple[int, int, int]) -> None:
    assert picture_size(file) == PictureSize(*size)


@pytest.mark.parametrize("file", [b"", b"\x89PNG", JPEG[:10], b"\xff\xd8\xff\xd9", GIF[:8], webp(b"VP9 ", bytes(20)), bytes(50)])
def test_what_is_no_whole_picture_is_refused(file: bytes) -> None:
    with pytest.raises(ValueError, match="PNG"):
        picture_size(file)


def test_a_picture_without_pixels_is_refused() -> None:
    with pytest.raises(ValueError, match="PNG"):
        picture_size(b"GIF89a" + struct.pack("<HH", 0, 5))


def test_files_are_told_from_arrays() -> None:
    assert encoded_picture(bytearray(GIF)) == encoded_picture(memoryview(GIF)) == GIF
    assert encoded_picture(np.zeros((5, 7, 3))) is None
    assert encoded_pictures([GIF, JPEG]) == [GIF, JPEG]
    assert encoded_pictures(GIF) == [GIF]
    assert encoded_pictures([GIF, np.zeros(3)]) is None
    assert encoded_pictures([]) is None
