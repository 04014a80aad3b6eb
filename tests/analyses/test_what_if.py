"""Predictions on drawn profiles: ranges, bounds, refusals, floors and changes taken one after another."""

from __future__ import annotations

from dataclasses import replace

import pytest

from analyses.timeline import Timeline
from stepscope.analyses.what_if.calibration import WIDE, calibration
from stepscope.analyses.what_if.levers import LEVERS, Lever, LeverKind, parse_lever
from stepscope.analyses.what_if.moving import ALREADY_BESIDE, NOT_COUNTED, cores_in_use, workers_that_fit
from stepscope.analyses.what_if.prediction import (
    MAY_BE_SLOWER,
    NEVER_MEASURED,
    NOTHING_OF_IT,
    SERIAL,
    STEADY,
    UNPROVEN,
    Context,
    Prediction,
    plain_range,
    predict,
    real_bound,
    replay_context,
    unmeasured_text,
    widened,
)
from stepscope.analyses.what_if.unrecorded import NOT_RECORDED
from stepscope.model.errors import BadInput
from stepscope.model.profile import Profile, SpanKind

LETTER = 100_000
MS = 1_000_000


def drawn(picture: str, **names: str) -> Profile:
    return Timeline(LETTER).draw(picture, **names).build()


def letters(prediction: Prediction) -> tuple[float, float, float]:
    """Low, middle and high in letters."""
    assert prediction.low_ms is not None
    assert prediction.mid_ms is not None
    assert prediction.high_ms is not None
    return tuple(round(ms * MS / LETTER, 6) for ms in (prediction.low_ms, prediction.mid_ms, prediction.high_ms))  # type: ignore[return-value]


def asked(context: Context, *levers: str, after: tuple[str, ...] = ()) -> Prediction:
    return predict(
        context, [parse_lever(each, context.profiles) for each in levers], [parse_lever(each, context.profiles) for each in after]
    )


WAITS_FOR_INPUT = """
main   111111111122222222223333333333
main   iiiiil....iiiiil....iiiiil....
gpu 0        KKK.......KKK.......KKK
"""
ON_CPU = """
main   111111111122222222223333333333
main   iiiiiooooniiiiiooooniiiiioooon
"""


def test_removed_work_gives_a_range_by_what_measured_pairs_were_off() -> None:
    found = asked(replay_context([drawn(WAITS_FOR_INPUT)]), "input=0")
    known = calibration(serial=False)
    assert (found.kind, found.band, found.more, found.pairs) == (LeverKind.REMOVES, known.band, known.more, known.pairs)
    assert (found.weak, found.refused, found.baseline_ms) == (False, None, 1)
    assert letters(found) == pytest.approx((5 - 5 * known.more, 5, 10 - 5 * (1 - known.band)))


def test_a_range_does_not_reach_beyond_today() -> None:
    known = calibration(serial=False)
    expected = (9.5 - 0.5 * known.more, 9.5, 10 - 0.5 * (1 - known.band))
    assert letters(asked(replay_context([drawn(WAITS_FOR_INPUT)]), "input=0.9")) == pytest.approx(expected)


def test_what_no_typical_step_waits_for_changes_nothing() -> None:
    profile = drawn("""
        main   11111111112222222222333333333344444444445555555555pppppppppppppppp
        main   iiiiil....iiiiil....iiiiil....iiiiil....iiiiil....
        gpu 0        KKK.......KKK.......KKK.......KKK.......KKK
    """)
    found = asked(replay_context([profile]), "python=0")
    assert letters(found) == (10, 10, 10)
    assert found.band is None
    assert NOTHING_OF_IT in found.notes


