"""Image summaries: one picture, a grid of several, or a film, written as PNG; files are taken as they are."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from stepscope.writer.arrays import take
from stepscope.writer.complaints import warn_once
from stepscope.writer.message import Message
from stepscope.writer.picture_file import encoded_pictures, picture_size
from stepscope.writer.png import animated_png, png
from stepscope.writer.summary import Deferred, Moment, checked_tag, metadata_of, string_tensor, value_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

GRID_COLUMNS = 8
LONGEST_SIDE = 65_535
_FAR_TOO_BRIGHT = 16
_LAYOUT_OF_RANK = {2: "HW", 3: "HWC", 4: "NHWC"}


def image_work(tag: object, image: object, dataformats: str, moment: Moment) -> Deferred:
    """The event of one picture, or of a grid when dataformats has an N."""
    name = checked_tag(tag)
    files = encoded_pictures(image)
    if files is not None:
        return _files_work(name, files, moment)
    array = take(image, "the image")
    order = axis_order(array, dataformats)

    def make() -> bytes:
        _warn_of_brightness(name, array)
        pixels = to_bytes(one_picture(array.transpose(order)))
        return moment.event(picture_value(name, pixels.shape, png(pixels)))

    return Deferred(make, array.nbytes)


def _files_work(name: str, files: list[bytes], moment: Moment) -> Deferred:
    """The event of pictures that are encoded already; several share the tag, each whole."""
    (width, height, channels), *_ = [picture_size(file) for file in files]
    if len(files) == 1:
        value = picture_value(name, (height, width, channels), files[0])
    else:
        strings = [str(width).encode(), str(height).encode(), *files]
        value = value_of(name).message("metadata", metadata_of("images")).message("tensor", string_tensor(strings, [len(strings)]))
    return Deferred(lambda: moment.event(value), sum(map(len, files)))


def video_work(tag: object, video: object, fps: float, moment: Moment) -> Deferred:
    """The event of a film of N×T×C×H×W; several films play side by side."""
    name = checked_tag(tag)
    array = take(video, "the video")
    if array.ndim != 5 or array.shape[2] not in range(1, 5) or 0 in array.shape:
        raise ValueError(f"Give a video of the shape (N, T, C, H, W) with 1 to 4 channels, not {array.shape}.")
    if not 0 < fps < float("inf"):
        raise ValueError(f"Give fps above 0, not {fps}.")

    def make() -> bytes:
        frames = to_bytes(_side_by_side(array))
        return moment.event(picture_value(name, frames.shape[1:], animated_png(frames, fps)))

    return Deferred(make, array.nbytes)


def axis_order(array: NDArray[Any], dataformats: str) -> tuple[int, ...]:
    """The order that makes the array H×W, H×W×C or N×H×W×C; refuses what is no picture."""
    letters = dataformats.upper()
    wanted = _LAYOUT_OF_RANK.get(array.ndim)
    if wanted is None or sorted(letters) != sorted(wanted):
        raise ValueError(
            f"Give dataformats with one letter of N, H, W and C for each dimension; {dataformats} is not for {array.shape}."
        )
    order = tuple(letters.index(letter) for letter in wanted)
    sizes = dict(zip(letters, array.shape, strict=True))
    if 0 in array.shape or max(sizes["H"], sizes["W"]) > LONGEST_SIDE:
        raise ValueError(f"Give an image with 1 to {LONGEST_SIDE} pixels to a side, not one of the shape {array.shape}.")
    if sizes.get("C", 3) not in range(1, 5):
        raise ValueError(f"Give an image of 1 to 4 channels; {dataformats} of {array.shape} has {sizes['C']}.")
    return order


def one_picture(array: NDArray[Any]) -> NDArray[Any]:
    """H×W×C of what axis_order has put in order; grey becomes RGB, as torch writes it."""
    import numpy as np

    if array.ndim == 2:
        array = array[:, :, np.newaxis]
    if array.shape[-1] == 1:
        array = np.repeat(array, 3, axis=-1)
    return grid(array, GRID_COLUMNS) if array.ndim == 4 else array


def grid(pictures: NDArray[Any], most_columns: int) -> NDArray[Any]:
    """Pictures N×H×W×C in rows of at most so many; what is left over of the last row is black."""
    import numpy as np

    count, height, width, channels = pictures.shape
    columns = min(count, most_columns)
    rows = -(-count // columns)
    full = np.zeros((rows * columns, height, width, channels), pictures.dtype)
    full[:count] = pictures
    lines = full.reshape(rows, columns, height, width, channels).swapaxes(1, 2)
    return lines.reshape(rows * height, columns * width, channels)


def to_bytes(pixels: NDArray[Any]) -> NDArray[Any]:
    """Bytes as they are; anything else counts from 0 to 1. NaN is black."""
    import numpy as np

    if pixels.dtype == np.uint8:
        return np.ascontiguousarray(pixels)
    scaled = np.nan_to_num(pixels.astype(np.float32) * 255, nan=0.0, posinf=255.0, neginf=0.0)
    return np.ascontiguousarray(scaled.clip(0, 255).astype(np.uint8))


def _warn_of_brightness(name: str, array: NDArray[Any]) -> None:
    """Numbers up to 255 that are no bytes make a white picture, which nobody means."""
    if array.dtype.name != "uint8" and array.max() >= _FAR_TOO_BRIGHT:
        warn_once("The image %s has values up to %g; values above 1 are white. Give values from 0 to 255 as uint8.", name, array.max())


def picture_value(name: str, shape: tuple[int, ...], encoded: bytes) -> Message:
    """The summary value of an encoded picture."""
    height, width, channels = shape
    image = Message("Image").integer("height", height).integer("width", width).integer("colorspace", channels)
    return value_of(name).message("image", image.data("encoded_image_string", encoded))


def _side_by_side(video: NDArray[Any]) -> NDArray[Any]:
    """T×H×W×C of N×T×C×H×W: torch's grid, of a power of two, with black films where there are too few."""
    import numpy as np

    count, frames, channels, height, width = video.shape
    places = 1 << (count - 1).bit_length()
    rows = 1 << ((count.bit_length() - 1) // 2)
    full = np.zeros((places, *video.shape[1:]), video.dtype)
    full[:count] = video
    tiled = full.reshape(rows, places // rows, frames, channels, height, width).transpose(2, 0, 4, 1, 5, 3)
    tiled = tiled.reshape(frames, rows * height, places // rows * width, channels)
    return np.repeat(tiled, 3, axis=-1) if channels == 1 else tiled
