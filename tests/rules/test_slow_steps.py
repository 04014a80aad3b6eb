"""When slow steps are worth a word: never warm-up, never one that jitters, after everything that shortens every step."""

from __future__ import annotations

import pytest

from analyses.timeline import timeline
from rules.pictures import finding, judged, said_nothing, shown, training
from stepscope.model.profile import SpanKind
from stepscope.rules.rule import Verdict

BUSY = "main: l.........; gpu 0: .KKKKKKKKK"
STALLS = "main: l.........iiiiiiiiiiiiiiiiiiiiiiiiiiiiii; gpu 0: .KKKKKKKKK"
LATE = "main: l.........pppppppppp; gpu 0: .KKKKKKKKK"
WARM = "main: cccccccccccccccccccccccccccccccl.........; gpu 0: " + 32 * "." + "KKKKKKKKK"


def test_warm_up_never_counts() -> None:
    found = finding("slow_steps", training(WARM, WARM, *[BUSY] * 6))
    assert said_nothing(found)
    assert found == finding("slow_steps", training(*[BUSY] * 8)), "as if the steps had been there from the start"


def test_one_step_that_jitters_is_no_pattern() -> None:
    found = finding("slow_steps", training(*[BUSY] * 3, LATE, *[BUSY] * 4))
    assert said_nothing(found)
    assert "10 ms" in found.summary, "one of 20 ms among steps of 10"


def test_one_step_that_takes_far_longer_for_a_reason_is_said() -> None:
    found = finding("slow_steps", training(*[BUSY] * 3, STALLS, *[BUSY] * 4))
    assert found.verdict is Verdict.FIRES
    assert found.gain is not None
    assert (found.gain.low, found.gain.high, found.gain.of_recording) == (pytest.approx(0.3), pytest.approx(0.3), True)
    assert shown(found) == [(0, 40, 70)], "what it waits for, after the 10 ms that a step takes"
    assert all(value in found.summary for value in ("1 outlier step of 7", "30%", "input"))


def test_operations_that_were_held_up_now_and_then_are_only_noted() -> None:
    # Two of eight steps take 7 ms longer: 14 of 84 ms.
    held_up = "main: l.........ppppppp; gpu 0: .KKKKKKKKK"
    found = finding("slow_steps", training(*[BUSY] * 3, held_up, *[BUSY] * 3, held_up, BUSY))
    assert found.verdict is Verdict.NOTE
    often = finding("slow_steps", training(*[BUSY] * 3, LATE, LATE, *[BUSY] * 3, LATE))
    assert often.verdict is Verdict.FIRES


def test_what_shortens_every_step_comes_first() -> None:
    # Input is 30 % of every step, and two slow steps more than half of the recording.
    usual = "main: iiil......; gpu 0: ....KKKKKK"
    late = "main: iiil......" + "p" * 40 + "; gpu 0: ....KKKKKK"
    found = judged(training(usual, usual, late, usual, usual, late, usual, usual))
    assert [each.rule for each in found.of(Verdict.FIRES)] == ["input_bound", "slow_steps"]
    first, second = (each.gain for each in found.of(Verdict.FIRES))
    assert first is not None
    assert second is not None
    assert (first.of_recording, second.of_recording) == (False, True)
    assert second.low > first.low


def test_a_pipeline_that_loads_ahead_is_not_told_to() -> None:
    usual = "main: il........; loader 1: ffff; gpu 0: ..KKKKKKKK"
    stalls = "main: " + "i" * 30 + "l........; loader 1: ffff; gpu 0: " + "." * 31 + "KKKKKKKK"
    steps = (usual, usual, stalls, usual, usual, stalls, usual)
    ahead = {"f": "Iterator::Root::Prefetch::Map", "i": "Iterator::Root::Prefetch"}
    plain = {"f": "Iterator::Root::Map", "i": "Iterator::Root"}
    assert finding("slow_steps", training(*steps, names=plain)).code.tensorflow
    assert finding("slow_steps", training(*steps, names=ahead)).code.tensorflow == ""


@pytest.mark.parametrize("kind", [SpanKind.OP, SpanKind.FRAMEWORK])
def test_nothing_is_advised_where_nothing_is_known(kind: SpanKind) -> None:
    letter = {SpanKind.OP: "o", SpanKind.FRAMEWORK: "f"}[kind]
    late = f"main: l.........{letter * 10}; gpu 0: .KKKKKKKKK"
    found = finding("slow_steps", training(*[BUSY] * 3, late, late, BUSY, late))
    assert (found.code.tensorflow, found.code.pytorch, found.code.jax) == ("", "", "")


def test_a_recording_of_one_step_cannot_tell() -> None:
    found = finding("slow_steps", timeline("main  1111\nmain  l...\ngpu 0  KKK"))
    assert found.verdict is Verdict.CANNOT_TELL