@pytest.mark.parametrize(
    ("framework", "lever", "option"),
    [
        ("PyTorch", "python=0", "with_stack=True"),
        ("JAX", "python=0", "python_tracer_level=1"),
        ("", "python=0", "with_stack=True in PyTorch, python_tracer_level=1 in JAX"),
        ("TensorFlow", "python=0", "tf.profiler.experimental.Trace"),
        ("PyTorch", "gc=0", "record_python_gc_info=True"),
        ("PyTorch", "copies=0", "ProfilerActivity.CUDA"),
        ("TensorFlow", "compile=0", "host_tracer_level=2"),
    ],
)
def test_what_was_not_recorded_is_said_with_how_to_record_it(framework: str, lever: str, option: str) -> None:
    found = asked(replay_context([replace(drawn(WAITS_FOR_INPUT), framework=framework)]), lever)
    assert (found.low_ms, found.mid_ms, found.high_ms) == (None, None, None)
    assert found.refused is not None
    assert found.refused.startswith(NOT_RECORDED)
    assert option in found.refused


def test_input_that_was_not_recorded() -> None:
    profile = drawn("main   111122223333\nmain   oooooooooooo")
    for lever in ("input=0", "workers=2", "prefetch"):
        refused = asked(replay_context([profile], cores=8), lever).refused
        assert refused is not None
        assert "span_kinds.toml" in refused


def test_moved_work_may_slow_down_the_host() -> None:
    context = replay_context([drawn(WAITS_FOR_INPUT)], cores=8)
    found = asked(context, "workers=4")
    # A step shows 1 letter of launching and 1 in which nothing runs beside input and compute; the launch is hidden otherwise.
    exposed = (context.breakdowns[0].typical_ns - context.breakdowns[0].typical_parts[[0, 8]].sum()) / LETTER
    assert (found.kind, found.band) == (LeverKind.MOVES, None)
    assert letters(found) == pytest.approx((5, 5 + exposed / 2, 5 + exposed))
    assert exposed == 2


def test_moving_is_refused_without_free_cores() -> None:
    context = replay_context([drawn(WAITS_FOR_INPUT)], cores=4)
    assert cores_in_use(context.ranks, [Lever("workers")]) == pytest.approx(0.1)
    found = asked(context, "workers=4")
    assert (found.low_ms, found.mid_ms, found.high_ms, found.gain_ms) == (None, None, None, 0)
    assert found.refused is not None
    assert all(value in (found.refused or "") for value in ("0.1 cores", "4 needed", "3 workers"))
    assert asked(context, "workers=3").refused is None
    assert workers_that_fit(context.ranks, 4) == 3
    alone = asked(replay_context([drawn(WAITS_FOR_INPUT)], cores=1), "prefetch").refused
    assert alone is not None
    assert "no core is free" in alone


def test_moving_is_at_best_when_nobody_knows_the_cores() -> None:
    found = asked(replay_context([drawn(WAITS_FOR_INPUT)]), "workers=400")
    assert (found.kind, found.refused) == (LeverKind.AT_BEST, None)
    assert letters(found) == (5, 5, 5), "one bound"
    assert any("--cores" in note for note in found.notes)
    assert not any(NEVER_MEASURED in note for note in found.notes), "workers were measured"


def test_at_best_is_never_worse_than_today() -> None:
    profile = drawn("main   1111111111\nmain   wwwwwwwwwo")
    # One thread needs nine letters for the checkpoint of a step, on top of what comes back to cores that nobody knows.
    found = asked(replay_context([profile]), "checkpoint")
    assert found.kind is LeverKind.AT_BEST
    assert letters(found) == (9, 9, 9)
    busy = replay_context([drawn("main   1111111111\nmain   iiiiiiiiio")])
    assert letters(asked(busy, "workers=1")) == (9, 9, 9)


def test_at_best_says_which_change_was_never_measured() -> None:
    notes = asked(replay_context([drawn(WAITS_FOR_INPUT)]), "kernels=2x").notes
    assert [note.startswith(f"kernels was {NEVER_MEASURED} with a device") for note in notes] == [True]
    several = unmeasured_text(["kernels", "copies", "sync"], serial=True)
    assert several.startswith("kernels, copies and sync ")
    assert NEVER_MEASURED in several


def test_a_lever_that_was_never_measured_gives_one_bound() -> None:
    found = asked(replay_context([drawn(WAITS_FOR_INPUT)]), "kernels=2x")
    assert (found.kind, found.band, letters(found)) == (LeverKind.AT_BEST, None, (10, 10, 10))


