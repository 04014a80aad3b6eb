"""Image summaries as TensorFlow 2 writes them: width, height, and one file for each picture."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from stepscope.summary.encoding import limited, tensor_event
from stepscope.writer.arrays import take
from stepscope.writer.figure import figure_pixels
from stepscope.writer.image import LONGEST_SIDE
from stepscope.writer.picture_file import encoded_pictures, picture_size
from stepscope.writer.png import png
from stepscope.writer.summary import Deferred, Moment, string_tensor

if TYPE_CHECKING:
    from numpy.typing import NDArray


def image_work(tag: str, metadata: bytes, moment: Moment, pictures: Any, max_outputs: Any) -> Deferred:  # noqa: ANN401
    """Pictures of number × height × width × channels, the bytes of PNG, JPEG, GIF or WebP files, or figures of matplotlib."""
    given = cast("object", pictures)
    if _are_figures(given):
        pixels, dataformats = figure_pixels(given, close=False)
        given = pixels if dataformats == "NHWC" else pixels[None]
    files = encoded_pictures(given)
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
    sizes = [picture_size(file) for file in files]
    width, height = sizes[0][:2] if sizes else (0, 0)
    event = _event(tag, metadata, moment, width, height, files)
    return Deferred(lambda: event, len(event))


def _are_figures(pictures: object) -> bool:
    first: object = next(iter(cast("list[object]", pictures)), None) if isinstance(pictures, list | tuple) else pictures
    return hasattr(first, "savefig")


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
