"""One threshold for all rules, gains one after the other, doubts first, and the counts."""

from __future__ import annotations

import re
from collections.abc import Sequence

import pytest

from rules.pictures import finding, judged, repeated, said_nothing, training, with_memory
from stepscope.analyses.session.summary import summarise
from stepscope.model.profile import Profile
from stepscope.rules.all_rules import ALL_RULES
from stepscope.rules.judge import CARDS, Judgement, judge
from stepscope.rules.judge_limits import FIRES, HOLDS, NOTES
from stepscope.rules.lever import ExposedTime, Lever, Predicted
from stepscope.rules.rule import GainKind, Verdict


def waiting(ms: int, of: int = 100) -> Profile:
    """Steps of so many milliseconds of which some are input."""
    return repeated(f"main: {'i' * ms}l; gpu 0: {'.' * (ms + 1)}{'K' * (of - ms - 1)}", 5)


def bound(profile: Profile) -> tuple[Verdict, float]:
    """The verdict on input by the breakdown alone, and the gain."""
    found = finding("input_bound", profile, bounds=True)
    assert found.gain is not None
    return found.verdict, round(found.gain.low, 4)


def test_the_threshold_is_on_the_gain() -> None:
    assert (FIRES, NOTES, HOLDS) == (0.03, 0.01, 0.6)
    assert bound(waiting(3)) == (Verdict.FIRES, 0.03)
    assert bound(waiting(2)) == (Verdict.NOTE, 0.02)
    assert bound(waiting(1)) == (Verdict.NOTE, 0.01)
    assert bound(waiting(1, of=101))[0] is Verdict.QUIET


def test_a_pattern_of_few_steps_is_no_pattern() -> None:
    waits, loaded = "main: iil.......; gpu 0: ...KKKKKKK", "main: ool.......; gpu 0: ...KKKKKKK"
    assert finding("input_bound", training(waits, waits, waits, loaded, loaded), bounds=True).verdict is Verdict.FIRES
    assert finding("input_bound", training(waits, waits, loaded, loaded, loaded), bounds=True).verdict is Verdict.QUIET


def test_gains_are_in_order_and_of_today_s_step() -> None:
    profile = repeated("main: ppiiil....; gpu 0: ......KKKK", 5)
    summary = summarise([profile])
    found = judge(summary, predictor=ExposedTime(summary))
    fired = [(each.rule, each.gain.low, each.step_ms) for each in found.of(Verdict.FIRES) if each.gain]
    # Five of ten milliseconds are left after both: each gain is of today's step, and the time is after those above.
    assert fired[0] == ("input_bound", pytest.approx(0.3), (7.0, 7.0))
    assert fired[1] == ("python_between_ops", pytest.approx(0.2), (5.0, 5.0))


def test_what_is_won_already_is_not_promised_again() -> None:
    # After the late rank has caught up, little of its Python is left to win.
    line = "main: pppppppppp; main: ..........oooooooooo"
    fast = "main: p.........; main: .oooooooooo"
    profiles = [training(*[step] * 5, rank=rank, world_size=2) for rank, step in enumerate((fast, line))]
    alone = finding("python_between_ops", profiles[1:], bounds=True)
    beside = finding("python_between_ops", profiles, bounds=True)
    assert alone.gain is not None
    assert beside.gain is not None
    assert alone.gain.low == pytest.approx(0.5)
    assert beside.gain.low < alone.gain.low / 2


def test_a_replay_gives_a_range_and_bounds_do_not() -> None:
    profile = repeated("main: iiil......; gpu 0: ....KKKKKK")
    replayed = finding("input_bound", profile, cores=8).gain
    assert replayed is not None
    assert (replayed.kind, replayed.low <= replayed.high) == (GainKind.MOVES, True)
    bounds = finding("input_bound", profile, bounds=True).gain
    assert bounds is not None
    assert (bounds.kind, bounds.low == bounds.high) == (GainKind.AT_BEST, True)