def test_only_levers_with_a_pair_in_such_recordings_predict() -> None:
    """The one table: src/stepscope/analyses/what_if/calibration.json, which benchmarks/truth writes."""
    for serial in (True, False):
        known = calibration(serial=serial)
        assert 0 < known.band < 1
        assert known.pairs > 0
        assert {name for name in LEVERS if Lever(name).proven(serial=serial)} == {
            name for name, pairs in known.levers.items() if pairs and name in LEVERS
        }, "rules know levers that no user asks for"
    assert not Lever("kernels").proven(serial=False), "no faster kernel was ever measured"
    assert Lever("python").proven(serial=False), "the host's own time is played again as it is without a device"
    assert not Lever("op:matmul").proven(serial=True)


def test_a_lever_never_measured_on_a_device_is_no_surer_there() -> None:
    profile = drawn("""
        main   111111111122222222223333333333
        main   pppppl....pppppl....pppppl....
        gpu 0        KKK.......KKK.......KKK
    """)
    found, (here, without) = asked(replay_context([profile]), "python=0"), (calibration(serial=each) for each in (False, True))
    assert (found.kind, found.pairs) == (LeverKind.REMOVES, None)
    assert (found.band, found.more) == (max(here.band, without.band), max(here.more, without.more))
    assert any(UNPROVEN in note for note in found.notes)
    measured = asked(replay_context([drawn(WAITS_FOR_INPUT)]), "input=0")
    assert (measured.pairs, any(UNPROVEN in note for note in measured.notes)) == (1, False), "one recording counts once"


def test_each_change_starts_from_the_step_that_those_before_leave() -> None:
    profile = drawn("""
        main   111111111122222222223333333333
        main   iiiiil....iiiiil....iiiiil....
        gpu 0        KKKKKKKKK.KKKKKKKKK.KKKKKKKKK
    """)
    context = replay_context([profile])
    # Halved kernels end within the step that waits for input; once input is gone they are all that is left.
    assert letters(asked(context, "kernels=3x"))[0] == 10
    after = asked(context, "kernels=3x", after=("input=0",))
    together = asked(context, "input=0", "kernels=3x")
    assert after.baseline_ms == pytest.approx(asked(context, "input=0").mid_ms)
    assert after.low_ms == pytest.approx(together.low_ms)
    assert after.gain_ms > 0.2
    assert together.baseline_ms == 1
    assert together.kind is LeverKind.AT_BEST


def delayed(idle: int) -> Profile:
    """Three steps in which a kernel starts so many letters after all that allows it to."""
    builder = Timeline()
    length = 10 + idle
    for step in range(3):
        at = step * length * LETTER
        builder.span("main", at, at + length * LETTER, SpanKind.MARKER, f"ProfilerStep#{step}", step=step)
        for first, start in ((0, 1), (2, 3 + idle)):
            launch = builder.span("main", at + first * LETTER, at + (first + 1) * LETTER, SpanKind.RUNTIME, "launch")
            builder.span("gpu 0", at + start * LETTER, at + (start + 1) * LETTER, SpanKind.KERNEL, "k", cause=launch)
        builder.span("main", at + 4 * LETTER, at + (4 + idle) * LETTER, SpanKind.SYNC, "wait")
    return builder.build()


@pytest.mark.parametrize(("idle", "weak", "refused"), [(0, False, False), (1, True, False), (5, True, True)])
def test_the_replay_error_decides(idle: int, weak: bool, refused: bool) -> None:
    context = replay_context([delayed(idle)])
    # The delay goes, but for the 30 µs in which a call that waited may return.
    assert context.replay_error == pytest.approx(-idle / (10 + idle) if idle else 0, abs=0.04)
    found = asked(context, "kernels=2x")
    assert (found.refused is not None) == refused
    assert found.weak or refused or not weak
    if refused:
        # Two letters of kernels, halved, are what is left to claim.
        assert found.bound_ms == pytest.approx((10 + idle - 1) * LETTER / MS)


