"""The critical path of a session: parts that sum to the step, what would be saved, and one step segment by segment."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from analyses.timeline import MS, timeline
from session.drawn_sessions import INPUT_BOUND, analysed, drawn
from stepscope.model.errors import BadInput
from stepscope.session.analysed import AnalysedSession
from stepscope.session.parts.path import PATH, CriticalPathAnswer, PathWanted


def answer(session: AnalysedSession, **wanted: Any) -> CriticalPathAnswer:
    return PATH.make(session, PathWanted(**wanted))


def test_parts_sum_to_the_step() -> None:
    found = answer(drawn())
    assert found.typical_ms == 10
    assert (found.step_ms, found.worker, found.workers, found.segments) == (10, "worker0", 1, None)
    parts = {part.part: part.ms for part in found.parts}
    assert (parts["input"], parts["compute"]) == (3, 6)
    assert sum(parts.values()) == pytest.approx(10)
    assert sum(part.share for part in found.parts) == pytest.approx(1)


def test_savings_are_changes_that_can_be_tried() -> None:
    savings = {saving.change: saving for saving in answer(drawn()).savings}
    assert savings["input=0"].path == pytest.approx(0.3)
    assert savings["input=0"].saves == pytest.approx(0.3, abs=0.05)
    assert savings["input=0"].parts == ["input"]


def test_one_step_is_a_chain_without_gaps() -> None:
    session = drawn(names={"K": "gemm", "i": "next"})
    segments = answer(session, step=2).segments
    assert segments is not None
    assert [(each.name, each.us) for each in segments] == [("next", 3_000), ("launch latency", 1_000), ("gemm", 6_000)]
    assert (segments[0].start_us, sum(each.us for each in segments)) == (10_000, pytest.approx(10_000))
    spans = session.profiles[0].spans
    assert [spans.start[each.span] / 1e3 for each in segments if each.span is not None][::2] == [10_000, 14_000]


def test_the_slowest_worker_is_followed_unless_another_is_named() -> None:
    fast, slow = timeline(INPUT_BOUND), timeline(INPUT_BOUND, unit=2 * MS)
    for profiles, slowest in (((fast, slow), "worker1"), ((slow, fast), "worker0")):
        session = analysed(*(replace(profile, rank=rank) for rank, profile in enumerate(profiles)))
        assert (answer(session).worker, answer(session).step_ms) == (slowest, 20)
        assert answer(session, follow="worker1").worker == "worker1"
        assert answer(session, follow="rank 0").worker == "worker0"


def test_operations_are_limited_and_counted() -> None:
    found = answer(drawn(), limit=1)
    assert (len(found.operations), found.total > 1) == (1, True)
    assert found.operations[0].path_ms == max(row.path_ms for row in answer(drawn()).operations)


@pytest.mark.parametrize(("wanted", "code"), [({"step": 99}, "no_such_step"), ({"follow": "worker9"}, "no_such_rank")])
def test_what_is_not_there_is_refused(wanted: dict[str, Any], code: str) -> None:
    with pytest.raises(BadInput) as error:
        answer(drawn(), **wanted)
    assert error.value.code == code
