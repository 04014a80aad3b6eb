"""The table of kernels and data quality on drawn profiles."""

from __future__ import annotations

import pytest

from analyses.timeline import MS, Timeline, timeline
from stepscope.analyses.breakdown import break_down
from stepscope.analyses.session.data_quality import data_quality
from stepscope.analyses.work.kernels import KernelRow, KernelsBy, kernels, matrix_use
from stepscope.model.profile import Note, Profile, SpanKind


def table(profile: Profile, by: KernelsBy = KernelsBy.NAME) -> list[KernelRow]:
    return kernels(profile, break_down(profile), by)


def two_kernels() -> Timeline:
    return Timeline().draw(
        """
        main   1111111111
        main   l  l l
        gpu 0    KKKKLLKK
    """,
        K="void cutlass::Kernel<cutlass_80_tensorop_s1688gemm_64x64>(int)",
        L="void at::native::vectorized_elementwise_kernel<4>(int)",
    )


def test_counts_times_and_delays() -> None:
    gemm, add = table(two_kernels().build())
    assert (gemm.short, gemm.family, gemm.matrix_core, gemm.matrix_core_eligible) == (
        "cutlass_80_tensorop_s1688gemm_64x64",
        "matmul",
        True,
        True,
    )
    assert (gemm.count, gemm.total_ns, gemm.min_ns, gemm.max_ns, gemm.average_ns) == (2, 6 * MS, 2 * MS, 4 * MS, 3 * MS)
    assert (gemm.share, add.cumulative) == (pytest.approx(0.75), pytest.approx(1))
    # Launched at 0, 3 and 5, each call a millisecond long; started at 2, 6 and 8.
    assert (gemm.launch_delay_ns, add.launch_delay_ns) == (1.5 * MS, 2 * MS)
    assert (gemm.grid, gemm.block, gemm.registers, gemm.theoretical_occupancy) == ((1, 1, 1), (32, 32, 32), 64, 0.5)
    assert (gemm.achieved_occupancy, gemm.occupancy_from) == (None, ("recorded", ""))
    assert (add.matrix_core, add.family) == (False, "elementwise")


@pytest.mark.parametrize(
    ("by", "names"), [(KernelsBy.FAMILY, ["matmul", "elementwise"]), (KernelsBy.STREAM, ["gpu 0"]), (KernelsBy.OP, ["(no operation)"])]
)
def test_groups(by: KernelsBy, names: list[str]) -> None:
    rows = table(two_kernels().build(), by)
    assert [row.name for row in rows] == names
    assert sum(row.count for row in rows) == 3


def test_different_launches_of_a_kernel_are_rows_of_their_own_on_demand() -> None:
    profile = timeline("main   111\ngpu 0  K K")
    profile.kernels.grid[1] = (7, 1, 1)
    (both,) = table(profile)
    assert (both.grid, both.block) == (None, (32, 32, 32))
    assert {row.grid for row in table(profile, KernelsBy.LAUNCH)} == {(1, 1, 1), (7, 1, 1)}


def test_bytes_belong_to_an_operation_of_one_kernel_only() -> None:
    builder = Timeline()
    single, double = builder.op("single", bytes=100.0), builder.op("double", bytes=100.0)
    for run in range(3):
        builder.span("gpu 0", run * 100, run * 100 + 10, SpanKind.KERNEL, "a", op=single)
        builder.span("gpu 0", run * 100 + 20, run * 100 + 30, SpanKind.KERNEL, "b", op=double)
        builder.span("gpu 0", run * 100 + 40, run * 100 + 50, SpanKind.KERNEL, "c", op=double)
    assert {row.name: row.bytes for row in table(builder.build())} == {"a": 300, "b": None, "c": None}


def test_matrix_use_is_of_all_kernel_time() -> None:
    profile = timeline("main   1111\ngpu 0  KKLM", K="nvjet_tst_64x64", L="elementwise_kernel", M="attn_fwd")
    use = matrix_use(profile)
    assert (use.used, use.unknown) == (0.5, 0.25)


def test_no_kernels() -> None:
    profile = timeline("main   111")
    assert table(profile) == []
    assert matrix_use(profile).used == 0


class TestDataQuality:
    def test_a_good_recording_has_nothing_to_say(self) -> None:
        profile = timeline("""
            main   1111222233334444
            main   l   l   l   l
            gpu 0   KK  KK  KK  KK
        """)
        quality = data_quality([profile], [break_down(profile)])
        assert (quality.steps, quality.typical_steps, quality.unlinked, quality.weak) == (4, 4, 0, ())
        assert quality.first_step_may_hold_profiler_start

    def test_unlinked_work_few_steps_and_dropped_events(self) -> None:
        builder = Timeline(rank=1, world_size=4).draw("""
            main   11112222
            main   l
            gpu 0   KK  LLLL
        """)
        profile = builder.build()
        profile.notes.append(Note("warning", "dropped_events", "Some were dropped."))
        quality = data_quality([profile], [break_down(profile)])
        assert (quality.device_spans, quality.unlinked, quality.dropped_events) == (2, 1, True)
        assert quality.unlinked_share == pytest.approx(4 / 6)
        assert (quality.ranks, quality.missing_ranks) == ((1,), (0, 2, 3))
        values = ("2 typical steps", "67%", "missing")
        assert [value in reason for value, reason in zip(values, quality.weak, strict=True)] == [True] * 3

    def test_clocks_that_cannot_be_compared(self) -> None:
        ranks = [Timeline(rank=rank).draw("main   1234").build() for rank in (0, 1)]
        divided = [break_down(profile) for profile in ranks]
        (note,) = data_quality(ranks, divided).notes
        assert note.code == "clocks_not_compared"
        assert data_quality(ranks, divided, 7_000.0).notes == ()
        assert data_quality(ranks[:1], divided[:1]).notes == ()

    @pytest.mark.parametrize(("second", "said"), [("1234", "7 ms apart"), ("5678", None)])
    def test_equal_steps_tell_how_far_own_clocks_agree(self, second: str, said: str | None) -> None:
        pictures = ("1234", second)
        ranks = [
            Timeline(rank=rank, base_ns=10**18 + 7 * MS * rank).draw(f"main   {picture}").build()
            for rank, picture in enumerate(pictures)
        ]
        (note,) = data_quality(ranks, [break_down(profile) for profile in ranks]).notes
        assert ("apart" in note.text) is (said is not None)
        assert said is None or said in note.text

    def test_events_of_no_known_kind(self) -> None:
        profile = timeline("main   111222333444\nmain   xxxxxxxxx")
        (reason,) = data_quality([profile], [break_down(profile)]).weak
        assert reason.startswith("No event")

    def test_steps_that_were_guessed_from_kernels(self) -> None:
        profile = timeline("gpu 0  KLKLKLKLKL")
        assert data_quality([profile], [break_down(profile)]).weak[0].startswith("Steps are guessed")

    def test_no_marker(self) -> None:
        profile = timeline("main   oo")
        assert data_quality([profile], [break_down(profile)]).weak[0].startswith("No step marker was found")
