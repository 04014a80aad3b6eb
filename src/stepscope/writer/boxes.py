"""Images with boxes drawn on them, through Pillow, as torch draws them."""

from __future__ import annotations

import io
from collections.abc import Sequence
from importlib import import_module
from math import ceil
from typing import TYPE_CHECKING, Any

from stepscope.writer.arrays import take
from stepscope.writer.image import axis_order, one_picture, picture_value, to_bytes
from stepscope.writer.summary import Deferred, Moment, checked_tag

if TYPE_CHECKING:
    from numpy.typing import NDArray

_COLOUR = "Red"
_LINE_WIDTH = 2


def boxes_work(
    tag: object, image: object, boxes: object, labels: Sequence[str] | str | None, rescale: float, dataformats: str, moment: Moment
) -> Deferred:
    """The event of an image with boxes, each given by its left, upper, right and lower end."""
    name = checked_tag(tag)
    array = take(image, "the image")
    order = axis_order(array, dataformats)
    corners = take(boxes, "the boxes")
    if corners.ndim != 2 or corners.shape[1] != 4:
        raise ValueError(f"Give boxes of the shape (N, 4), not {corners.shape}.")
    texts = [labels] if isinstance(labels, str) else None if labels is None else [str(label) for label in labels]
    if texts is not None and len(texts) != len(corners):
        texts = None
    if not rescale > 0:
        raise ValueError(f"Give rescale above 0, not {rescale}.")
    _check_pillow()

    def make() -> bytes:
        pixels = to_bytes(one_picture(array.transpose(order)))
        return moment.event(picture_value(name, pixels.shape, _drawn(pixels, corners, texts, rescale)))

    return Deferred(make, array.nbytes + corners.nbytes)


def _check_pillow() -> None:
    try:
        import_module("PIL.ImageDraw")
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError("Boxes are drawn by Pillow, which is not installed: `pip install pillow`.") from error


def _drawn(pixels: NDArray[Any], boxes: NDArray[Any], labels: list[str] | None, rescale: float) -> bytes:
    pil: Any = import_module("PIL.Image")
    picture = pil.fromarray(pixels)
    for index, box in enumerate(boxes.tolist()):
        _draw_box(picture, box, labels[index] if labels else "")
    height, width = pixels.shape[:2]
    picture = picture.resize((int(width * rescale), int(height * rescale)), pil.Resampling.LANCZOS)
    file = io.BytesIO()
    picture.save(file, format="PNG")
    return file.getvalue()


def _draw_box(picture: Any, box: list[float], label: str) -> None:  # noqa: ANN401 (Pillow is optional)
    left, top, right, bottom = box
    draw: Any = import_module("PIL.ImageDraw").Draw(picture)
    corners = [(left, top), (left, bottom), (right, bottom), (right, top), (left, top)]
    draw.line(corners, width=_LINE_WIDTH, fill=_COLOUR)
    if label:
        font: Any = import_module("PIL.ImageFont").load_default()
        begin, upper, end, lower = font.getbbox(label)
        width, height = end - begin, lower - upper
        margin = ceil(0.05 * height)
        draw.rectangle([(left, bottom - height - 2 * margin), (left + width, bottom)], fill=_COLOUR)
        draw.text((left + margin, bottom - height - margin), label, fill="black", font=font)