def test_few_steps_are_weak() -> None:
    found = asked(replay_context([drawn("main   11112222\nmain   iil.iil.\ngpu 0    KK..KK")]), "input=0")
    assert found.weak
    assert "Only 2 typical steps." in found.notes


def test_without_launches_nothing_is_predicted() -> None:
    context = replay_context([drawn("main   1111\ngpu 0  KKKK")])
    found = asked(context, "kernels=2x")
    assert (context.replay_error, found.mid_ms) == (None, None)
    assert found.refused is not None
    assert "launch" in found.refused
    assert found.bound_ms == pytest.approx(2 * LETTER / MS)


def test_impossible_times_are_refused() -> None:
    builder = Timeline(LETTER).draw(WAITS_FOR_INPUT)
    builder.span("main", -(1 << 61), 1 << 61, SpanKind.OP, "for ever")
    found = asked(replay_context([builder.build()]), "input=0")
    assert found.refused is not None
    assert "70 years" in found.refused


def test_cores_that_the_recording_tells() -> None:
    profile = replace(drawn(WAITS_FOR_INPUT), environment={"cpu_count": "4"})
    assert (replay_context([profile]).cores, replay_context([profile], cores=9).cores) == (4, 9)


def test_without_a_device_the_model_is_serial() -> None:
    context = replay_context([drawn(ON_CPU)])
    found = asked(context, "input=0")
    assert (context.serial, context.replay_error, context.replay_ms) == (True, None, None)
    known = calibration(serial=True)
    assert (found.band, found.more, found.pairs) == (known.band, known.more, known.pairs)
    assert letters(found) == pytest.approx((5 - 5 * known.more, 5, 10 - 5 * (1 - known.band)))
    assert f"Without a device: {SERIAL}." in found.notes
    assert letters(asked(context, "input=2x"))[1] == 7.5


def test_what_runs_beside_it_makes_the_range_wider() -> None:
    profile = drawn("""
        main   111111111122222222223333333333
        main   iiiii.....iiiii.....iiiii.....
        pool      ooooo.....ooooo.....ooooo
    """)
    low, middle, high = letters(asked(replay_context([profile]), "input=0"))
    # Of five letters of input, operations ran beside two.
    known = calibration(serial=True)
    assert (low, middle) == pytest.approx((5 - 5 * known.more, 6))
    assert 3 * known.band < 10 * STEADY, "of the three letters that are sure, the band may stay, or as much as equal steps differ"
    assert high == pytest.approx(10 - 3 + 10 * STEADY)


def test_on_a_cpu_moved_work_comes_back_on_the_cores() -> None:
    context = replay_context([drawn(ON_CPU)], cores=2)
    # A batch takes five letters, as long as the rest: it is not there sooner. The high end has what comes back on two cores.
    assert letters(asked(context, "workers=1")) == pytest.approx((5, 6.25, 7.5))
    assert asked(context, "workers=2").refused is not None


def test_input_is_not_faster_than_its_fastest_fetches() -> None:
    builder = Timeline()
    for step in range(10):
        at = step * 10 * LETTER
        builder.span("main", at, at + 10 * LETTER, SpanKind.MARKER, f"ProfilerStep#{step}", step=step)
        fetch = LETTER // 10 if step < 2 else LETTER
        builder.span("main", at, at + fetch, SpanKind.INPUT, "next")
        launch = builder.span("main", at + 2 * LETTER, at + 3 * LETTER, SpanKind.RUNTIME, "launch")
        builder.span("gpu 0", at + 3 * LETTER, at + 9 * LETTER, SpanKind.KERNEL, "k", cause=launch)
    context = replay_context([builder.build()])
    assert letters(asked(context, "input=0"))[1] == pytest.approx(9.1)


def test_merged_launches_still_cost_two_microseconds_each() -> None:
    profile = drawn("""
        main   111111111122222222223333333333
        main   olol......olol......olol
        gpu 0    KK........KK........KK
        gpu 0      K.........K.........K
    """)
    found = asked(replay_context([profile]), "launches=0")
    assert letters(found)[0] == pytest.approx(6 + 2 * 2_000 / LETTER)