def test_without_a_free_core_the_input_has_to_become_cheaper() -> None:
    profile = repeated("main: iiiooooooo", 6)
    crowded = finding("input_bound", profile, cores=1)
    free = finding("input_bound", profile, cores=8)
    unknown = finding("input_bound", profile)
    assert "cheaper" in crowded.title
    assert free.title == unknown.title
    assert crowded.code != free.code


@pytest.mark.parametrize(("letter", "word"), [("w", "async_save"), ("i", "prefetch_factor"), ("g", "gc.freeze"), ("p", ""), ("f", "")])
def test_the_code_for_slow_steps_fits_the_part_that_grew(letter: str, word: str) -> None:
    usual, slow = (f"main: l.........{extra}; gpu 0: .KKKKKKKKK" for extra in ("", letter * 10))
    code = finding("slow_steps", training(usual, usual, usual, slow, usual, slow, usual)).code.pytorch
    assert word in code
    assert bool(code) == bool(word)


def test_a_change_that_nobody_has_measured_is_at_best() -> None:
    found = finding("host_bound", repeated("main: ol.ol.ol.; gpu 0: ..K..K..K"))
    assert found.gain is not None
    assert found.gain.kind is GainKind.AT_BEST
    assert found.gain.low == found.gain.high


def test_python_that_only_waits_for_the_device_is_no_python_to_remove() -> None:
    picture = "main: pppl......; gpu 0: ....KKKKKK"
    assert finding("python_between_ops", repeated(picture, names={"p": "train.py(3): augment"})).verdict is Verdict.FIRES
    for name in ("$api.py:3165 try_to_block", "torch/cuda/__init__.py(1031): synchronize"):
        assert said_nothing(finding("python_between_ops", repeated(picture, names={"p": name})))


@pytest.mark.parametrize("name", ["threading.py(604): wait", "<built-in method acquire of _thread.lock object at 0x7f>"])
def test_a_step_that_waits_for_a_thread_is_told_without_code(name: str) -> None:
    found = finding("python_between_ops", repeated("main: pppl......; gpu 0: ....KKKKKK", names={"p": name}))
    assert (found.verdict, found.code.pytorch) == (Verdict.FIRES, "")
    assert "thread" in found.title


class Ranged:
    """Says the same range of every change."""

    def __init__(self, low_ms: float, high_ms: float) -> None:
        self.step_ms, self.replay_error, self._range = 10.0, None, (low_ms, high_ms)

    def predict(self, lever: Lever, done: Sequence[Lever]) -> Predicted:
        return Predicted(10.0, *self._range, GainKind.REMOVES, weak=False, replayed=True)


@pytest.mark.parametrize(("low_ms", "verdict"), [(6.0, Verdict.FIRES), (9.2, Verdict.NOTE), (9.8, Verdict.QUIET)])
def test_a_wide_range_is_judged_near_its_low_end(low_ms: float, verdict: Verdict) -> None:
    """A cause that may be 40 % of a step is not kept silent because it may be nothing too."""
    summary = summarise([repeated("main: pppl......; gpu 0: ....KKKKKK", names={"p": "train.py(3): augment"})])
    found = judge(summary, predictor=Ranged(low_ms, 10.0))
    assert next(each for each in found.findings if each.rule == "python_between_ops").verdict is verdict


def test_doubts_about_the_recording_are_doubts_about_every_gain() -> None:
    sure, short = judged(waiting(30)), judged(repeated("main: iiil......; gpu 0: ....KKKKKK", 2))
    assert sure.doubts == ()
    assert ["2 typical steps" in doubt for doubt in short.doubts] == [True]
    assert all(each.gain.weak for each in short.of(Verdict.FIRES) if each.gain)


def numbers_of(text: str) -> list[int]:
    """Every number in a sentence."""
    return [int(number) for number in re.findall(r"\d+", text)]


