"""Whatever a recording looks like, every rule and every table comes to an answer in any range of it, and two of them compare."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rules.any_profile import DEVICE, HOST, NAMES, drawn
from stepscope.analyses.compare.comparison import compare
from stepscope.analyses.compare.rows import CompareBy
from stepscope.analyses.idle_causes import idle_causes
from stepscope.analyses.input.pipeline import input_pipeline
from stepscope.analyses.ranges.chosen import choose
from stepscope.analyses.session.summary import summarise
from stepscope.analyses.work.kernels import kernels
from stepscope.analyses.work.modules import modules
from stepscope.analyses.work.operations import operations
from stepscope.analyses.work.transfers import transfers
from stepscope.model.errors import BadInput
from stepscope.rules.all_rules import ALL_RULES
from stepscope.rules.judge import judge

RANGES = st.sampled_from(["2:", ":3", "2", "typical", "skip-warmup", "3ms:15ms", "5.5ms:6.5ms", "0ns:1ns", "20ms:", "4:6"])


@pytest.mark.slow
@given(st.integers(1, 8), HOST, HOST, DEVICE, DEVICE, NAMES, RANGES)
def test_every_analysis_runs_on_any_range(
    steps: int, host: str, pool: str, first: str, second: str, names: dict[str, str], text: str
) -> None:
    whole = drawn(steps, host, pool, first, second, names)
    try:
        parts = choose([whole], text)
    except BadInput:  # the recording has no such steps or no such time, which test_ranges looks at
        return
    (part,) = parts
    found = summarise(parts)
    breakdown = found.breakdowns[0]
    assert abs(float(breakdown.parts.sum()) - float(breakdown.steps.length.sum())) < 1
    assert len(judge(found).findings) == len(ALL_RULES)
    for rows in (operations(part, breakdown, calls=True), kernels(part, breakdown), transfers(part, breakdown), modules(part)):
        assert isinstance(rows, list | tuple)
    idle_causes(part, breakdown)
    input_pipeline(part, breakdown)
    for by in CompareBy:
        against = compare(found, summarise([whole]), by)
        assert against.sentence.endswith(".")