def ranks(slow: int) -> list[Profile]:
    """Two ranks; one works so many letters before the collective, the other one letter."""
    found: list[Profile] = []
    for number, work in enumerate((1, slow)):
        builder = Timeline(rank=number, world_size=2, base_ns=1)
        for step in range(3):
            at = step * 10 * LETTER
            builder.span("main", at, at + 10 * LETTER, SpanKind.MARKER, f"ProfilerStep#{step}", step=step)
            builder.span("main", at, at + work * LETTER, SpanKind.PYTHON, "loop")
            come = at + work * LETTER
            for start, end, kind in ((0, 10_000, SpanKind.KERNEL), (20_000, at + 9 * LETTER - come, SpanKind.COLLECTIVE)):
                launch = builder.span("main", come + start, come + start + 5_000, SpanKind.RUNTIME, "launch")
                collective = ("world", 2, step) if kind == SpanKind.COLLECTIVE else None
                builder.span("gpu 0", come + start + 5_000, come + end, kind, kind.name, cause=launch, collective=collective)
            builder.span("main", come + 30_000, at + 9 * LETTER, SpanKind.SYNC, "wait")
        found.append(builder.build())
    return found


def test_a_straggler_brought_to_the_others() -> None:
    found = asked(replay_context(ranks(7)), "straggler=0")
    assert found.kind is LeverKind.REMOVES
    # Both ranks then come after one letter of work.
    assert letters(found)[1] == pytest.approx(4, abs=0.05)
    alone = asked(replay_context(ranks(7)[:1]), "straggler=0")
    assert alone.refused is not None
    assert "ranks" in alone.refused


def test_a_straggler_without_a_device() -> None:
    profiles = [
        Timeline(LETTER, rank=number, world_size=2).draw(picture).build()
        for number, picture in enumerate(("main   1111111111\nmain   ooCCCCCCCC", "main   1111111111\nmain   ppppppooCC"))
    ]
    low, middle, _ = letters(asked(replay_context(profiles), "straggler=0"))
    assert (low, middle) == pytest.approx((4 - 4 * calibration(serial=True).more, 4)), "of what is left, which is less than what goes"


def test_spans_by_name() -> None:
    profile = drawn("main   111111\nmain   l..l\ngpu 0   KKKKK\ngpu 0        LLLLL", K="gemm_a", L="other")
    context = replay_context([profile])
    # The other kernel then starts with its launch, a letter after the fourth.
    assert (letters(asked(context, "kernels=1"))[0], letters(asked(context, "kernel:gemm=0"))[0]) == (11, 9)
    assert asked(context, "kernel:gemm=2x").lever == "kernel:gemm=2x"
    assert asked(context, "kernel:gemm=2x").kind is LeverKind.AT_BEST


def test_an_operation_holds_what_is_inside_it_and_what_it_launched() -> None:
    builder = Timeline()
    builder.span("main", 0, 10 * LETTER, SpanKind.MARKER, "ProfilerStep#1", step=1)
    builder.span("main", 0, 4 * LETTER, SpanKind.OP, "outer")
    inner = builder.span("main", LETTER, 2 * LETTER, SpanKind.OP, "inner")
    launch = builder.span("main", LETTER, 2 * LETTER, SpanKind.RUNTIME, "launch")
    kernel = builder.span("gpu 0", 2 * LETTER, 9 * LETTER, SpanKind.KERNEL, "k", cause=launch)
    builder.span("main", 5 * LETTER, 6 * LETTER, SpanKind.OP, "another")
    profile = builder.build()
    lever = parse_lever("op:outer=0", [profile])
    assert lever.rows is not None
    assert {int(row) for row in lever.rows[0]} >= {inner.row, launch.row, kernel.row}
    assert len(lever.rows[0]) == 4
    assert letters(predict(replay_context([profile]), [lever]))[0] == 6