def test_every_rule_is_counted_once() -> None:
    found = judged(waiting(30))
    counts = {verdict: len(found.of(verdict)) for verdict in Verdict}
    assert sum(counts.values()) == len(ALL_RULES)
    assert numbers_of(found.text) == [len(ALL_RULES), *(count for count in counts.values() if count)]
    assert [each.verdict for each in found.findings] == sorted((each.verdict for each in found.findings), key=list(Verdict).index)


def test_notes_are_counted_where_there_are_any() -> None:
    summary = summarise([waiting(2)])
    found = judge(summary, predictor=ExposedTime(summary))
    assert len(found.of(Verdict.NOTE)) == 1
    assert sum(numbers_of(found.text)[1:]) == numbers_of(found.text)[0] == len(ALL_RULES)


def test_at_most_three_are_shown() -> None:
    everything, slow = "main: iiipppccclo.; gpu 0: ..........KK", "main: iiipppccclo.wwwwwwwwwwww; gpu 0: ..........KK"
    found = judged(with_memory(training(*[everything] * 4, slow, everything), 1 << 20, 6, 12, capacity=1 << 30))
    assert len(found.of(Verdict.FIRES)) > CARDS
    assert found.cards == found.of(Verdict.FIRES)[:CARDS]


def inflated(profile: Profile, unprofiled_ms: float) -> Judgement:
    """All rules, with a median step that no profiler has recorded."""
    return judge(summarise([profile]), unprofiled_ns=unprofiled_ms * 1e6)


def test_the_profiler_s_cost_is_unknown_unless_other_steps_are() -> None:
    profile = repeated("main: pppl......; gpu 0: ....KKKKKK")
    assert judged(profile).inflation is None
    assert inflated(profile, 8.0).inflation == pytest.approx(0.25)


@pytest.mark.parametrize("unprofiled_ms", [0.5, 200.0])
def test_a_series_that_cannot_be_of_these_steps_is_not_believed(unprofiled_ms: float) -> None:
    assert inflated(waiting(30), unprofiled_ms).inflation is None


def test_promises_are_of_the_run_without_the_profiler() -> None:
    profile = waiting(30)
    recorded, known = judged(profile).cards[0], inflated(profile, 80.0).cards[0]
    assert recorded.gain is not None
    assert known.gain is not None
    assert recorded.step_ms is not None
    assert known.step_ms is not None
    assert known.gain.low == pytest.approx(recorded.gain.low)
    assert known.step_ms[0] == pytest.approx(0.8 * recorded.step_ms[0])


@pytest.mark.parametrize(("unprofiled_ms", "doubted"), [(9.0, False), (5.0, True)])
def test_gains_on_the_host_are_doubted_when_the_profiler_cost_much(unprofiled_ms: float, doubted: bool) -> None:
    found = inflated(repeated("main: pppl......; gpu 0: ....KKKKKK"), unprofiled_ms).cards[0]
    assert found.rule == "python_between_ops"
    assert found.gain is not None
    assert found.gain.weak is doubted
    assert any("Profiler overhead" in line.text for line in found.evidence) is doubted


def test_gains_of_the_input_are_not_the_profiler_s() -> None:
    found = inflated(waiting(30), 50.0).cards[0]
    assert (found.rule, found.gain is not None and found.gain.weak) == ("input_bound", False)


def test_a_special_case_is_shown_instead_of_the_rule_it_belongs_to() -> None:
    names = {"f": "Iterator::Root::Map", "i": "Iterator::Root"}
    found = judged(repeated("main: iiil......; loader 1: fff; gpu 0: ....KKKKKK", names=names))
    assert [each.rule for each in found.of(Verdict.FIRES)] == ["stage_not_parallel"]


