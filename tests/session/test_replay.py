"""The replay in the trace is the one whose step time what-if states, and without a change it is the recording."""

from __future__ import annotations

import pytest

from session.drawn_sessions import drawn
from stepscope.model.errors import BadInput
from stepscope.session.analysed import AnalysedSession
from stepscope.session.parts.replay import REPLAY, Replay, ReplayItem, ReplayWanted
from stepscope.session.parts.whatif import WHATIF, WhatIfWanted

WITHOUT_DEVICE = "main   1111111111\nmain   ooo.iii..o"


def asked(session: AnalysedSession, changes: str, align: int | None = None, end_ms: float = 40, columns: int = 1000) -> Replay:
    return REPLAY.make(session, ReplayWanted(changes=changes, align=align, start_us=0, end_us=end_ms * 1e3, columns=columns))


def shown(found: Replay, name: str) -> list[ReplayItem]:
    return [item for item in found.items if item.name == name]


@pytest.fixture(scope="module")
def session() -> AnalysedSession:
    """Steps of 10 ms: input for 3, a launch, a kernel for 6 that the host waits for."""
    return drawn(names={"K": "gemm", "i": "next"})


def test_without_a_change_it_is_the_recording(session: AnalysedSession) -> None:
    found = asked(session, "kernels=1")
    assert (found.refused, found.recorded_ms, found.replay_ms) == (None, 10, pytest.approx(10))
    assert len(shown(found, "gemm")) == 4
    for item in found.items:
        assert (item.start_us, item.end_us) == pytest.approx((item.recorded_start_us, item.recorded_end_us), abs=0.01)
        assert not item.gone
    for step in found.steps:
        assert (step.start_us, step.end_us) == pytest.approx((step.recorded_start_us, step.recorded_end_us), abs=0.01)


@pytest.mark.parametrize("changes", ["kernels=0.5", "input=0", "input=0,kernels=2x", "sync=0"])
def test_the_drawn_step_is_the_one_that_what_if_states(session: AnalysedSession, changes: str) -> None:
    found, stated = asked(session, changes), WHATIF.make(session, WhatIfWanted(changes=changes))
    assert stated.predicted_ms is not None
    assert found.predicted_ms == stated.predicted_ms.mid
    assert found.replay_ms == pytest.approx(stated.predicted_ms.mid, rel=0.01)
    drawn_ms = [(step.end_us - step.start_us) / 1e3 for step in found.steps]
    assert sorted(drawn_ms)[len(drawn_ms) // 2] == pytest.approx(found.replay_ms, abs=0.02)


def test_faster_kernels_are_shorter_and_what_follows_moves(session: AnalysedSession) -> None:
    found = asked(session, "kernels=0.5")
    first, second = shown(found, "gemm")[:2]
    assert (first.end_us - first.start_us, first.recorded_end_us - first.recorded_start_us) == (3_000, 6_000)
    assert second.recorded_start_us - second.start_us == pytest.approx(3_000, abs=20)
    aligned = asked(session, "kernels=0.5", align=2)
    assert (found.aligned, aligned.aligned) == (1, 2)
    assert aligned.steps[1].start_us == aligned.steps[1].recorded_start_us
    assert shown(aligned, "gemm")[1].start_us == shown(aligned, "gemm")[1].recorded_start_us


def test_what_vanishes_says_so(session: AnalysedSession) -> None:
    found = asked(session, "input=0")
    assert [item.gone for item in shown(found, "next")] == [True] * 4
    assert not any(item.gone for item in shown(found, "gemm"))


def test_narrow_items_are_joined(session: AnalysedSession) -> None:
    found = asked(session, "kernels=0.5", columns=1)
    assert sum(item.count for item in found.items) == sum(item.count for item in asked(session, "kernels=0.5").items)
    assert len(found.items) < 5


def test_without_a_device_it_says_why(session: AnalysedSession) -> None:
    found = asked(drawn(WITHOUT_DEVICE), "input=0")
    assert found.refused is not None
    assert (found.items, found.steps, found.replay_ms) == ([], [], None)


def test_what_is_not_there_is_refused(session: AnalysedSession) -> None:
    for changes, align in (("nothing=0", None), ("kernels=0.5", 99)):
        with pytest.raises(BadInput):
            asked(session, changes, align)