def test_steps_without_the_profiler_scale_the_result() -> None:
    context = replay_context([drawn(WAITS_FOR_INPUT)], unprofiled_ns=5 * LETTER)
    found = asked(context, "input=0")
    assert (found.baseline_ms, context.inflation) == (0.5, 1)
    assert letters(found)[1] == pytest.approx(2.5)
    assert any("Profiler overhead" in note for note in asked(context, "launches=0").notes)
    assert not any("Profiler cost" in note for note in found.notes)


@pytest.mark.parametrize(
    ("text", "factor", "shown"),
    [("input=0", 0, "input=0"), ("input", 0, "input=0"), ("kernels=2x", 0.5, "kernels=2x"), ("kernels=50%", 0.5, "kernels=2x"),
     ("comm=0.25", 0.25, "communication=4x"), ("kernels", 0.5, "kernels=2x"), ("op=3", 3, "op=3")],
)  # fmt: skip
def test_how_levers_are_written(text: str, factor: float, shown: str) -> None:
    lever = parse_lever(text, [])
    assert (lever.factor, lever.text) == (factor, shown)


@pytest.mark.parametrize(
    "text",
    ["", "nothing=0", "input=", "input=x", "input=-1", "kernels=0x", "input=1e99", "workers=1.5", "workers=9999", "input=1.2.3"],
)
def test_what_is_no_lever(text: str) -> None:
    with pytest.raises(BadInput) as refused:
        parse_lever(text, [])
    assert refused.value.message.endswith(".")


def test_a_name_that_nothing_has() -> None:
    with pytest.raises(BadInput, match="No kernel name contains 'zzz'"):
        parse_lever("kernel:zzz=2x", [drawn(WAITS_FOR_INPUT)])


def test_work_that_goes_on_beside_leaves_no_more_than_its_room() -> None:
    profile = drawn("""
        main   111111111122222222223333333333
        main   cccccccc..cccccccc..cccccccc..
        pool   oooo......oooo......oooo......
    """)

    def letters(cores: int | None, lever: Lever) -> tuple[float, float]:
        low, high = plain_range(replay_context([profile], cores=cores), [lever])
        return round(low * MS / LETTER, 6), round(high * MS / LETTER, 6)

    assert letters(8, Lever("compile")) == (4, 6), "compute runs four letters whatever is compiled"
    shared = pytest.approx((4 / 1.5, 6))
    assert letters(2, Lever("compile")) == shared, "on two cores compute took half as long again beside the compiler"
    assert letters(None, Lever("compile")) == shared, "as many are taken for granted"
    assert letters(2, Lever("compile", 0.5)) == (6, 8), "there is room for all of that"


def test_time_around_a_checkpoint_may_be_its_own() -> None:
    profile = drawn("""
        main   111111111122222222223333333333
        main   oooo..www.oooo..www.oooo..www.
    """)
    low, high = plain_range(replay_context([profile]), [Lever("io")])
    assert (round(low * MS / LETTER, 6), round(high * MS / LETTER, 6)) == (4, 5.5), "and half of it is, in all that was measured"


def test_what_the_profiler_cost_is_in_the_spans_it_recorded() -> None:
    profile = drawn(
        """
        main   111111111122222222223333333333
        main   oooopppppp..........oooopppppp
    """.replace("..........", "oooopppppp")
    )
    context = replay_context([profile], unprofiled_ns=5 * LETTER)
    low, high = plain_range(context, [Lever("python")])
    # Spread evenly: 4 of 10 letters become 2 of 5. By spans: one of two is Python's, and may cost twice the other; and of the six
    # letters of Python three may be tracing. That is all the profiler cost, so that the operation took its four letters without it too.
    assert (round(low * MS / LETTER, 6), round(high * MS / LETTER, 6)) == (2, 4)


