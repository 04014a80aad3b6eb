"""Gains of rules are replays of the recording, and bounds where no replay knows the change."""

from __future__ import annotations

import pytest

from analyses.timeline import MS
from rules.pictures import repeated
from stepscope.analyses.session.summary import Summary, summarise
from stepscope.analyses.time_classes import TimeClass
from stepscope.analyses.what_if.calibration import WIDE
from stepscope.analyses.what_if.levers import parse_lever
from stepscope.analyses.what_if.prediction import predict, replay_context
from stepscope.rules.lever import Action, ExposedTime, Lever
from stepscope.rules.predictor import Replayed, replay_lever
from stepscope.rules.rule import GainKind


def of(step: str) -> tuple[Summary, Replayed]:
    summary = summarise([repeated(step)])
    return summary, Replayed(replay_context(summary.profiles, summary.breakdowns), ExposedTime(summary))


def test_a_change_is_the_lever_of_the_same_name() -> None:
    found = {action: replay_lever(Lever(action, {})) for action in Action}
    unknown = {action for action, lever in found.items() if lever is None}
    assert unknown == {Action.CORES, Action.GAPS, Action.INTERPRETER}
    assert {action: lever.name for action, lever in found.items() if lever is not None and lever.name != action.value} == {
        Action.HOST: "launches",
        Action.TRANSFER: "communication",
        Action.COPY: "async_copy",
        Action.ALLOCATOR: "alloc",
        Action.COMPILING: "compile",
        Action.SAVING: "io",
        Action.COLLECTING: "gc",
    }


def test_input_that_moves_is_loaded_by_workers() -> None:
    moved = replay_lever(Lever(Action.INPUT, {}, moves=True, workers=4))
    assert moved is not None
    assert (moved.name, moved.workers) == ("workers", 4)
    halved = replay_lever(Lever(Action.INPUT, {}, factor=0.5))
    assert halved is not None
    assert (halved.name, halved.factor) == ("input", 0.5)


def test_the_replay_says_what_the_picture_shows() -> None:
    summary, replayed = of("main: iiil......; gpu 0: ....KKKKKK")
    assert replayed.step_ms == pytest.approx(10)
    found = replayed.predict(Lever(Action.INPUT, {TimeClass.INPUT: 3.0 * MS}), [])
    assert found.replayed
    assert (found.before_ms, found.low_ms) == (pytest.approx(10), pytest.approx(7, abs=0.2))
    assert replayed.replay_error == pytest.approx(0, abs=0.05)
    assert ExposedTime(summary).replay_error is None


def test_what_no_replay_knows_has_a_bound() -> None:
    _, replayed = of("main: iiil......; gpu 0: ....KKKKKK")
    found = replayed.predict(Lever(Action.GAPS, {TimeClass.INPUT: 2.0 * MS}), [])
    assert (found.low_ms, found.high_ms, found.kind, found.replayed) == (pytest.approx(8), pytest.approx(8), GainKind.AT_BEST, False)


def test_a_change_of_next_to_nothing_is_not_replayed() -> None:
    _, replayed = of("main: iiil......; gpu 0: ....KKKKKK")
    tiny = replayed.predict(Lever(Action.INPUT, {TimeClass.INPUT: 0.004 * 10 * MS}), [])
    assert (tiny.replayed, tiny.low_ms) == (False, pytest.approx(9.96))


def test_a_bound_without_a_device_is_wider_than_what_it_is_judged_by() -> None:
    summary, predictor = of("main: oooooooogg")
    taken = Lever(Action.COLLECTING, {TimeClass.GC: 2 * MS}, rank=0)
    found = predictor.predict(taken, ())
    plain = ExposedTime(summary).predict(taken, ())
    assert (found.kind, found.firm_ms, plain.low_ms) == (GainKind.AT_BEST, pytest.approx(8), pytest.approx(8))
    assert found.low_ms == found.high_ms == pytest.approx(8 - 2 * WIDE)


def test_a_bound_without_a_device_leaves_room_for_what_lies_around_the_work() -> None:
    profile = repeated("main: ooooopp...")
    summary = summarise([profile])
    bounds = ExposedTime(summary)
    # Of ten letters five are operations; two of Python and three without any record may be there because of them.
    lever = Lever(Action.KERNELS, {TimeClass.COMPUTE: 0.4 * summary.typical_ns})
    assert bounds.around_ms(lever) == pytest.approx(0.5 * summary.typical_ns / 1e6)
    python = Lever(Action.PYTHON, {TimeClass.PYTHON: 0.2 * summary.typical_ns})
    assert bounds.around_ms(python) == pytest.approx(0.3 * summary.typical_ns / 1e6), "what the lever takes itself does not count twice"
    found = Replayed(replay_context([profile]), bounds).predict(Lever(Action.CORES, lever.takes), ())
    # The four letters go, four of the five around them may go along, and what is left gets faster by a quarter.
    assert (found.kind, found.low_ms / found.before_ms) == (GainKind.AT_BEST, pytest.approx(0.2 * (1 - WIDE)))
    assert found.firm_ms == pytest.approx(0.6 * found.before_ms), "whether it is worth a word is judged without them"


@pytest.mark.parametrize("unprofiled_ms", [10, 5])
def test_a_bound_leaves_room_for_what_the_work_slows_down(unprofiled_ms: int) -> None:
    profile = repeated("main: oooooooooo")
    summary = summarise([profile])
    predictor = Replayed(replay_context([profile], unprofiled_ns=unprofiled_ms * MS), ExposedTime(summary))
    found = predictor.predict(Lever(Action.INTERPRETER, {TimeClass.COMPUTE: 4 * MS}, relieves_ns=1 * MS), ())
    # Of ten letters four go, one gets shorter, and what is left gets faster by a quarter.
    assert found.low_ms / found.before_ms == pytest.approx(0.5 * (1 - WIDE))
    assert (found.before_ms, found.firm_ms) == (pytest.approx(unprofiled_ms), pytest.approx(0.6 * unprofiled_ms))


@pytest.mark.parametrize("unprofiled_ms", [10, 5])
def test_a_bound_without_a_device_is_no_higher_than_the_model_has_it(unprofiled_ms: int) -> None:
    # For four of its six letters allocation runs beside an operation, which may be shorter without it: the breakdown gives it two.
    profile = repeated("main: aaaaaaoooo; pool 1: oooo......")
    context = replay_context([profile], unprofiled_ns=unprofiled_ms * MS)
    lever = Lever(Action.ALLOCATOR, {TimeClass.ALLOC: 2 * MS})
    found = Replayed(context, ExposedTime(summarise([profile]))).predict(lever, ())
    modelled = predict(context, [parse_lever("alloc=0", [profile])]).low_ms
    assert modelled is not None
    assert found.low_ms == pytest.approx(modelled)
    assert found.low_ms < 0.75 * unprofiled_ms, "which the two letters and what gets faster would give"