def test_what_a_special_case_leaves_is_still_said() -> None:
    # Of the 24 milliseconds that slow steps cost 14 are a checkpoint's, ten are Python's.
    usual, saves, counts = (f"main: l.........{extra}; gpu 0: .KKKKKKKKK" for extra in ("", "w" * 14, "p" * 10))
    found = {each.rule: each.gain for each in judged(training(*[usual] * 5, saves, usual, counts, usual)).of(Verdict.FIRES)}
    assert set(found) == {"checkpoint_blocking", "slow_steps"}
    assert [gain.low for gain in found.values() if gain] == [pytest.approx(14 / 104), pytest.approx(10 / 104)]


def test_an_idle_device_is_said_where_no_rule_explains_it() -> None:
    alone = judged(repeated("main: l.........; gpu 0: .KKK......"))
    assert [each.rule for each in alone.cards] == ["device_idle"]
    assert alone.cards[0].gain is None
    assert all(word in alone.cards[0].evidence[0].text for word in ("6 ms", "1 gap"))
    explained = judged(repeated("main: iiiiiil...; gpu 0: .......KKK"))
    assert [each.rule for each in explained.cards] == ["input_bound"]
    quiet = next(each for each in explained.findings if each.rule == "device_idle")
    assert said_nothing(quiet)
    assert explained.cards[0].title in quiet.summary


def test_what_to_record_comes_first_where_more_is_unrecorded_than_any_change_gains() -> None:
    names = {"i": "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__", "o": "aten::mm"}
    dark, light = (repeated(f"main: {first}oooooo", names=names) for first in ("ii.....", "iiiiii."))
    found = judged(dark)
    assert [each.rule for each in found.cards] == ["device_idle", "input_bound"]
    assert "5 ms" in found.cards[0].promise
    assert "with_stack=True" in found.cards[0].promise
    assert [each.rule for each in judged(light).cards] == ["input_bound"]
    other = repeated("main: ..l.......; gpu 0: ...KKKKKKK")
    assert "device_idle" not in {each.rule for each in judged(other).cards}, "with a device a gap may be waiting for it"


def test_short_gaps_are_python_that_calls_operations_and_nobody_is_asked() -> None:
    many, one = "oooo." * 60, "o" * 240 + "." * 60
    found, asked = (judged(repeated(f"main: {picture}", names={"o": "aten::mm"})) for picture in (many, one))
    assert [each.rule for each in asked.cards] == ["device_idle"], "20 % of the step in one gap"
    assert "device_idle" not in [each.rule for each in found.cards], "20 % of the step in 60 gaps"


def test_what_to_record_depends_on_what_was_recorded() -> None:
    unknown = judged(repeated("main: l.........; gpu 0: .KKK......")).cards[0]
    assert "with_stack=True" in unknown.code.pytorch
    known = judged(repeated("main: l.........; main: ..p; gpu 0: .KKK......")).cards[0]
    assert "record_function" in known.code.pytorch


def test_every_special_case_names_a_rule() -> None:
    ids = {rule.id for rule in ALL_RULES}
    assert {rule.case_of for rule in ALL_RULES} - {""} <= ids
    assert not any(rule.case_of == rule.id for rule in ALL_RULES)


@pytest.mark.parametrize(("error", "kept"), [(-1.0, None), (0.62, None), (0.07, 0.07), (0.0, 0.0)])
def test_a_replay_that_is_far_from_the_step_has_no_error_to_print(error: float, kept: float | None) -> None:
    class Far(ExposedTime):
        @property
        def replay_error(self) -> float | None:
            return error

    summary = summarise([repeated("main: ooooo; gpu 0: .KK..")])
    found = judge(summary, predictor=Far(summary))
    assert found.replay_error == kept
    assert (
        len(found.doubts) == len(set(found.doubts)) == len(judge(summary, predictor=ExposedTime(summary)).doubts) + (abs(error) > 0.05)
    )
    assert not any(f"{100 * error:+.0f}%" in doubt for doubt in found.doubts) or kept is not None