def test_a_true_step_time_does_not_silence_what_has_few_spans() -> None:
    # One long function beside forty operations: what they cost the profiler is not the function's.
    line = Timeline(LETTER)
    for step in range(4):
        at = step * 100 * LETTER
        line.span("main", at, at + 100 * LETTER, SpanKind.MARKER, f"ProfilerStep#{step}", step=step)
        line.span("main", at, at + 20 * LETTER, SpanKind.PYTHON, "train.py(1): penalty")
        for place in range(40):
            begin = at + (20 + 2 * place) * LETTER
            line.span("main", begin, begin + 2 * LETTER, SpanKind.OP, "aten::mm")
    context = replay_context([line.build()], unprofiled_ns=80 * LETTER)
    low, high = plain_range(context, [Lever("python")])
    # Of the 20 letters that the profiler cost, the function has 2 parts of 42 by its spans, and up to half of its 20 by tracing.
    left = 80 - (1 - 2 / 42 - 10 / 20) * 20
    assert (round(low * MS / LETTER, 6), high * MS / LETTER) == (64, pytest.approx(left)), "not the 80 of today"


def test_a_range_that_reaches_beyond_today_says_so() -> None:
    found = asked(replay_context([drawn(LONG_INPUT)], cores=2), "workers=1")
    assert (letters(found)[2] > 10, found.notes[-1]) == (True, MAY_BE_SLOWER)
    assert MAY_BE_SLOWER not in asked(replay_context([drawn(LONG_INPUT)], cores=4), "workers=4").notes


def test_a_band_is_a_part_of_what_goes_and_of_what_is_left() -> None:
    assert widened(0.95, 0.95, 1.0, 0.2, 0.1, 0.0) == pytest.approx((0.945, 0.96)), "5 % of a step never bring 6 %"
    assert widened(0.1, 0.1, 1.0, 0.2, 0.1, 0.0) == pytest.approx((0.09, 0.28)), "what is left gets faster by a part of itself"
    assert widened(0.0, 0.0, 1.0, 0.2, 0.1) == pytest.approx((0.0, 0.2))
    assert widened(1.2, 1.2, 1.0, 0.2, 0.1) == pytest.approx((1.16, 1.24)), "what makes a step longer saves nothing"


def test_no_end_is_nearer_than_equal_steps_are_to_each_other() -> None:
    assert widened(0.9, 0.9, 1.0, 0.1, 0.1) == pytest.approx((0.9 - STEADY, 0.9 + STEADY))
    assert widened(0.1, 0.1, 1.0, 0.2, 0.1) == pytest.approx((0.1 - STEADY, 0.28)), "of a step that is nearly all one cause too"
    assert widened(0.98, 0.98, 1.0, 0.1, 0.1) == pytest.approx((0.97, 0.99)), "and by half of what goes at most"
    device = replay_context([drawn(WAITS_FOR_INPUT)])
    assert asked(device, "input=0").low_ms == pytest.approx(0.5 * (1 - calibration(serial=False).more)), "a replay has no such noise"


def test_a_bound_without_a_device_has_room_for_what_gets_faster() -> None:
    found = asked(replay_context([drawn(ON_CPU)]), "kernels=0")
    # Four of ten letters go; of the six that are left no more than a part of what goes gets faster.
    assert (found.kind, letters(found)) == (LeverKind.AT_BEST, pytest.approx((6 - 4 * WIDE,) * 3))
    assert real_bound(1.0, 1.0) == 1.0, "nothing goes, and nothing gets faster"


@pytest.mark.parametrize("picture", [WAITS_FOR_INPUT, ON_CPU])
@pytest.mark.parametrize("lever", ["input=0", "input=2x", "sync=0", "python=0", "op=0", "launches=0", "kernels=0"])
def test_no_lever_brings_much_more_than_the_time_of_its_spans(picture: str, lever: str) -> None:
    context = replay_context([drawn(picture)])
    found = asked(context, lever)
    if found.low_ms is None:
        return
    low, _ = plain_range(context, [parse_lever(lever, context.profiles)])
    known = calibration(serial=context.serial)
    left = 1 + (WIDE if found.kind is LeverKind.AT_BEST and context.serial else known.more)
    steady = STEADY * found.baseline_ms if context.serial else 0.0
    assert found.baseline_ms - found.low_ms <= (found.baseline_ms - low) * left + steady + 1e-12
    assert found.low_ms >= 0


