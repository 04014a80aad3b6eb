"""Calls that send messages are found by their order: one before each message, the nearest where several names fit."""

from __future__ import annotations

import numpy as np

from analyses.timeline import MS, Timeline
from stepscope.analyses.breakdown import break_down
from stepscope.analyses.communication.senders import senders
from stepscope.model.profile import Profile, SpanKind


def sent(*, early: int = 0, skipped: int | None = None) -> Profile:
    """Twelve messages in a step, each after a call that sends it and one that prepares it; the first `early` calls come all at once."""
    line = Timeline()
    line.span("main", 0, 100 * MS, SpanKind.MARKER, "ProfilerStep#1", step=1)
    for message in range(12):
        at = 5 * message * MS
        line.span("main", at, at + MS, SpanKind.OP, "prepare")
        if message != skipped:
            begin = at + MS if message >= early else message * MS // 100
            line.span("main", begin, begin + MS // 200, SpanKind.OP, "send")
        line.span("network", at + 2 * MS, at + 4 * MS, SpanKind.COLLECTIVE, "allreduce", collective=("world", 2, message))
    return line.build()


def names(profile: Profile) -> list[str]:
    messages = np.flatnonzero(profile.spans.kind == SpanKind.COLLECTIVE).astype(np.int64)
    found = senders(profile, break_down(profile), messages)
    assert len(np.unique(found)) == len(found)
    return [profile.names[name] for name in profile.spans.name[found].tolist()]


def test_the_nearest_call_before_each_message_sends_it() -> None:
    assert names(sent()) == ["send"] * 12


def test_calls_that_come_all_at_once_send_nothing_one_by_one() -> None:
    assert names(sent(early=6)) == ["prepare"] * 12


def test_fewer_calls_than_messages_are_not_theirs() -> None:
    assert names(sent(skipped=4)) == ["prepare"] * 12


def test_without_messages_or_calls_there_is_nothing() -> None:
    profile = sent()
    assert len(senders(profile, break_down(profile), np.zeros(0, np.int64))) == 0
    alone = Timeline()
    alone.span("main", 0, 100 * MS, SpanKind.MARKER, "ProfilerStep#1", step=1)
    alone.span("network", MS, 2 * MS, SpanKind.COLLECTIVE, "allreduce", collective=("world", 2, 0))
    assert names(alone.build()) == []
