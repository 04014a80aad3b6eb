"""Rules on recordings of a CPU whose levers were measured before and after: they give ranges, and say what was waited for."""

from __future__ import annotations

import pytest

from analyses.timeline import Timeline
from rules.pictures import said_nothing
from stepscope.analyses.session.summary import summarise
from stepscope.analyses.what_if.calibration import WIDE, calibration, calibration_of
from stepscope.model.profile import Profile, SpanKind
from stepscope.rules.judge import judge
from stepscope.rules.rule import Finding, GainKind, Verdict

US = 1_000


def said(profile: Profile, rule: str) -> Finding:
    return next(each for each in judge(summarise([profile]), cores=2).findings if each.rule == rule)


def drawn(picture: str) -> Profile:
    return Timeline(100_000).draw(picture).build()


READS_THE_LOSS = drawn("""
    main   111111111122222222223333333333444444444455555555556666666666
    main   ssss......ssss......ssss......ssss......ssss......ssss......
    pool   oooo......oooo......oooo......oooo......oooo......oooo......
""")


def test_a_wait_inside_the_step() -> None:
    found = said(READS_THE_LOSS, "sync_inside_step")
    known = calibration_of(["sync"], serial=True)
    assert known.band == WIDE, "it was measured once"
    assert found.verdict is Verdict.FIRES
    assert found.gain is not None
    assert found.gain.kind is GainKind.REMOVES
    assert found.step_ms == pytest.approx((0.6 - 0.4 * known.more, 1 - 0.2 * (1 - known.band))), "on two cores half of it is hidden"
    assert all(time in found.evidence[0].text for time in ("400 µs", "600 µs"))
    assert found.evidence[0].spans is not None


def test_nobody_waits_where_operations_run_on_the_thread_that_calls_them() -> None:
    alone = drawn("main   111111111122222222223333333333\nmain   oooo......oooo......oooo......")
    assert said_nothing(said(alone, "sync_inside_step"))


def test_compiling_in_every_step_is_a_part_of_the_step() -> None:
    found = said(drawn("main   111111111122222222223333333333444444444455555555556666666666\nmain   " + "oooocccccc" * 6), "recompile")
    known = calibration(serial=True)
    assert found.step_ms == pytest.approx((0.4 * (1 - known.around), 1 - 0.6 * (1 - known.band)))
    assert found.promise.startswith("Compiling")


def test_many_small_operations_give_a_range() -> None:
    builder = Timeline()
    for step in range(6):
        at = step * 2_000 * US
        builder.span("main", at, at + 2_000 * US, SpanKind.MARKER, f"ProfilerStep#{step}", step=step)
        builder.span("main", at, at + 500 * US, SpanKind.OP, "matmul")
        for number in range(150):
            start = at + (500 + 10 * number) * US
            builder.span("main", start, start + 8 * US, SpanKind.OP, "mul")
    found = said(builder.build(), "host_bound")
    known = calibration(serial=True)
    assert found.gain is not None
    assert found.gain.kind is GainKind.REMOVES
    most = 0.502 + (150 * 0.5 + 149 * 2) / 2000
    # Without the loop only the matrix product and the last pause are left; at most half a microsecond a call and half the pauses too.
    assert found.step_ms == pytest.approx((0.502 * (1 - known.around), 2 - (2 - most) * (1 - known.band)), rel=0.01)