def test_a_call_that_waits_for_the_input_of_another_thread_hides_nothing_of_it() -> None:
    """As Keras' fit: the function runs in the main thread while the executor's thread waits for the iterator."""
    context = replay_context(
        [
            drawn("""
        main      111111111122222222223333333333
        main      ffffffffffffffffffffffffffffff
        loader 1  iiiiiiiii.iiiiiiiii.iiiiiiiii.
    """)
        ]
    )
    assert plain_letters(context, "input") == (1, 1)


def test_python_is_hidden_by_a_framework_call_as_before() -> None:
    context = replay_context(
        [
            drawn("""
        main      111111111122222222223333333333
        main      pppppppp..pppppppp..pppppppp..
        backward  ffff......ffff......ffff......
    """)
        ]
    )
    assert plain_letters(context, "python") == (2, 6)


def plain_letters(context: Context, name: str, workers: int = 1) -> tuple[float, float]:
    """The range before any calibration, in letters."""
    low, high = plain_range(context, [Lever(name, workers=workers)])
    return round(low * MS / LETTER, 6), round(high * MS / LETTER, 6)


LONG_INPUT = """
main   111111111122222222223333333333
main   iiiiiiiioniiiiiiiioniiiiiiiion
"""


@pytest.mark.parametrize(("workers", "low", "high"), [(1, 8, 10), (2, 4, 6), (4, 2, 4), (8, 2, 4)])
def test_workers_bring_a_batch_no_sooner_than_they_make_it(workers: int, low: float, high: float) -> None:
    # A batch takes eight letters, the rest of a step two; on four cores two letters come back.
    context = replay_context([drawn(LONG_INPUT)], cores=4)
    assert plain_letters(context, "workers", workers) == (low, high)


def test_loading_ahead_alone_is_one_maker() -> None:
    context = replay_context([drawn(LONG_INPUT)], cores=4)
    assert plain_letters(context, "prefetch") == plain_letters(context, "workers", 1)
    assert letters(asked(context, "prefetch"))[0] == 8, "no band makes a batch come before it is made"


def test_on_a_device_a_batch_comes_no_sooner_than_it_is_made_either() -> None:
    profile = drawn("""
        main   111111111122222222223333333333
        main   iiiiiiil..iiiiiiil..iiiiiiil..
        gpu 0         KK........KK........KK.
    """)
    context = replay_context([profile], cores=16)
    assert letters(asked(context, "workers=1"))[0] == 7
    assert letters(asked(context, "workers=2"))[0] == 3.5
    assert letters(asked(context, "workers=4"))[0] == 3, "the rest of the step takes three"


def test_more_workers_than_there_are() -> None:
    names = {"i": "enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__", "p": "multiprocessing/queues.py(231): _feed"}
    picture = f"{LONG_INPUT.rstrip()}\nfeed 1  pppppppppppppppppppppppppppppp\nfeed 2  pppppppppppppppppppppppppppppp"
    context = replay_context([drawn(LONG_INPUT, **names)], cores=64)
    assert plain_letters(context, "workers", 2)[0] == 5, "who waits for one worker waits a whole step for a batch"
    assert NOT_COUNTED in asked(context, "workers=2").notes
    assert ALREADY_BESIDE in asked(context, "workers=1").notes
    assert letters(asked(context, "prefetch")) == (10, 10, 10)
    two = replay_context([drawn(picture.replace("main ", "main   "), **names)], cores=64)
    assert plain_letters(two, "workers", 4)[0] == 5, "two feeders are two workers"
    assert NOT_COUNTED not in asked(two, "workers=4").notes


def test_input_that_is_seen_to_sleep_needs_less_than_a_core() -> None:
    asleep = drawn(f"{LONG_INPUT.rstrip()}\nmain   .pppp......pppp......pppp.....", p="<built-in function sleep>")
    assert workers_that_fit(replay_context([asleep], cores=2).ranks, 2) == 3, "half of a batch is waiting"
    assert workers_that_fit(replay_context([drawn(LONG_INPUT)], cores=2).ranks, 2) == 1
