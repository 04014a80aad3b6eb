"""Which part of what the profiler cost is in work that a change takes away."""

from __future__ import annotations

import pytest

from analyses.timeline import MS, Timeline, timeline
from stepscope.analyses.breakdown import break_down
from stepscope.analyses.what_if.levers import Lever
from stepscope.analyses.what_if.profiler_cost import recorded_share, traced_python, unslowed_share
from stepscope.model.profile import Profile, SpanKind


def share(profile: Profile, *levers: str) -> float:
    return recorded_share([(profile, break_down(profile))], [Lever(name) for name in levers])


def test_by_the_number_of_spans_that_go() -> None:
    line = Timeline().draw("main  111122223333")
    for step in range(3):
        line.span("main", 4 * step * MS, (4 * step + 1) * MS, SpanKind.PYTHON, "f")
        for place in range(1, 4):
            line.span("main", (4 * step + place) * MS, (4 * step + place + 1) * MS, SpanKind.OP, "aten::mm")
    assert share(line.build(), "python") == pytest.approx(2 * 3 / (2 * 3 + 9)), "and twice the cost of others at most"


def test_all_of_it_where_no_span_tells() -> None:
    profile = timeline("main   111122223333\nmain   pooopooopooo")
    assert share(profile, "straggler") == 1
    assert share(profile, "gc") == 1


def test_what_a_python_function_calls_stays() -> None:
    line = Timeline().draw("main  111122223333")
    for step in range(3):
        line.span("main", 4 * step * MS, (4 * step + 4) * MS, SpanKind.PYTHON, "train_step")
        for place in range(1, 4):
            line.span("main", (4 * step + place) * MS, (4 * step + place + 1) * MS, SpanKind.OP, "aten::mm")
    assert share(line.build(), "python") == pytest.approx(2 * 3 / (2 * 3 + 9)), "its own time goes, the operations inside it do not"


def test_python_is_up_to_twice_as_slow_while_it_is_traced() -> None:
    profile = timeline("main   111122223333\nmain   pooopooopooo")
    ranks = [(profile, break_down(profile))]
    assert traced_python(ranks, [Lever("python")]) == pytest.approx(0.5 * 1 / 4)
    assert traced_python(ranks, [Lever("op")]) == 0


def test_time_without_any_record_goes_as_it_was_recorded() -> None:
    """Waits of 4 of 10 ms: as long without the profiler, unless Python is recorded in them and does not sleep."""

    def unslowed(**names: str) -> float:
        picture = f"main   111111111122222222223333333333\nmain   {'iiiioooooo' * 3}"
        picture += f"\nmain   {'pppp......' * 3}" if names else ""
        profile = Timeline().draw(picture, **names).build()
        return unslowed_share([(profile, break_down(profile))], [Lever("input")])

    assert unslowed() == pytest.approx(0.4)
    assert unslowed(p="data.py(3): decode") == 0.0
    assert unslowed(p="<built-in function sleep>") == pytest.approx(0.4)
