"""Draws what a model says about a picture: boxes, masks and labels, green where it is right and red where it is wrong."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from stepscope.writer.arrays import take
from stepscope.writer.bitmap_font import HEIGHT, WIDTH, text_dots
from stepscope.writer.image import GRID_COLUMNS, axis_order, grid, picture_value, to_bytes
from stepscope.writer.png import png
from stepscope.writer.summary import Deferred, Moment, checked_tag

if TYPE_CHECKING:
    from numpy.typing import NDArray

Colour = tuple[int, int, int]
Verdicts = Sequence[bool | None] | bool | None

RIGHT: Colour = (26, 150, 65)
WRONG: Colour = (215, 25, 28)
PALETTE: tuple[Colour, ...] = ((31, 119, 180), (255, 127, 14), (148, 103, 189), (23, 190, 207), (227, 119, 194), (188, 189, 34))
"""Of marks that are neither right nor wrong: the same for the same label."""

MOST_MARKS = 10_000
LONGEST_LABEL = 500
_READABLE_SIDE = 160
_OPACITY = 0.45


class Annotated(NamedTuple):
    """Pictures and what to draw on them, checked and taken at the call."""

    pictures: NDArray[Any]
    """N×H×W×C."""
    boxes: NDArray[Any] | None
    masks: NDArray[Any] | None
    labels: list[str] | None
    correct: list[bool | None]

    @property
    def nbytes(self) -> int:
        """How much memory it holds."""
        return sum(array.nbytes for array in (self.pictures, self.boxes, self.masks) if array is not None)

    def drawn(self) -> NDArray[Any]:
        """H×W×3 bytes."""
        times = 1 if self.labels is None else max(1, -(-_READABLE_SIDE // max(self.pictures.shape[1:3])))
        canvases = [_colour_bytes(picture).repeat(times, axis=0).repeat(times, axis=1) for picture in self.pictures]
        if self.boxes is None and self.masks is None:
            return _captioned(canvases, self.labels, self.correct)
        (canvas,) = canvases
        colours = self._colours()
        for index, mask in enumerate([] if self.masks is None else self.masks):
            _tint(canvas, mask.repeat(times, axis=0).repeat(times, axis=1), colours[index])
        for index in range(len(colours)):
            self._draw_mark(canvas, index, colours[index], times)
        return canvas

    def _draw_mark(self, canvas: NDArray[Any], index: int, colour: Colour, times: int) -> None:
        left = top = 0
        if self.boxes is not None:
            left, top, right, bottom = (round(float(edge) * times) for edge in self.boxes[index])
            _outline(canvas, (left, top, right, bottom), colour)
        elif self.masks is not None:
            rows, columns = self.masks[index].nonzero()
            left, top = (int(columns.min()) * times, int(rows.min()) * times) if len(rows) else (0, 0)
        if self.labels is not None and self.labels[index]:
            _write(canvas, self.labels[index].replace("\n", " "), left, top, colour)

    def _colours(self) -> list[Colour]:
        count = len(self.correct)
        names = self.labels or [str(index) for index in range(count)]
        kinds = {name: place for place, name in enumerate(dict.fromkeys(names))}
        return [_verdict(self.correct[index]) or PALETTE[kinds[names[index]] % len(PALETTE)] for index in range(count)]


def annotate(
    image: object,
    boxes: object = None,
    masks: object = None,
    labels: Sequence[str] | str | None = None,
    correct: Verdicts = None,
    dataformats: str = "CHW",
) -> NDArray[Any]:
    """The picture with marks drawn on it, as H×W×3 bytes.

    `boxes` (K, 4) are left, upper, right and lower ends in pixels; `masks` (K, H, W) are truth values. Each mark has a label
    and a verdict: green when `correct` is true, red when it is false. Without marks, `labels` and `correct` are of the
    picture itself, or with dataformats="NCHW" of each of several, and are written above it.
    """
    return annotated(image, boxes, masks, labels, correct, dataformats).drawn()


def annotated_work(tag: object, what: Annotated, moment: Moment) -> Deferred:
    """The event of an annotated picture, drawn by the writer's thread."""
    name = checked_tag(tag)

    def make() -> bytes:
        pixels = what.drawn()
        return moment.event(picture_value(name, pixels.shape, png(pixels)))

    return Deferred(make, what.nbytes)


def annotated(
    image: object, boxes: object, masks: object, labels: Sequence[str] | str | None, correct: Verdicts, dataformats: str
) -> Annotated:
    """Checks and takes what annotate is given."""
    array = take(image, "the image")
    pictures = array.transpose(axis_order(array, dataformats))
    pictures = pictures[:, :, None] if pictures.ndim == 2 else pictures
    pictures = pictures[None] if pictures.ndim == 3 else pictures
    corners = None if boxes is None else _checked_boxes(boxes)
    areas = None if masks is None else _checked_masks(masks, pictures.shape[1:3])
    if (corners is not None or areas is not None) and len(pictures) != 1:
        raise ValueError("Give boxes and masks for one picture at a time.")
    if corners is not None and areas is not None and len(corners) != len(areas):
        raise ValueError(f"Give a mask for each box; there are {len(areas)} masks and {len(corners)} boxes.")
    count = len(corners) if corners is not None else len(areas) if areas is not None else len(pictures)
    texts = _for_each(labels, count, "labels") if labels is not None else None
    verdicts = _for_each(correct, count, "correct")
    shown = None if texts is None else [str(text)[:LONGEST_LABEL] for text in texts]
    return Annotated(pictures, corners, areas, shown, [None if verdict is None else bool(verdict) for verdict in verdicts])


