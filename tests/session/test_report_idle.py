"""Idle time of a device by cause: the causes sum to it, and names below a cause sum to no more."""

from __future__ import annotations

import pytest

from analyses.timeline import MS, Timeline
from session.drawn_sessions import analysed, drawn
from stepscope.analyses.idle_causes import Cause
from stepscope.model.profile import SpanKind
from stepscope.session.report.idle import _MEANS, MOST_NAMES, idle_time
from stepscope.session.step_rows import StepGroup

PICTURE = """
    main     1111111111222222222233333333334444444444
    main     iiil o    iiil o    iiil o    iiil o
    gpu 0        KKK       KKK       KKK       KKK
"""


def test_causes_sum_to_the_idle_time() -> None:
    found = idle_time(drawn(PICTURE, names={"i": "next"}), 0)
    assert (found.ms, found.share) == (7.0, pytest.approx(0.7))
    assert {row.cause: row.ms for row in found.causes} == {"input_wait": 3.0, "untraced": 3.0, "launch_bound": 0.75, "host_op": 0.25}
    assert sum(row.share for row in found.causes) == pytest.approx(found.share)


def test_a_cause_belongs_to_a_group_of_the_breakdown_and_has_names() -> None:
    rows = {row.cause: row for row in idle_time(drawn(PICTURE, names={"i": "next"}), 0).causes}
    assert {cause: row.group for cause, row in rows.items()} == {
        "input_wait": StepGroup.INPUT_WAIT,
        "untraced": StepGroup.UNTRACED,
        "launch_bound": StepGroup.HOST,
        "host_op": StepGroup.HOST,
    }
    waiting = rows["input_wait"]
    assert [(name.name, name.part, name.ms, name.gaps_per_step, name.longest_ms) for name in waiting.names] == [
        ("next", "input", 3.0, 1.0, 3.0)
    ]
    assert (waiting.names_total, rows["untraced"].names) == (1, [])


def test_names_are_limited_and_counted() -> None:
    many = MOST_NAMES + 3
    line = Timeline().draw("".join(["main   ", *(str(step) * (many + 3) for step in (1, 2, 3, 4))]))
    for step in range(4):
        at = step * (many + 3) * MS
        for place in range(many):
            line.span("main", at + place * MS, at + (place + 1) * MS, SpanKind.OP, f"op_{place}")
        launch = line.span("main", at + many * MS, at + (many + 1) * MS, SpanKind.RUNTIME, "launch")
        line.span("gpu 0", at + (many + 1) * MS, at + (many + 3) * MS, SpanKind.KERNEL, "gemm", cause=launch)
    rows = {row.cause: row for row in idle_time(analysed(line.build()), 0).causes}
    assert (len(rows["host_op"].names), rows["host_op"].names_total) == (MOST_NAMES, many + 1), "the call that launches is a name, too"


def test_every_cause_has_its_meaning() -> None:
    assert set(_MEANS) == set(Cause)


def test_a_device_that_is_always_busy_has_no_cause() -> None:
    found = idle_time(drawn("main   11112222\nmain   l...l...\ngpu 0  KKKKKKKK"), 0)
    assert (found.ms, found.share, found.causes) == (0.0, 0.0, [])
