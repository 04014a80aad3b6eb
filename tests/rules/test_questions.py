"""What people ask of a profiler has a rule that answers it, shown on a training that has the fault."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from rules.cases import FIRST_CASES, SGEMM, V100, WAITED_FOR, Case, Make
from rules.pictures import judged, repeated, with_levels
from rules.special_cases import ON_THE_HOST, QUEUED, SPECIAL_CASES, computing, making_room
from stepscope.rules.rule import Verdict

RECEIVES = f"main: l.l.{'s' * 36}o; gpu 0: .{'H' * 12}{'K' * 27}."


@dataclass(frozen=True)
class Question:
    """What is asked, a training with the fault, and the rule that has to come first."""

    asked: str
    make: Make
    rule: str


QUESTIONS = [
    Question("input bound", lambda: repeated("main: iiil......; gpu 0: ....KKKKKK"), "input_bound"),
    Question("low use of the hardware: too little work", lambda: repeated("main: ol.ol.ol.; gpu 0: ..K..K..K"), "host_bound"),
    Question("low use of the hardware: wrong units", lambda: repeated(WAITED_FOR, names=SGEMM, **V100), "matrix_units_unused"),
    Question("transfer bound: to the device", lambda: repeated(RECEIVES), "host_to_device_exposed"),
    Question("transfer bound: to the host", lambda: repeated("main: l.l.sssssso; gpu 0: .KKKKKKDDD."), "device_to_host_exposed"),
    Question("near the memory limit", lambda: with_levels(making_room(), 95 << 20, 100 << 20, 100 << 20), "near_memory_limit"),
    Question("many small kernels: queued", lambda: repeated(QUEUED, unit=1_000), "many_small_kernels"),
    Question("many small kernels: launched too slowly", lambda: repeated("main: ol.ol.ol.; gpu 0: ..K..K..K"), "host_bound"),
    Question("slow operators", lambda: computing("Tesla V100", 3.0), "slow_operator"),
    Question("transfers: there and back", lambda: repeated(ON_THE_HOST), "wrong_device"),
    Question(
        "underused hardware: waiting inside the step",
        lambda: repeated("main: l.ssss..oool....; gpu 0: .KKKKK......KKKK"),
        "sync_inside_step",
    ),
    Question(
        "underused hardware: nothing that was traced runs", lambda: repeated("main: l.........; gpu 0: .KKK......"), "device_idle"
    ),
    Question("inefficient memory allocation", lambda: repeated("main: aaal......; gpu 0: ....KKKKKK"), "allocator_churn"),
    Question("memory in pieces", lambda: with_levels(making_room(), 50 << 20, 90 << 20, 100 << 20), "memory_fragmented"),
    Question("Python overhead", lambda: repeated("main: pppl......; gpu 0: ....KKKKKK"), "python_between_ops"),
]


@pytest.mark.parametrize("question", QUESTIONS, ids=lambda question: question.asked)
def test_the_rule_that_answers_comes_first(question: Question) -> None:
    fired = judged(question.make()).of(Verdict.FIRES)
    assert [each.rule for each in fired[:1]] == [question.rule]


@pytest.mark.parametrize(
    "case", [each for each in [*FIRST_CASES, *SPECIAL_CASES] if each.verdict is Verdict.FIRES], ids=lambda case: case.rule
)
def test_gains_of_all_rules_together_are_less_than_the_step(case: Case) -> None:
    fired = [each for each in judged(case.make(), case.cores).of(Verdict.FIRES) if each.step_ms is not None and each.gain]
    assert sum(each.gain.low for each in fired if each.gain) <= 1
    assert [each.step_ms for each in fired] == sorted((each.step_ms for each in fired if each.step_ms), reverse=True)