def _checked_boxes(boxes: object) -> NDArray[Any]:
    import numpy as np

    corners = take(boxes, "the boxes")
    if corners.ndim != 2 or corners.shape[1] != 4 or len(corners) > MOST_MARKS:
        raise ValueError(f"Give boxes of the shape (N, 4), with N at most {MOST_MARKS}, not {corners.shape}.")
    if not bool(np.isfinite(corners).all()) or bool((np.abs(corners) > 1e9).any()):
        raise ValueError("Give boxes with finite corners in pixels.")
    return corners


def _checked_masks(masks: object, size: tuple[int, ...]) -> NDArray[Any]:
    areas = take(masks, "the masks")
    areas = areas[None] if areas.ndim == 2 else areas
    if areas.ndim != 3 or areas.shape[1:] != size or len(areas) > MOST_MARKS:
        raise ValueError(f"Give masks of the shape (N, {size[0]}, {size[1]}), as the picture has, not {areas.shape}.")
    return areas > 0.5 if areas.dtype.kind == "f" else areas != 0


def _for_each(given: Any, count: int, what: str) -> list[Any]:  # noqa: ANN401 (texts or truth values, or an array of them)
    """One for each mark or picture: what is given once counts for all."""
    if given is None or isinstance(given, str | bool) or getattr(given, "ndim", 1) == 0:
        return [given] * count
    several: list[Any] = list(islice(cast("Iterable[Any]", given), MOST_MARKS + 1))
    if len(several) != count:
        raise ValueError(f"Give {what} for each of the {count} marks or pictures; there are {len(several)}.")
    return several


def _verdict(correct: bool | None) -> Colour | None:
    return None if correct is None else RIGHT if correct else WRONG


def _colour_bytes(picture: NDArray[Any]) -> NDArray[Any]:
    """H×W×3 of its own; what is transparent shows white behind it."""
    import numpy as np

    pixels = to_bytes(picture)
    channels = pixels.shape[2]
    colours = pixels[:, :, :3] if channels >= 3 else np.repeat(pixels[:, :, :1], 3, axis=2)
    if channels in (2, 4):
        alpha = pixels[:, :, -1:].astype(np.float32) / 255
        return (colours * alpha + 255 * (1 - alpha)).astype(np.uint8)
    return colours.copy()


def _tint(canvas: NDArray[Any], mask: NDArray[Any], colour: Colour) -> None:
    import numpy as np

    canvas[mask] = (canvas[mask] * (1 - _OPACITY) + np.array(colour) * _OPACITY).astype(np.uint8)


def _outline(canvas: NDArray[Any], box: tuple[int, int, int, int], colour: Colour) -> None:
    """Drawn inwards, so that a box around everything is seen."""
    height, width = canvas.shape[:2]
    left, right = (min(max(edge, 0), width) for edge in sorted((box[0], box[2])))
    top, bottom = (min(max(edge, 0), height) for edge in sorted((box[1], box[3])))
    line = max(2, round(max(height, width) / 200))
    for rows, columns in (
        (slice(top, min(top + line, bottom)), slice(left, right)),
        (slice(max(bottom - line, top), bottom), slice(left, right)),
        (slice(top, bottom), slice(left, min(left + line, right))),
        (slice(top, bottom), slice(max(right - line, left), right)),
    ):
        canvas[rows, columns] = colour


def _write(canvas: NDArray[Any], text: str, left: int, top: int, colour: Colour) -> None:
    """White on the colour, above the place where there is room and inside it elsewhere."""
    import numpy as np

    size = _letter_size(canvas)
    dots = np.pad(text_dots(text, size), size)[: canvas.shape[0], : canvas.shape[1]]
    height, width = dots.shape
    left = min(max(left, 0), canvas.shape[1] - width)
    top = top - height if top >= height else min(max(top, 0), canvas.shape[0] - height)
    top = min(top, canvas.shape[0] - height)
    canvas[top : top + height, left : left + width] = np.where(dots[:, :, None], (255, 255, 255), colour)


def _letter_size(canvas: NDArray[Any]) -> int:
    return max(1, round(min(canvas.shape[:2]) / 240))


def _captioned(canvases: list[NDArray[Any]], labels: list[str] | None, correct: list[bool | None]) -> NDArray[Any]:
    """All pictures in a grid, each with its label above and its verdict around it."""
    import numpy as np

    for canvas, verdict in zip(canvases, correct, strict=True):
        colour = _verdict(verdict)
        if colour is not None:
            _outline(canvas, (0, 0, canvas.shape[1], canvas.shape[0]), colour)
    if labels is not None:
        captions = [_lines(text, canvases[0]) for text in labels]
        most = max(len(lines) for lines in captions)
        canvases = [
            np.concatenate([_caption(lines, most, canvas, _verdict(verdict) or (0, 0, 0)), canvas])
            for canvas, lines, verdict in zip(canvases, captions, correct, strict=True)
        ]
    return canvases[0] if len(canvases) == 1 else grid(np.stack(canvases), GRID_COLUMNS)


def _lines(text: str, canvas: NDArray[Any]) -> list[str]:
    """The text in lines that fit above the picture."""
    fitting = max(1, (canvas.shape[1] - 2) // ((WIDTH + 1) * _letter_size(canvas)))
    return [line[start : start + fitting] for line in text.splitlines() for start in range(0, max(1, len(line)), fitting)]


def _caption(lines: list[str], most: int, canvas: NDArray[Any], colour: Colour) -> NDArray[Any]:
    import numpy as np

    size = _letter_size(canvas)
    spacing = (HEIGHT + 2) * size
    strip = np.full((most * spacing + size, canvas.shape[1], 3), 255, np.uint8)
    for place, line in enumerate(lines):
        dots = text_dots(line, size)[:, : canvas.shape[1] - 2]
        top = size + place * spacing
        strip[top : top + len(dots), 2 : 2 + dots.shape[1]][dots] = colour
    return strip
