"""Whatever a recording looks like, every rule comes to a verdict, and no gain is more than the step."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from analyses.timeline import ON_STREAMS, ON_THREADS, Timeline
from stepscope.analyses.summary import summarise
from stepscope.model.profile import Profile, SpanKind
from stepscope.rules.all_rules import ALL_RULES
from stepscope.rules.judge import judge
from stepscope.rules.rule import Verdict

HOST = st.text("".join(ON_THREADS) + "...", min_size=24, max_size=24)
DEVICE = st.text("".join(ON_STREAMS) + "...", min_size=24, max_size=24)


def drawn(steps: int, host: str, pool: str, first: str, second: str) -> Profile:
    width = 24 // steps
    markers = "".join(str(step + 1) * width for step in range(steps)).ljust(24, str(steps))
    lines = {"main": markers, "main ": host, "pool 1": pool, "gpu 0/7": first, "gpu 0/8": second}
    picture = [f"{name.strip():10}{letters}" for name, letters in lines.items() if letters.strip(".")]
    return Timeline().draw("\n".join(picture)).build()


@settings(max_examples=100, deadline=None)
@given(st.integers(1, 8), HOST, HOST, DEVICE, DEVICE)
def test_every_rule_comes_to_a_verdict(steps: int, host: str, pool: str, first: str, second: str) -> None:
    found = judge(summarise([drawn(steps, host, pool, first, second)]))
    assert len(found.findings) == len(ALL_RULES)
    for each in found.findings:
        assert each.summary
        assert each.gain is None or 0 <= each.gain.low <= each.gain.high <= 1
        assert (each.verdict is Verdict.CANNOT_TELL) == bool(each.option)


def test_a_recording_of_nothing_is_quiet_or_unknown() -> None:
    line = Timeline()
    line.span("main", 0, 0, SpanKind.OTHER, "nothing")
    found = judge(summarise([line.build()]))
    assert {each.verdict for each in found.findings} <= {Verdict.QUIET, Verdict.CANNOT_TELL}


@pytest.mark.parametrize("name", ["\x1b[2J" * 40, "<script>" * 30, "a" * 5000])
def test_long_and_hostile_names_fit_a_sentence(name: str) -> None:
    line = Timeline().draw("main      111122223333\nmain      iiooiiooiioo", i=name)
    found = next(each for each in judge(summarise([line.build()])).findings if each.rule == "input_bound")
    assert all(len(each.text) < 200 for each in found.evidence)
