"""Two threads that want the interpreter at once, on drawn steps of which the shared time can be counted."""

from __future__ import annotations

import pytest

from analyses.timeline import MS
from rules.pictures import finding, judged, repeated
from stepscope.analyses.breakdown import break_down
from stepscope.analyses.host.interpreter import interpreter_contention
from stepscope.analyses.time_classes import TimeClass
from stepscope.model.profile import NONE, Profile
from stepscope.rules.rule import GainKind, Verdict

COUNTS = {"p": "metrics.py(8): count", "o": "aten::mm", "i": "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__"}


def both(picture: str, **names: str) -> tuple[dict[TimeClass, float], float, str]:
    """Milliseconds of a typical step that both want, by class, those of operations beside, and the function that has it."""
    profile: Profile = repeated(picture, names=COUNTS | names)
    found = interpreter_contention(profile, break_down(profile))
    name = "" if found.row == NONE else profile.names[profile.spans.name[found.row]]
    return {part: ns / MS for part, ns in found.takes.items()}, found.beside_ns / MS, name


def test_python_of_two_threads_takes_turns() -> None:
    takes, beside, name = both("main: ppppoooo..; other 1: ..pppppp..")
    assert takes == {TimeClass.PYTHON: 2}
    assert beside == 4, "while operations run nobody waits for the interpreter, but for a core"
    assert name == COUNTS["p"]


def test_a_loader_in_the_process_needs_the_interpreter_too() -> None:
    assert both("main: iiippooooo; other 1: .pppp.....")[0] == {TimeClass.INPUT: 2, TimeClass.PYTHON: 2}


@pytest.mark.parametrize(
    "name",
    [
        "<built-in function sleep>",
        "<built-in method acquire of _thread.lock object at 0x7f>",
        "threading.py(604): wait",
        "<built-in method write of _io.BufferedWriter object at 0x7f>",  # may have let the interpreter go
    ],
)
def test_who_waits_or_is_outside_of_python_has_not_the_interpreter(name: str) -> None:
    assert both("main: nnnnoooo..; main: pppp......; other 1: ..pppppp..", p=name)[0] == {}


def test_one_thread_has_the_interpreter_to_itself() -> None:
    assert both("main: ppppoooo..; other 1: ........pp") == ({}, 0.0, "")
    assert both("main: ppppoooo..") == ({}, 0.0, "")


def test_the_rule_names_the_other_thread_and_gives_a_bound() -> None:
    profile = repeated("main: pppppooooo; other 1: ppppppp...", names=COUNTS)
    found = finding("python_between_ops", profile, cores=2)
    assert found.verdict is Verdict.FIRES
    assert found.gain is not None
    assert found.gain.kind is GainKind.AT_BEST
    assert found.step_ms is not None
    # Without the 5 ms, and without what 2 ms of operations lost to the other thread on two cores.
    assert found.step_ms[0] < 5 - 2 / 3
    assert COUNTS["p"] in found.evidence[0].text
    assert "process" in found.code.pytorch.lower()
    assert judged(profile, 2).cards[0].rule == "python_between_ops"


def test_little_python_of_another_thread_is_no_contention() -> None:
    picture = "main: pppppppppooooooooooo; other 1: p..................."
    found = finding("python_between_ops", repeated(picture, names=COUNTS), cores=2)
    assert found.verdict is Verdict.FIRES
    assert found.gain is not None
    assert found.gain.kind is GainKind.REMOVES, "the step's own Python is what to change"
