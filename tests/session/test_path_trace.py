"""The critical path in the trace is the one that the table sums up, and every span of host and device has its slack."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace

import pytest

from analyses.timeline import MS, Timeline, timeline
from session.drawn_sessions import INPUT_BOUND, analysed, drawn
from stepscope.model.errors import BadInput, NotThere
from stepscope.model.profile import Profile, SpanKind
from stepscope.session.analysed import AnalysedSession
from stepscope.session.parts.path import PATH, PathWanted
from stepscope.session.parts.path_trace import PATH_TRACE, SLACK, PathTrace, PathTraceWanted, SlackWanted, SpanSlack

WITHOUT_DEVICE = "main   1111111111\nmain   ooo.iii..o"


def asked(session: AnalysedSession, start_ms: float, end_ms: float, limit: int = 100, follow: str = "") -> PathTrace:
    return PATH_TRACE.make(session, PathTraceWanted(start_us=start_ms * 1e3, end_us=end_ms * 1e3, limit=limit, follow=follow))


def slack(session: AnalysedSession, name: str, place: int = 0) -> SpanSlack:
    profile = session.profiles[0]
    rows = [row for row in range(len(profile.spans)) if profile.names[int(profile.spans.name[row])] == name]
    return SLACK.make(session, SlackWanted(row=rows[place]))


def two_streams() -> Profile:
    """A long kernel ends the step at 20 ms. A short one, which its own launch starts, ends 15 ms before that."""
    builder = Timeline()
    builder.span("main", 0, 4 * MS, SpanKind.MARKER, "ProfilerStep#0", step=0)
    builder.span("main", 0, 1 * MS, SpanKind.OP, "prepare")
    one = builder.span("main", 1 * MS, 2 * MS, SpanKind.RUNTIME, "launch long")
    builder.span("gpu 0/7", 2 * MS, 20 * MS, SpanKind.KERNEL, "long", cause=one)
    other = builder.span("main", 2 * MS, 3 * MS, SpanKind.RUNTIME, "launch short")
    builder.span("gpu 0/8", 3 * MS, 5 * MS, SpanKind.KERNEL, "short", cause=other)
    builder.span("main", 3 * MS, 4 * MS, SpanKind.OP, "after")
    builder.span("worker", 0, 3 * MS, SpanKind.OP, "elsewhere")
    return builder.build()


def test_segments_are_where_their_spans_are() -> None:
    session = drawn(names={"K": "gemm", "i": "next"})
    found = asked(session, 10, 20)
    assert [(each.name, each.start_us, each.end_us) for each in found.rows] == [
        ("next", 10_000, 13_000),
        ("launch latency", 13_000, 14_000),
        ("gemm", 14_000, 20_000),
    ]
    spans = session.profiles[0].spans
    for each in found.rows:
        assert each.row is not None
        assert (each.track, each.line) == (int(spans.track[each.row]), int(spans.depth[each.row]))


def test_the_picture_agrees_with_the_table() -> None:
    session = drawn()
    table, whole = PATH.make(session, PathWanted()), asked(session, 0, 1e6)
    sums: dict[str, float] = defaultdict(float)
    for each in whole.rows:
        sums[each.part] += (each.end_us - each.start_us) / 1e3 / len(session.breakdown().typical)
    assert dict(sums) == pytest.approx({part.part: part.ms for part in table.parts})


def test_the_longest_segments_are_kept_when_there_are_many() -> None:
    session = drawn(names={"K": "gemm"})
    found = asked(session, 0, 40, limit=4)
    assert [each.name for each in found.rows] == ["gemm"] * 4
    assert found.total == asked(session, 0, 40).total == 12


def test_on_another_worker_segments_have_its_name_and_no_track_here() -> None:
    slow = replace(timeline(INPUT_BOUND, unit=2 * MS), rank=1)
    session = analysed(replace(timeline(INPUT_BOUND), rank=0), slow)
    assert (asked(session, 0, 20).worker, asked(session, 0, 20, follow="rank 1").worker) == ("worker0", "worker1")
    assert {each.worker for each in asked(session, 0, 20, follow="rank 1").rows} == {"worker1"}


def test_slack_of_device_and_host() -> None:
    session = analysed(two_streams())
    assert (slack(session, "long").on_path_us, slack(session, "long").slack_us) == (18_000, 0)
    assert (slack(session, "prepare").on_path_us, slack(session, "prepare").slack_us) == (1_000, 0)
    assert (slack(session, "short").on_path_us, slack(session, "short").slack_us) == (0, 15_000)
    assert slack(session, "launch long").slack_us == 15_000, "its kernel is started; what it holds up is the short one"
    assert slack(session, "launch short").slack_us == 16_000, "what it is followed by ends at 4 of 20 ms"
    assert slack(session, "elsewhere").slack_us is None


def test_time_that_no_span_has_is_on_no_track() -> None:
    builder = Timeline()
    builder.span("main", 0, 10 * MS, SpanKind.MARKER, "ProfilerStep#0", step=0)
    launch = builder.span("main", 6 * MS, 7 * MS, SpanKind.RUNTIME, "launch")
    builder.span("gpu 0", 7 * MS, 12 * MS, SpanKind.KERNEL, "work", cause=launch)
    first = asked(analysed(builder.build()), 0, 12).rows[0]
    assert (first.name, first.row, first.track, first.line, first.start_us, first.end_us) == ("untraced", None, None, None, 0, 6_000)


def test_without_dependencies_there_is_no_path_but_a_note() -> None:
    session = drawn(WITHOUT_DEVICE)
    found = asked(session, 0, 10)
    assert (found.rows, found.total) == ([], 0)
    assert found.note != ""
    assert SLACK.make(session, SlackWanted(row=0)).slack_us is None


def test_what_is_not_there_is_refused() -> None:
    with pytest.raises(BadInput):
        asked(drawn(), 2, 1)
    with pytest.raises(BadInput):
        asked(drawn(), 0, 1, follow="worker9")
    with pytest.raises(NotThere):
        SLACK.make(drawn(), SlackWanted(row=1 << 30))
