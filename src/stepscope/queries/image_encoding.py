"""What an image's first bytes say: its type, from a fixed list that browsers show and never run, and its size."""

from __future__ import annotations

import struct

from stepscope.model.errors import NotThere, TooMuch

OTHER = "application/octet-stream"
"""Whatever is not on the list, also SVG and HTML: browsers save it."""
TYPES = ("image/png", "image/jpeg", "image/gif", "image/webp", "image/bmp", "image/avif", OTHER)
MAX_PIXELS = 1 << 28
"""A few kilobytes can claim to be gigabytes of pixels; a browser would try."""

_PNG = b"\x89PNG\r\n\x1a\n"
_PNG_CHUNK = struct.Struct(">I4s")
_PNG_CHECKSUM = 4
_JPEG_WITHOUT_LENGTH = frozenset({0x01, *range(0xD0, 0xD9)})
_JPEG_FRAMES = frozenset(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}
_JPEG_SCAN = 0xDA


def content_type(data: bytes) -> str:
    """The image's type, or OTHER."""
    if data.startswith(_PNG):
        return "image/png"
    if data.startswith(b"\xff\xd8\xff"):
        return "image/jpeg"
    if data.startswith((b"GIF87a", b"GIF89a")):
        return "image/gif"
    if data.startswith(b"RIFF") and data[8:12] == b"WEBP":
        return "image/webp"
    if data.startswith(b"BM") and data[6:10] == bytes(4):
        return "image/bmp"
    if data[4:12] in (b"ftypavif", b"ftypavis"):
        return "image/avif"
    return OTHER


def check_image(data: bytes, kind: str) -> None:
    """Raises NotThere for an image that is empty or cut short, and TooMuch for one with more pixels than a browser can take."""
    if not data:
        raise NotThere("The image is empty: only its size was logged.", "bad_image")
    if kind == "image/png" and not _png_is_whole(data):
        raise NotThere("The image is truncated: its PNG has no end.", "bad_image")
    width, height = _size(data, kind)
    if width * height > MAX_PIXELS:
        raise TooMuch(
            f"The image claims {width} × {height} pixels; images up to {MAX_PIXELS >> 20} million pixels can be shown.",
            "too_many_pixels",
        )


def _png_is_whole(data: bytes) -> bool:
    place = len(_PNG)
    while place + _PNG_CHUNK.size <= len(data):
        length, name = _PNG_CHUNK.unpack_from(data, place)
        place += _PNG_CHUNK.size + length + _PNG_CHECKSUM
        if name == b"IEND":
            return place <= len(data)
    return False


def _size(data: bytes, kind: str) -> tuple[int, int]:
    """Width and height as the bytes have them; zeros for types that cannot be large, or when they say none."""
    if kind == "image/png" and len(data) >= 24:
        return struct.unpack_from(">II", data, 16)
    if kind == "image/gif" and len(data) >= 10:
        return struct.unpack_from("<HH", data, 6)
    if kind == "image/bmp" and len(data) >= 26:
        width, height = struct.unpack_from("<ii", data, 18)
        return abs(width), abs(height)
    return _jpeg_size(data) if kind == "image/jpeg" else (0, 0)


def _jpeg_size(data: bytes) -> tuple[int, int]:
    place = 2
    while place + 9 <= len(data) and data[place] == 0xFF:
        marker = data[place + 1]
        if marker in _JPEG_FRAMES:
            height, width = struct.unpack_from(">HH", data, place + 5)
            return width, height
        if marker == _JPEG_SCAN:
            break
        place += 2 if marker in _JPEG_WITHOUT_LENGTH else 1 if marker == 0xFF else 2 + struct.unpack_from(">H", data, place + 2)[0]
    return 0, 0
