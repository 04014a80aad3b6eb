"""An opened session keeps files, workers and profiles together when a range leaves some out."""

from __future__ import annotations

import pytest

from analyses.timeline import Timeline, timeline
from session.drawn_sessions import INPUT_BOUND, opened
from stepscope.model.errors import BadInput


def test_workers_are_those_of_the_files() -> None:
    assert opened(timeline(INPUT_BOUND), timeline(INPUT_BOUND)).workers == ("worker0", "worker1")


@pytest.mark.parametrize("text", ["", "   "])
def test_no_range_is_everything(text: str) -> None:
    session = opened(timeline(INPUT_BOUND))
    assert session.in_range(text, "") is session


def test_profiles_without_times_belong_to_no_range() -> None:
    memory = Timeline().build()
    session = opened(memory, timeline(INPUT_BOUND)).in_range("2:4", "")
    assert session.workers == ("worker1",)
    (profile,) = session.profiles
    assert profile.part is not None
    assert profile.part.steps.number.tolist() == [2, 3]


def test_a_range_needs_times() -> None:
    with pytest.raises(BadInput) as error:
        opened(Timeline().build()).in_range("2:4", "")
    assert error.value.code == "no_steps"
