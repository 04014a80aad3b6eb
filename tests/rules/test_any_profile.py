"""Whatever a recording looks like, every rule comes to a verdict, and no gain is more than the step."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analyses.timeline import Timeline
from rules.any_profile import DEVICE, HOST, NAMES, drawn
from rules.pictures import with_levels
from stepscope.analyses.session.summary import summarise
from stepscope.model.profile import Device, SpanKind
from stepscope.rules.all_rules import ALL_RULES
from stepscope.rules.judge import judge
from stepscope.rules.rule import Verdict

FRAMEWORKS = st.sampled_from(["", "PyTorch", "TensorFlow", "JAX"])
LEVELS = st.none() | st.tuples(*[st.integers(0, 1 << 40)] * 3)
ATTRIBUTES = st.fixed_dictionaries(
    {},
    optional={"parallelism": st.integers(-1, 4) | st.text(max_size=3), "autotune": st.text(max_size=5), "buffer_size": st.integers(-1)},
)


@given(st.integers(1, 8), HOST, HOST, DEVICE, DEVICE, NAMES, FRAMEWORKS, LEVELS, ATTRIBUTES)
def test_every_rule_comes_to_a_verdict(
    steps: int,
    host: str,
    pool: str,
    first: str,
    second: str,
    names: dict[str, str],
    framework: str,
    levels: tuple[int, int, int] | None,
    attributes: dict[str, object],
) -> None:
    profile = replace(drawn(steps, host, pool, first, second, names), framework=framework)
    if levels is not None:
        profile = with_levels(replace(profile, devices=[Device("Tesla V100", "GPU", 0) for _ in profile.devices]), *levels)
    found = judge(summarise([profile]), lambda _profile, _row: attributes)
    assert len(found.findings) == len(ALL_RULES)
    for each in found.findings:
        assert each.summary
        assert each.gain is None or 0 <= each.gain.low <= each.gain.high <= 1
        assert (each.verdict is Verdict.CANNOT_TELL) == bool(each.option)
        assert (each.verdict is Verdict.FIRES) <= bool(each.evidence)


def test_a_recording_of_nothing_is_quiet_or_unknown() -> None:
    line = Timeline()
    line.span("main", 0, 0, SpanKind.OTHER, "nothing")
    found = judge(summarise([line.build()]))
    assert {each.verdict for each in found.findings} <= {Verdict.QUIET, Verdict.CANNOT_TELL}


@pytest.mark.parametrize("name", ["\x1b[2J" * 40, "<script>" * 30, "a" * 5000])
@pytest.mark.parametrize("letter", "iopafngcw")
def test_long_and_hostile_names_fit_a_sentence(name: str, letter: str) -> None:
    line = Timeline().draw(
        f"main      111122223333\nmain      {letter}{letter}oo{letter}{letter}oo{letter}{letter}oo", **{letter: name}
    )
    found = judge(summarise([line.build()]))
    assert all(len(line.text) < 250 for each in found.findings for line in each.evidence)
    assert all(len(each.summary) < 300 for each in found.findings)
