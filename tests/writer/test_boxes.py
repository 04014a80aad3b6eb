"""Boxes are drawn where they are, on the pixels of the call; Pillow is stood in for, since the writer does not need it."""

from __future__ import annotations

import sys
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np
import pytest

import message_fields as mf
from stepscope.writer.boxes import boxes_work
from stepscope.writer.summary import Moment

MOMENT = Moment(3, 1.0)
IMAGE = ("Event.summary", "Summary.value", "Value.image")


class Pillow:
    """Notes what is drawn."""

    def __init__(self) -> None:
        self.pixels: Any = None
        self.lines: list[Any] = []
        self.labels: list[Any] = []
        self.size: Any = None

    def fromarray(self, pixels: Any) -> Pillow:
        self.pixels = pixels
        return self

    def resize(self, size: Any, _: object) -> Pillow:
        self.size = size
        return self

    def save(self, file: Any, format: str) -> None:
        file.write(format.encode())

    def line(self, corners: Any, **_: object) -> None:
        self.lines.append(corners)

    def rectangle(self, *_: object, **__: object) -> None: ...

    def text(self, place: Any, label: str, **_: object) -> None:
        self.labels.append((place, label))


@pytest.fixture
def pillow(monkeypatch: pytest.MonkeyPatch) -> Pillow:
    drawn = Pillow()
    modules: dict[str, Any] = {name: ModuleType(name) for name in ("PIL", "PIL.Image", "PIL.ImageDraw", "PIL.ImageFont")}
    modules["PIL.Image"].fromarray = drawn.fromarray
    modules["PIL.Image"].Resampling = SimpleNamespace(LANCZOS=1)
    modules["PIL.ImageDraw"].Draw = lambda _: drawn
    modules["PIL.ImageFont"].load_default = lambda: SimpleNamespace(getbbox=lambda label: (0, 0, 6 * len(label), 10))
    for name, module in modules.items():
        monkeypatch.setitem(sys.modules, name, module)
    return drawn


def made(boxes: object, labels: Any = None, rescale: float = 1, image: Any = None) -> bytes:
    pixels = np.zeros((3, 4, 8), np.uint8) if image is None else image
    event = boxes_work("tag", pixels, boxes, labels, rescale, "CHW", MOMENT).make()
    assert event is not None
    return event


def test_a_box_is_a_closed_line_around_its_corners(pillow: Pillow) -> None:
    event = made([[1, 2, 6, 3]])
    assert pillow.lines == [[(1, 2), (1, 3), (6, 3), (6, 2), (1, 2)]]
    assert pillow.pixels.shape == (4, 8, 3)
    assert mf.data(event, *IMAGE, "Image.encoded_image_string") == b"PNG"
    assert (mf.integers(event, *IMAGE, "Image.height"), mf.integers(event, *IMAGE, "Image.width")) == ([4], [8])
    assert mf.integers(event, "Event.step") == [3]


def test_the_picture_may_be_larger_than_the_pixels(pillow: Pillow) -> None:
    made([[0, 0, 1, 1]], rescale=2.5)
    assert pillow.size == (20, 10)


def test_labels_stand_inside_the_lower_left_corner(pillow: Pillow) -> None:
    made([[1, 0, 6, 30], [2, 0, 3, 20]], ["cat", ""])
    # The letters are 10 high, with a margin of a twentieth, rounded up.
    assert pillow.labels == [((2, 19), "cat")]


def test_labels_that_do_not_fit_the_boxes_are_left_out(pillow: Pillow) -> None:
    made([[0, 0, 1, 1]], ["one", "two"])
    assert (len(pillow.lines), pillow.labels) == (1, [])


def test_the_pixels_are_those_of_the_call(pillow: Pillow) -> None:
    pixels = np.full((3, 4, 8), 7, np.uint8)
    work = boxes_work("tag", pixels, [[0, 0, 1, 1]], None, 1, "CHW", MOMENT)
    pixels[:] = 200
    work.make()
    assert (int(pillow.pixels.max()), work.held_bytes >= pixels.nbytes) == (7, True)


@pytest.mark.parametrize(
    ("boxes", "rescale"), [([0, 0, 1, 1], 1), ([[0, 0, 1]], 1), ([[0, 0, 1, 1]], 0), ([[0, 0, 1, 1]], float("nan"))]
)
def test_what_is_no_box_or_scale_is_refused_at_the_call(pillow: Pillow, boxes: object, rescale: float) -> None:
    with pytest.raises(ValueError, match="Give"):
        boxes_work("tag", np.zeros((3, 4, 8)), boxes, None, rescale, "CHW", MOMENT)
    assert pillow.lines == []
