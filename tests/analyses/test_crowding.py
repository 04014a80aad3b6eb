"""Loading beside the step that takes its cores: what it costs in drawn steps, what removing it saves, and when it is recommended."""

from __future__ import annotations

import pytest

from analyses.timeline import MS
from rules.pictures import finding, repeated
from stepscope.analyses.breakdown import break_down
from stepscope.analyses.what_if.calibration import calibration
from stepscope.analyses.what_if.crowding import crowding
from stepscope.analyses.what_if.levers import parse_lever
from stepscope.analyses.what_if.prediction import STEADY, predict, replay_context
from stepscope.model.profile import Profile
from stepscope.rules.rule import Verdict

NAMES = {"i": "Iterator::Root", "f": "Iterator::Root::Prefetch", "o": "MatMul"}
"""The iterator of the step waits for a stage that works ahead on another thread."""
LOADED = "main: iioooooooo; main: ff........; loader 1: oooooooooo"


def drawn(picture: str) -> Profile:
    return repeated(picture, names=NAMES)


@pytest.mark.parametrize(
    ("picture", "cores", "beside", "cost"),
    [
        (LOADED, 2, 8, 1.0),
        (LOADED, 1, 8, 1.0),
        (LOADED, 3, 8, 0.0),  # a core is free
        (LOADED, None, 0, 0.0),
        (LOADED.replace("oooooooooo", "oooo......"), 2, 2, 1.0),
        (LOADED.replace("oooooooooo", "ff........"), 2, 0, 0.0),  # a stage that waits for another
        (f"{LOADED}; pool 1: ..oooooooo", 3, 8, 0.5),  # two compute and one loads
        ("main: iil.......; main: ff........; loader 1: oooooooooo; gpu 0: ...KKKKKKK", 2, 0, 0.0),
    ],
)
def test_loading_slows_the_step_only_where_it_takes_the_last_core(picture: str, cores: int | None, beside: int, cost: float) -> None:
    profile = drawn(picture)
    found = crowding(profile, break_down(profile), cores)
    assert (found.beside_ns / MS).tolist() == pytest.approx([beside] * 6)
    assert found.cost == cost
    assert (found.freed_ns / MS).tolist() == pytest.approx([beside * cost / (1 + cost)] * 6)


def test_without_input_the_step_has_its_cores_to_itself() -> None:
    profile = drawn(LOADED)
    found = predict(replay_context([profile], cores=2), [parse_lever("input=0", [profile])])
    known = calibration(serial=True)
    # At most the wait of 2 ms and half of the rest go, at least the wait.
    assert found.low_ms == pytest.approx(4 - max(STEADY * 10, known.more * 4))
    assert found.high_ms == pytest.approx(8 + max(STEADY * 10, known.band * 2))
    half = predict(replay_context([profile], cores=2), [parse_lever("input=0.5", [profile])])
    assert half.mid_ms == pytest.approx((10 - (2 + 4) / 2 + 10 - 2 / 2) / 2)


def test_what_is_unsure_of_one_change_is_no_gain_of_the_next() -> None:
    profile = drawn("main: iiooooooop; main: ff........; loader 1: oooooooooo")
    levers = [parse_lever(each, [profile]) for each in ("input=0", "python=0")]
    found = predict(replay_context([profile], cores=2), levers[1:], levers[:1])
    assert found.baseline_ms == pytest.approx(6), "4 to 8 ms"
    assert found.mid_ms == pytest.approx(5)
    assert found.low_ms is not None
    assert found.low_ms >= 4.5, "1 ms of Python goes at most, and half of that for what is measured"


def test_loading_that_takes_the_cores_is_made_cheaper() -> None:
    found = finding("input_bound", drawn(LOADED), 2)
    assert found.verdict is Verdict.FIRES
    assert "num_parallel_calls" not in found.code.tensorflow, "no worker finds a core"
    assert "80%" in found.summary
    assert "80%" not in finding("input_bound", drawn(LOADED), 8).summary


@pytest.mark.parametrize(("loads", "verdict"), [(50, Verdict.FIRES), (10, Verdict.NOTE)])
def test_a_step_that_hardly_waits_is_told_when_loading_runs_beside_most_of_it(loads: int, verdict: Verdict) -> None:
    profile = drawn(f"main: i{'o' * 49}; main: f{'.' * 49}; loader 1: {('o' * loads).ljust(50, '.')}")
    assert finding("input_bound", profile, 2).verdict is verdict


@pytest.mark.parametrize(("letters", "told"), [(1, False), (2, True)])
def test_only_a_wait_that_is_worth_a_word_is_in_the_summary(letters: int, told: bool) -> None:
    waits, rest = "i" * letters, 150 - letters
    profile = drawn(f"main: {waits}{'o' * rest}; main: {'f' * letters}{'.' * rest}; loader 1: {'o' * 150}")
    found = finding("input_bound", profile, 2)
    assert found.verdict is Verdict.FIRES
    assert ("waits for input" in found.summary, "loading" in found.summary) == (told, True)
