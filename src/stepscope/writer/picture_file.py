"""Pictures that are files already, PNG, JPEG, GIF or WebP: recognised, and their size read from their first bytes."""

from __future__ import annotations

import struct
from typing import NamedTuple, cast

_PNG = b"\x89PNG\r\n\x1a\n"
_PNG_CHANNELS = {0: 1, 2: 3, 3: 3, 4: 2, 6: 4}
_JPEG = b"\xff\xd8"
_JPEG_FRAMES = {*range(0xC0, 0xD0)} - {0xC4, 0xC8, 0xCC}
"""The markers of the segments that say how large the picture is."""
_WEBP_ALPHA = 0x10


class PictureSize(NamedTuple):
    """Of one picture, in pixels."""

    width: int
    height: int
    channels: int


def encoded_picture(image: object) -> bytes | None:
    """The bytes of an image that is given as a file's content, also as TensorFlow's string tensor; None for any other."""
    if isinstance(image, bytes | bytearray | memoryview):
        return bytes(cast("bytes", image))
    if "string" in str(getattr(image, "dtype", "")) and callable(to_numpy := getattr(image, "numpy", None)):
        found = to_numpy()
        return found if isinstance(found, bytes) else None
    return None


def encoded_pictures(images: object) -> list[bytes] | None:
    """The bytes of several, where each is given as a file's content."""
    listed = cast("list[object]", images) if isinstance(images, list | tuple) else [images]
    found = [file for file in map(encoded_picture, listed) if file is not None]
    return found if found and len(found) == len(listed) else None


def picture_size(file: bytes) -> PictureSize:
    """Width, height and channels; what is no such file is refused."""
    try:
        size = _size(file)
    except (struct.error, IndexError):
        size = None
    if size is None or not size.width or not size.height:
        raise ValueError("Give the bytes of a whole PNG, JPEG, GIF or WebP file, or the image as an array.")
    return size


def _size(file: bytes) -> PictureSize | None:
    if file.startswith(_PNG) and file[12:16] == b"IHDR":
        width, height, _, kind = struct.unpack_from(">IIBB", file, 16)
        return PictureSize(width, height, _PNG_CHANNELS[kind]) if kind in _PNG_CHANNELS else None
    if file.startswith(_JPEG):
        return _jpeg_size(file)
    if file.startswith((b"GIF87a", b"GIF89a")):
        return PictureSize(*struct.unpack_from("<HH", file, 6), 3)
    if file.startswith(b"RIFF") and file[8:12] == b"WEBP":
        return _webp_size(file)
    return None


def _jpeg_size(file: bytes) -> PictureSize | None:
    """Walks the segments: 0xFF, a marker, and a length that covers itself."""
    at = len(_JPEG)
    while file[at] == 0xFF:
        marker = file[at + 1]
        if marker in _JPEG_FRAMES:
            height, width, channels = struct.unpack_from(">HHB", file, at + 5)
            return PictureSize(width, height, channels)
        at += 1 if marker == 0xFF else 2 + max(2, struct.unpack_from(">H", file, at + 2)[0])
    return None


def _webp_size(file: bytes) -> PictureSize | None:
    kind = file[12:16]
    if kind == b"VP8 " and file[23:26] == b"\x9d\x01\x2a":
        width, height = struct.unpack_from("<HH", file, 26)
        return PictureSize(width & 0x3FFF, height & 0x3FFF, 3)
    if kind == b"VP8L" and file[20] == 0x2F:
        (bits,) = struct.unpack_from("<I", file, 21)
        return PictureSize((bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1, 4 if bits >> 28 & 1 else 3)
    if kind == b"VP8X":
        flags, *sides = struct.unpack_from("<B3x6B", file, 20)
        width, height = (int.from_bytes(bytes(side), "little") + 1 for side in (sides[:3], sides[3:]))
        return PictureSize(width, height, 4 if flags & _WEBP_ALPHA else 3)
    return None
