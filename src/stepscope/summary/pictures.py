"""Image summaries as TensorFlow 2 writes them: width, height, and one file for each picture."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, Any, cast

from stepscope.summary.encoding import limited, tensor_event
from stepscope.writer.arrays import take
from stepscope.writer.figure import figure_pixels
from stepscope.writer.image import LONGEST_SIDE
from stepscope.writer.png import png
from stepscope.writer.summary import Deferred, Moment, string_tensor

if TYPE_CHECKING:
    from numpy.typing import NDArray

_PNG = b"\x89PNG\r\n\x1a\n"
_JPEG = b"\xff\xd8"
_JPEG_FRAMES = {*range(0xC0, 0xD0)} - {0xC4, 0xC8, 0xCC}
"""The markers of a JPEG file's segments that say how large the picture is."""


def image_work(tag: str, metadata: bytes, moment: Moment, pictures: Any, max_outputs: Any) -> Deferred:  # noqa: ANN401
    """Pictures of number × height × width × channels, the bytes of PNG or JPEG files, or figures of matplotlib."""
    given = cast("object", pictures)
    if _are_figures(given):
        pixels, dataformats = figure_pixels(given, close=False)
        given = pixels if dataformats == "NHWC" else pixels[None]
    files = _files(given)
    if files is not None:
        return _file_work(tag, metadata, moment, files[: max(0, int(max_outputs))])
    array = take(limited(given, max_outputs, 4), "the images")
    check_pictures(array.shape)

    def make() -> bytes:
        encoded = [png(_to_bytes(picture)) for picture in array]
        return _event(tag, metadata, moment, array.shape[2], array.shape[1], encoded)

    return Deferred(make, array.nbytes)


def check_pictures(shape: tuple[int | None, ...]) -> None:
    """Refuses what is no batch of pictures."""
    if len(shape) != 4 or shape[3] not in (None, 1, 2, 3, 4):
        raise ValueError(f"Give images of the shape (number, height, width, channels) with 1 to 4 channels, not {shape}.")
    if any(side is not None and not 0 < side <= LONGEST_SIDE for side in shape[1:3]):
        raise ValueError(f"Give images with 1 to {LONGEST_SIDE} pixels to a side, not of the shape {shape}.")


def _event(tag: str, metadata: bytes, moment: Moment, width: int, height: int, encoded: list[bytes]) -> bytes:
    strings = [str(width).encode(), str(height).encode(), *encoded]
    return tensor_event(tag, metadata, moment, string_tensor(strings, [len(strings)]))


def _file_work(tag: str, metadata: bytes, moment: Moment, files: list[bytes]) -> Deferred:
    sizes = [size_of_picture(file) for file in files]
    width, height = sizes[0] if sizes else (0, 0)
    event = _event(tag, metadata, moment, width, height, files)
    return Deferred(lambda: event, len(event))


def _are_figures(pictures: object) -> bool:
    first: object = next(iter(cast("list[object]", pictures)), None) if isinstance(pictures, list | tuple) else pictures
    return hasattr(first, "savefig")


def _files(pictures: object) -> list[bytes] | None:
    """The pictures, where they are encoded already."""
    if isinstance(pictures, bytes):
        return [pictures]
    if isinstance(pictures, list | tuple) and pictures:
        members = cast("list[object]", list(pictures))  # pyright: ignore[reportUnknownArgumentType]
        if all(isinstance(member, bytes) for member in members):
            return cast("list[bytes]", members)
    return None


def size_of_picture(file: bytes) -> tuple[int, int]:
    """Width and height of a PNG or JPEG file."""
    if file.startswith(_PNG) and len(file) >= 24:
        return struct.unpack(">II", file[16:24])
    if file.startswith(_JPEG):
        size = _size_of_jpeg(file)
        if size is not None:
            return size
    raise ValueError("Give the bytes of a whole PNG or JPEG file, or the image as an array.")


def _size_of_jpeg(file: bytes) -> tuple[int, int] | None:
    """Walks the segments: 0xFF, a marker, and a length that covers itself."""
    at = 2
    while at + 9 <= len(file) and file[at] == 0xFF:
        marker = file[at + 1]
        if marker in _JPEG_FRAMES:
            height, width = struct.unpack(">HH", file[at + 5 : at + 9])
            return width, height
        length: int = struct.unpack(">H", file[at + 2 : at + 4])[0]
        at += 1 if marker == 0xFF else 2 + max(2, length)
    return None


def _to_bytes(pixels: NDArray[Any]) -> NDArray[Any]:
    """Bytes as TensorFlow converts them: floats count from 0 to 1, integers up to the largest of their type."""
    import numpy as np

    if pixels.dtype == np.uint8:
        return np.ascontiguousarray(pixels)
    if pixels.dtype == np.bool_:
        return pixels.astype(np.uint8) * np.uint8(255)
    if pixels.dtype.kind == "f":
        known = np.nan_to_num(pixels, nan=0.0)
        return np.ascontiguousarray((known * pixels.dtype.type(255.5)).clip(0, 255).astype(np.uint8))
    greatest = int(np.iinfo(pixels.dtype).max)
    if greatest > 255:
        return np.ascontiguousarray((pixels // ((greatest + 1) // 256)).clip(0, 255).astype(np.uint8))
    return pixels.clip(0, None).astype(np.uint8) * np.uint8(256 // (greatest + 1))
