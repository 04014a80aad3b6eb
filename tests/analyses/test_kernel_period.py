"""Steps that nothing marks, told by kernels that come again and again."""

from __future__ import annotations

from analyses.timeline import MS, Timeline, timeline
from stepscope.analyses.kernel_period import find_kernel_period
from stepscope.model.profile import NONE, SpanKind

PERIODS = """
    main   l.l.l.l.l.l.l.l.l.
    gpu 0   K L M K L M K L M
"""


def test_a_period_begins_with_the_launch_of_its_first_kernel() -> None:
    found = find_kernel_period(timeline(PERIODS, K="one", L="two", M="three"))
    assert found is not None
    assert (found.name, found.track) == ("one", 0)
    assert [time / MS for time in found.start] == [0, 6, 12]
    assert [time / MS for time in found.end] == [6, 12, 17]


def test_without_launches_the_device_alone_tells() -> None:
    found = find_kernel_period(timeline("gpu 0   K L M K L M K L M", K="one", L="two", M="three"))
    assert found is not None
    assert (found.track, [time / MS for time in found.start]) == (NONE, [0, 6, 12])
    assert found.end[-1] == 17 * MS


def test_two_periods_and_equal_kernels_are_no_steps() -> None:
    assert find_kernel_period(timeline("gpu 0   K L M K L M", K="one", L="two", M="three")) is None
    assert find_kernel_period(timeline("gpu 0   K K K K K K K K", K="one")) is None
    assert find_kernel_period(timeline("main   oooo")) is None


def test_the_shortest_period_is_taken() -> None:
    # What comes in every second step, as logging does, has a period of its own.
    found = find_kernel_period(timeline("gpu 0   K L K L K L K L K L K L", K="one", L="two"))
    assert found is not None
    assert len(found.start) == 6


def test_layers_of_one_pass_through_the_model_are_no_steps() -> None:
    line = Timeline()
    line.span("main", 0, 100 * MS, SpanKind.PYTHON, "nn.Module: Net_0")
    for place in range(12):
        at = place * 8 * MS
        launch = line.span("main", at, at + MS, SpanKind.RUNTIME, "launch")
        line.span("gpu 0/7", at + 2 * MS, at + 4 * MS, SpanKind.KERNEL, ("one", "two", "three")[place % 3], cause=launch)
    assert find_kernel_period(line.build()) is None
    loop = [span for span in line.spans if span.kind != SpanKind.PYTHON]
    line.spans = loop
    assert find_kernel_period(line.build()) is not None
