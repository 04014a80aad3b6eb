"""Cases of benchmarks/truth that are unlike the others: a cause that no recording shows, and a lever that only a rule knows."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "benchmarks"))

from analyses.timeline import MS, Timeline
from stepscope.analyses.what_if.prediction import plain_range, replay_context
from stepscope.model.profile import Profile, SpanKind
from truth.cases import CASES, Case
from truth.judging import failed
from truth.measure import counted, line
from truth.page import cells, summary
from truth.rule_levers import lever_of

UNTOLD = next(case for case in CASES if case.untold)
MESSAGES = 30


def row(told: bool, fired: list[str]) -> dict[str, Any]:
    timed = {"median_ms": 10.0, "spread": 0.02, "steps": 50}
    said = "In 35 % of a step nothing that was traced runs."
    facts = {"name": UNTOLD.name, "framework": UNTOLD.framework, "cause": UNTOLD.cause, "said": said, "before": timed, "after": timed}
    return {**facts, "untold": told, "fired": fired, "first": fired[0] if fired else None, "named_first": False}


def test_a_cause_that_no_recording_shows_is_right_when_nothing_is_promised() -> None:
    right, wrong = row(True, []), row(False, ["input_bound"])
    assert cells(right) == ["Python in the loop", "not recorded", "10.0", right["said"], "10.0", "yes", "2%"]
    assert (cells(wrong)[1], cells(wrong)[5]) == ("**not**: input bound", "**no**")
    found = counted([right])
    assert (found["causes"], found["named_first"], found["untold"]) == (0, 0, True), "it is none of those that could be named"
    assert "not recorded." in summary(found)
    assert "not recorded: **failed**" in summary(counted([right, wrong]))
    assert "cannot tell" in line({**right, "first": "slow_steps"})


def test_a_pair_that_failed_was_not_said_to_be_invisible() -> None:
    assert failed(UNTOLD, "it broke")["untold"] is False
    assert "untold" not in failed(Case("other", "torch", "something", ("input_bound",), "input=0"), "it broke")


def rank(number: int, messages: int) -> Profile:
    """Steps of 100 ms: 40 ms of compute, then so many messages of 4 KiB that take a millisecond each."""
    builder = Timeline(rank=number, world_size=2, base_ns=1_000_000_000_000)
    for step in range(4):
        at = step * 100 * MS
        builder.span("main", at, at + 100 * MS, SpanKind.MARKER, f"ProfilerStep#{step}", step=step)
        builder.span("main", at, at + 40 * MS, SpanKind.OP, "mm")
        for message in range(messages):
            start = at + (50 + message) * MS
            group = ("world", 2, step * messages + message)
            builder.span("network", start, start + MS, SpanKind.COLLECTIVE, "allreduce", collective=group, bytes=4096)
    return builder.build()


def test_the_lever_of_small_messages_is_what_the_rule_would_change() -> None:
    context = replay_context([rank(0, MESSAGES), rank(1, MESSAGES)], cores=2)
    low, high = plain_range(context, [lever_of("messages", context)])
    assert low == pytest.approx(100 - (MESSAGES - 1), abs=0.5), "one message of each step is left"
    assert low <= high <= 100


def test_where_the_rule_sees_nothing_the_pair_says_so() -> None:
    context = replay_context([rank(0, 2), rank(1, 2)], cores=2)
    with pytest.raises(ValueError, match=r"small_messages promises no time: .*\b2 messages"):
        lever_of("messages", context)
