"""Choices of steps: every way to write them, what they leave out, and what is refused."""

from __future__ import annotations

from enum import Enum

import pytest

from stepscope.capture.step_choice import step_choice, text_of


class Action(Enum):
    """As torch.profiler.ProfilerAction."""

    NONE = 0
    WARMUP = 1
    RECORD = 2
    RECORD_AND_SAVE = 3


@pytest.mark.parametrize(
    ("steps", "expected"),
    [
        ("10-12", {10, 11, 12}),
        ("1, 10,12-13", {1, 10, 12, 13}),
        (7, {7}),
        ([3, 1, 2], {1, 2, 3}),
        (range(4, 6), {4, 5}),
        (range(0, 10, 5), {0, 5}),
        (lambda step: step % 10 == 3, {3, 13}),
        (lambda step: [Action.NONE, Action.WARMUP, Action.RECORD, Action.RECORD_AND_SAVE][step % 4], {2, 3, 6, 7, 10, 11, 14, 15}),
    ],
)
def test_steps_in_every_form(steps: object, expected: set[int]) -> None:
    choice = step_choice(steps)  # pyright: ignore[reportArgumentType]
    assert {step for step in range(16) if choice.wants(step)} == expected


@pytest.mark.parametrize("steps", ["", "a", "5-3", "1,,2", "-1", [], [1.5], ["x"], -2, range(5, 5), {"a": 1}])
def test_what_is_no_choice_is_refused(steps: object) -> None:
    with pytest.raises(ValueError, match="Give steps as"):
        step_choice(steps)  # pyright: ignore[reportArgumentType]


def test_too_many_ranges_are_refused() -> None:
    with pytest.raises(ValueError, match="1001"):
        step_choice(range(0, 2002, 2))


@pytest.mark.parametrize(
    ("steps", "ran", "missed"),
    [
        ("100-102", (0, 63), "100–102"),
        ("60-70", (0, 63), "64–70"),
        ("0-3,70", (2, 63), "0–1, 70"),
        ("10-20", (0, 63), ""),
        ("5", (None, None), "5"),
    ],
)
def test_what_never_came(steps: str, ran: tuple[int | None, int | None], missed: str) -> None:
    assert text_of(step_choice(steps).missed(*ran)) == missed
