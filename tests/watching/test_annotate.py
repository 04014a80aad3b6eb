"""Annotated pictures: what is drawn where and in which colour, with and without Pillow, and what is refused."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from stepscope import SummaryWriter, annotate
from stepscope._native import EventFile, NamePool
from stepscope.model.kinds import Kind
from stepscope.writer import bitmap_font
from stepscope.writer.annotate import PALETTE, RIGHT, WRONG
from stepscope.writer.png import png

BLACK = np.zeros((3, 200, 300))


def has(picture: Any, colour: tuple[int, int, int]) -> bool:
    return bool((picture == colour).all(axis=-1).any())


def test_boxes_are_drawn_where_they_are() -> None:
    picture = annotate(BLACK, boxes=[[40, 30, 120, 90]], correct=True)
    assert picture.shape == (200, 300, 3)
    rows, columns = (picture == RIGHT).all(axis=-1).nonzero()
    assert (rows.min(), rows.max() + 1, columns.min(), columns.max() + 1) == (30, 90, 40, 120)
    assert not picture[60, 80].any()


def test_right_is_green_and_wrong_is_red_and_else_it_is_neither() -> None:
    picture = annotate(BLACK, boxes=[[0, 0, 50, 50], [100, 0, 150, 50], [200, 0, 250, 50]], correct=[True, False, None])
    assert tuple(picture[0, 25]) == RIGHT
    assert tuple(picture[0, 125]) == WRONG
    assert tuple(picture[0, 225]) in PALETTE


def test_verdicts_may_be_arrays() -> None:
    said, true = np.array([1, 2]), np.array([1, 3])
    picture = annotate(BLACK, boxes=[[0, 0, 50, 50], [100, 0, 150, 50]], correct=said == true)
    assert (tuple(picture[0, 25]), tuple(picture[0, 125])) == (RIGHT, WRONG)
    assert tuple(annotate(BLACK, correct=said[0] == true[0])[0, 0]) == RIGHT


def test_one_label_has_one_colour() -> None:
    picture = annotate(BLACK, boxes=[[0, 100, 50, 150], [100, 100, 150, 150], [200, 100, 250, 150]], labels=["cat", "dog", "cat"])
    first, second, third = (tuple(picture[149, column]) for column in (25, 125, 225))
    assert first == third != second


def test_boxes_beyond_the_picture_are_cut() -> None:
    picture = annotate(BLACK, boxes=[[-50, -50, 1000, 1000], [500, 500, 600, 600]], labels=["all of it", "outside"], correct=False)
    assert tuple(picture[199, 299]) == WRONG
    assert picture.shape == (200, 300, 3)


def test_masks_tint_what_they_cover() -> None:
    mask = np.zeros((1, 200, 300), bool)
    mask[0, 50:60, 70:90] = True
    picture = annotate(np.ones((3, 200, 300)), masks=mask, correct=[False])
    rows, columns = (picture != 255).any(axis=-1).nonzero()
    assert (rows.min(), rows.max(), columns.min(), columns.max()) == (50, 59, 70, 89)
    assert picture[55, 80, 0] > picture[55, 80, 1]


def test_labels_are_written_above_their_box() -> None:
    picture = annotate(BLACK, boxes=[[100, 100, 160, 160]], labels=["dog 0.93"], correct=[True])
    above = picture[90:100, 100:160]
    assert has(above, RIGHT)
    assert has(above, (255, 255, 255))
    assert not picture[:88].any()


def test_several_pictures_have_captions_and_frames() -> None:
    pictures = np.zeros((9, 1, 28, 28))
    drawn = annotate(
        pictures, labels=[f"{number}\nsecond line" for number in range(9)], correct=[True] * 8 + [False], dataformats="NCHW"
    )
    tile = 6 * 28
    caption = drawn.shape[0] // 2 - tile
    assert drawn.shape[1] == 8 * tile
    assert caption > 2 * bitmap_font.HEIGHT
    assert tuple(drawn[caption, 3]) == RIGHT
    assert tuple(drawn[2 * caption + tile, 3]) == WRONG
    assert has(drawn[:caption, :tile], RIGHT)
    assert has(drawn[caption + tile : 2 * caption + tile, :tile], WRONG)


@pytest.mark.parametrize("channels", [1, 2, 3, 4])
def test_any_number_of_channels(channels: int) -> None:
    assert annotate(np.full((200, 200, channels), 0.5), labels="a", dataformats="HWC").shape[2] == 3


def test_every_letter_is_drawn_and_differs() -> None:
    drawn = {bitmap_font.text_dots(chr(code), 1).tobytes() for code in range(33, 127)}
    assert len(drawn) == 94
    assert all(any(dots) for dots in drawn)
    assert not bitmap_font.text_dots(" ", 2).any()
    assert bitmap_font.text_dots("ab", 3).shape == (21, 36)


def test_without_pillow_letters_of_other_scripts_are_boxes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "PIL.Image", None)
    dots = bitmap_font.text_dots("a✓", 4)
    assert dots.shape == (28, 48)
    assert dots[:4, 24:44].all()
    assert not dots[4:24, 28:40].any()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"boxes": [[1, 2, 3]]}, "shape"),
        ({"boxes": [[0, 0, 5, np.nan]]}, "finite"),
        ({"masks": np.zeros((1, 5, 5))}, "masks of the shape"),
        ({"boxes": np.zeros((2, 4)), "labels": ["one"]}, "labels for each of the 2"),
        ({"boxes": np.zeros((2, 4)), "masks": np.zeros((1, 200, 300))}, "a mask for each box"),
        ({"labels": ["a", "b"]}, "labels for each of the 1"),
        ({"dataformats": "HWC"}, "channels"),
    ],
)
def test_what_does_not_fit_is_refused(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        annotate(BLACK, **arguments)


def test_marks_on_several_pictures_are_refused() -> None:
    with pytest.raises(ValueError, match="one picture at a time"):
        annotate(np.zeros((2, 3, 9, 9)), boxes=np.zeros((1, 4)), dataformats="NCHW")


def test_it_is_logged_as_a_picture(tmp_path: Path) -> None:
    box = np.array([[10.0, 10.0, 90.0, 90.0]])
    with SummaryWriter(tmp_path) as writer:
        writer.add_annotated_image("prediction", BLACK, 7, boxes=box, labels=["cat"], correct=[True])
        box[:] = 0  # What was passed is taken at the call.
    (path,) = tmp_path.glob("*tfevents*")
    names = NamePool()
    events = EventFile(str(path), names)
    events.scan()
    index = events.find(names.find(b"prediction"), Kind.IMAGE)
    steps, _, offsets, lengths = events.blobs(index)
    assert steps.tolist() == [7]
    blob = events.read_blob(int(offsets[0]), int(lengths[0]))
    assert png(annotate(BLACK, boxes=[[10, 10, 90, 90]], labels=["cat"], correct=True)) in blob
