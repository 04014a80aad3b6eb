"""Memory on hand-made tables with known answers: who holds what at the peak, pairs, layers, lifetimes, spikes and failed requests."""

from __future__ import annotations

import pickle
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from analyses.memory_tables import Event, with_allocations
from sample_files import SAMPLES, needs
from stepscope.analyses.memory.held import Lifetime, MemoryUse, largest, lifetimes, memory, spikes
from stepscope.analyses.memory.ledger import HELD_BEFORE, MatchedBy
from stepscope.analyses.memory.lives import Lives, pair_by_address, pair_by_likeness
from stepscope.analyses.memory.pressure import Cause
from stepscope.analyses.memory.stacks import operation_of, own_line_of
from stepscope.analyses.memory.timeline import OTHERS, StackedBy, memory_timeline, possible_stacks
from stepscope.analyses.steps import find_steps
from stepscope.formats.open_profile import read_file
from stepscope.model.profile import NONE, Counters, Profile, Track, TrackPurpose, TrackRole
from stepscope.session.parts.memory_devices import Rows, device_memory
from stepscope.session.parts.memory_texts import notes_on

TWO_STEPS = """
    main  11111111112222222222
    main  oo..ooo...oo..ooo...
"""


def lived(lives: Lives) -> list[tuple[int, int, int]]:
    return sorted(zip(lives.bytes.tolist(), lives.first.tolist(), lives.last.tolist(), strict=True))


def uses(profile: Profile) -> list[MemoryUse]:
    return memory(profile, find_steps(profile) if len(profile.spans) else None)


def the_use(profile: Profile) -> MemoryUse:
    (use,) = uses(profile)
    return use


def at_peak(use: MemoryUse) -> dict[str, int]:
    return {row.op: row.bytes for row in use.at_peak}


class TestPairs:
    def test_a_release_ends_what_was_at_its_address(self) -> None:
        lives = pair_by_address(np.array([1, 2, 1, 2]), np.array([10, 20, -10, -20]))
        assert lived(lives) == [(10, 0, 2), (20, 1, 3)]

    def test_what_is_never_released_lives_to_the_end(self) -> None:
        assert lived(pair_by_address(np.array([1]), np.array([10]))) == [(10, 0, 1)]

    def test_a_release_of_nothing_known_was_held_before(self) -> None:
        assert lived(pair_by_address(np.array([5, 1]), np.array([-7, 10]))) == [(7, NONE, 0), (10, 1, 2)]

    def test_an_address_handed_out_twice_was_released_in_between(self) -> None:
        lives = pair_by_address(np.array([1, 1, 1]), np.array([10, 30, -30]))
        assert (lived(lives), lives.lost) == ([(10, 0, 1), (30, 1, 2)], 1)

    def test_without_addresses_the_newest_of_its_size_is_released(self) -> None:
        change = np.array([8, 8, 4, -8, -4, -8])
        lives = pair_by_likeness([np.zeros(6, np.int64)], change)
        assert lived(lives) == [(4, 2, 4), (8, 0, 5), (8, 1, 3)]

    def test_only_what_is_alike_is_paired(self) -> None:
        lives = pair_by_likeness([np.array([1, 2, 1])], np.array([8, 8, -8]))
        assert lived(lives) == [(8, 0, 2), (8, 1, 3)]

    def test_more_releases_than_allocations(self) -> None:
        lives = pair_by_likeness([np.zeros(3, np.int64)], np.array([-8, 8, -8]))
        assert lived(lives) == [(8, NONE, 0), (8, 1, 2)]

    def test_no_events(self) -> None:
        none = np.zeros(0, np.int64)
        assert len(pair_by_address(none, none)) == len(pair_by_likeness([none], none)) == 0

    @given(st.lists(st.tuples(st.integers(0, 4), st.integers(-3, 3).filter(bool)), max_size=60))
    def test_pairs_are_those_of_a_plain_loop(self, events: list[tuple[int, int]]) -> None:
        address, change = (np.array([event[place] for event in events], np.int64) for place in (0, 1))
        open_at: dict[int, int] = {}
        piles: dict[tuple[int, int], list[int]] = {}
        by_address, by_likeness = dict.fromkeys(range(len(events)), len(events)), dict.fromkeys(range(len(events)), len(events))
        before: tuple[list[int], list[int]] = ([], [])
        for at, (where, size) in enumerate(events):
            pile = piles.setdefault((where, abs(size)), [])
            if where in open_at:
                by_address[open_at.pop(where)] = at
            elif size < 0:
                before[0].append(at)
            if size > 0:
                open_at[where] = at
                pile.append(at)
            elif pile:
                by_likeness[pile.pop()] = at
            else:
                before[1].append(at)
        taken = [at for at, (_, size) in enumerate(events) if size > 0]
        for lives, ends, old in (
            (pair_by_address(address, change), by_address, before[0]),
            (pair_by_likeness([address], change), by_likeness, before[1]),
        ):
            expected = [(events[at][1], at, ends[at]) for at in taken] + [(-events[at][1], NONE, at) for at in old]
            assert lived(lives) == sorted(expected)


def test_the_peak_and_who_holds_it() -> None:
    use = the_use(
        with_allocations(
            TWO_STEPS,
            [
                Event(1, 100, 1, "o", op="dense/MatMul", shape="[10,10]", dtype="float32"),
                Event(2, 50, 2, "o", op="dense/BiasAdd"),
                Event(3, -50, 2),
                Event(11, 100, 3, "o", op="dense/MatMul", shape="[10,10]", dtype="float32"),
                Event(15, 30, 4, "o", op="loss/Mean"),
                Event(16, -100, 1),
            ],
        )
    )
    assert (use.peak_bytes, use.peak_ns, use.peak_step, use.ledger.name) == (230, 15_000_000, 2, "host")
    rows = [(row.op, row.module, row.shape, row.dtype, row.bytes, row.count, row.first_step) for row in use.at_peak]
    assert rows == [("dense/MatMul", "dense", "[10,10]", "float32", 200, 2, 1), ("loss/Mean", "loss", "", "", 30, 1, 2)]


def test_what_was_there_before_is_told_by_totals_and_by_releases() -> None:
    events = [
        Event(1, 100, 1, "o", allocated=1100),
        Event(2, -300, 9, allocated=800),
        Event(3, -100, 1, allocated=700),
    ]
    assert at_peak(the_use(with_allocations(TWO_STEPS, events))) == {"o": 100, HELD_BEFORE: 1000}
    without_totals = [replace(event, allocated=NONE) for event in events]
    assert at_peak(the_use(with_allocations(TWO_STEPS, without_totals))) == {"o": 100, HELD_BEFORE: 300}


def test_totals_that_fall_short_of_what_was_allocated_say_that_releases_are_missing() -> None:
    events = [Event(1, 100, 1, "o", allocated=100), Event(2, 60, 2, "o", allocated=110)]
    use = the_use(with_allocations(TWO_STEPS, events))
    assert (use.peak_bytes, at_peak(use)) == (110, {"o": 110})
    assert len(list(notes_on(use.ledger))) == 2, "and that they are of the profile alone"
    stacked = memory_timeline(use.ledger, StackedBy.OP)
    assert np.sum([layer.bytes for layer in stacked.layers], axis=0).tolist() == stacked.level.tolist()
    assert min(int(layer.bytes.min()) for layer in stacked.layers) >= 0


def test_totals_below_zero_are_no_sizes() -> None:
    """As captures of TPUs have them, whose counting began in the middle of a run."""
    events = [
        Event(1, 100, 1, "o", device=0, allocated=100),
        Event(2, -(10 << 30), 9, device=0, allocated=100 - (10 << 30)),
        Event(3, -100, 1, device=0, allocated=-(10 << 30)),
    ]
    use = the_use(with_allocations(TWO_STEPS, events))
    assert at_peak(use) == {"o": 100, HELD_BEFORE: 10 << 30}
    assert use.peak_bytes == 100 + (10 << 30)
    stacked = memory_timeline(use.ledger, StackedBy.OP)
    assert stacked.level.min() >= 0
    assert min(int(layer.bytes.min()) for layer in stacked.layers) >= 0


def test_devices_and_the_host_are_memories_of_their_own() -> None:
    events = [Event(1, 10, 1, "o"), Event(2, 500, 1, "o", device=0, allocated=500, reserved=1000)]
    device, host = uses(with_allocations(TWO_STEPS, events, capacity=4000))
    assert (device.ledger.name, device.peak_bytes, device.ledger.capacity, device.fragmentation) == ("GPU 0 (Test)", 500, 4000, 0.5)
    assert (host.ledger.name, host.peak_bytes, host.ledger.capacity, host.fragmentation) == ("host", 10, 0, None)


def test_allocators_of_one_device_are_told_apart() -> None:
    events = [Event(1, 10, 1, allocator="a", allocated=10), Event(2, 5, 1, allocator="b", allocated=5)]
    assert [(use.ledger.name, use.peak_bytes) for use in uses(with_allocations(TWO_STEPS, events))] == [("host, a", 10), ("host, b", 5)]


def test_the_operation_that_a_user_knows_owns_what_is_allocated_inside() -> None:
    picture = """
        main  1111111111
        main  ffffffffff
        main  oooo..nnnn
        main  .xx...pp..
        main  ppp.......
    """
    events = [Event(1.5, 10, 1, "aten::empty"), Event(6.5, 20, 2, "python"), Event(9.5, 30, 3, "ProfilerStep#1")]
    profile = with_allocations(picture, events, f="call", o="aten::linear", x="aten::empty", n="Optimizer.step", p="python")
    assert at_peak(the_use(profile)) == {"aten::linear": 10, "call": 20, "unknown": 30}
    without_calls = with_allocations(
        picture.replace("f" * 10, "." * 10), events, o="aten::linear", x="aten::empty", n="step", p="python"
    )
    assert at_peak(the_use(without_calls)) == {"aten::linear": 10, "step": 20, "unknown": 30}


def test_layers_sum_to_the_level_and_the_peak_is_a_point() -> None:
    events = [Event(at, 10 * at, at, "o", op=f"scope{at % 3}/op{at}") for at in range(1, 13)] + [Event(13, -120, 12)]
    use = the_use(with_allocations(TWO_STEPS, events))
    assert possible_stacks(use.ledger) == (StackedBy.OP, StackedBy.MODULE)
    line = memory_timeline(use.ledger, StackedBy.OP, stretches=5, most_layers=3)
    assert [layer.name for layer in line.layers] == ["scope0/op12", "scope2/op11", "scope1/op10", OTHERS]
    assert np.array_equal(sum((layer.bytes for layer in line.layers), np.zeros_like(line.level)), line.level)
    assert (line.level[line.peak], use.peak_bytes) == (780, 780)
    assert len(line.time) <= 12
    modules = memory_timeline(use.ledger, StackedBy.MODULE)
    last = {layer.name: int(layer.bytes[-1]) for layer in modules.layers}
    assert last == {"scope0": 180, "scope2": 260, "scope1": 220}


def test_the_largest_tensors_tell_when_they_lived() -> None:
    events = [
        Event(1, 40, 1, "o", op="kept"),
        Event(4, 90, 2, "o", op="spike", shape="[9]"),
        Event(5, -90, 2),
        Event(12, -70, 3),
        Event(13, 60, 4, "o", op="late"),
        Event(14, 60, 5, "o", op="late"),
        Event(15, -60, 5),
    ]
    rows = largest(the_use(with_allocations(TWO_STEPS, events)), 3)
    assert [(row.op, row.shape, row.bytes, row.count, row.step, row.from_ns, row.until_ns, row.at_peak) for row in rows] == [
        ("spike", "[9]", 90, 1, 1, 4_000_000, 5_000_000, True),
        (HELD_BEFORE, "", 70, 1, None, None, 12_000_000, True),
        ("late", "", 60, 2, 2, 13_000_000, None, False),
    ]


def test_lifetimes() -> None:
    events = [
        Event(1, 10, 1, "o"),
        Event(2, -10, 1),
        Event(3, 20, 2, "o"),
        Event(12, -20, 2),
        Event(13, 30, 3, "o"),
        Event(14, -40, 4),
    ]
    rows = lifetimes(the_use(with_allocations(TWO_STEPS, events)))
    assert [(row.lifetime, row.count, row.bytes, row.median_ns) for row in rows] == [
        (Lifetime.IN_STEP, 1, 10, 1_000_000.0),
        (Lifetime.ACROSS, 1, 20, 9_000_000.0),
        (Lifetime.TO_THE_END, 1, 30, None),
        (Lifetime.BEFORE, 1, 40, None),
    ]


def test_spikes_are_what_an_operation_takes_and_gives_back() -> None:
    events = [
        Event(0.5, 10, 1, "op"),
        Event(4.5, 100, 2, "op"),
        Event(5.0, 30, 3, "op"),
        Event(5.5, -100, 2, "op"),
        Event(14.5, 50, 4, "op"),
        Event(15.5, -50, 4, "op"),
        Event(19, -10, 1),
    ]
    profile = with_allocations(TWO_STEPS, events, o="op")
    (spike,) = spikes(profile, the_use(profile))
    # Of the 130 bytes that were taken 30 stay.
    assert (spike.op, spike.bytes, spike.count, spike.time_ns, spike.step) == ("op", 100, 2, 4_500_000, 1)


def test_without_addresses_sizes_are_matched_and_it_is_said() -> None:
    use = the_use(with_allocations(TWO_STEPS, [Event(1, 10, around="o"), Event(2, -10)]))
    assert (use.ledger.matched_by, use.peak_bytes, lifetimes(use)[0].lifetime) == (MatchedBy.SIZE, 10, Lifetime.IN_STEP)


def test_a_recording_without_allocations_has_no_memory() -> None:
    assert uses(with_allocations(TWO_STEPS, [])) == []


@given(
    st.lists(
        st.tuples(st.integers(0, 5), st.integers(-50, 50).filter(bool), st.sampled_from(["", "a", "b/c"]), st.booleans()), min_size=1
    )
)
def test_what_is_held_at_the_peak_sums_to_the_peak(events: list[tuple[int, int, str, bool]]) -> None:
    made = [Event(at, size, address, device=0 if there else NONE, op=op) for at, (address, size, op, there) in enumerate(events)]
    for use in uses(with_allocations(TWO_STEPS, made)):
        assert sum(row.bytes for row in use.at_peak) == use.peak_bytes == use.ledger.level.max()
        for by in possible_stacks(use.ledger):
            line = memory_timeline(use.ledger, by, stretches=7, most_layers=2)
            assert np.array_equal(sum((layer.bytes for layer in line.layers), np.zeros_like(line.level)), line.level)
            assert line.level[line.peak] == use.peak_bytes


def snapshot(folder: Path, traces: list[dict[str, Any]], blocks: list[dict[str, Any]]) -> MemoryUse:
    segment = {"device": 0, "address": 1000, "total_size": 1000, "stream": 0, "blocks": blocks}
    path = folder / "snapshot.pickle"
    path.write_bytes(pickle.dumps({"segments": [segment], "device_traces": [traces]}))
    return the_use(read_file(str(path)))


FRAMES = [
    {"filename": "/lib/site-packages/torch/nn.py", "line": 3, "name": "linear"},
    {"filename": "train.py", "line": 7, "name": "step"},
]
BLOCKS = [
    {"address": 1000, "size": 400, "state": "active_allocated"},
    {"address": 1400, "size": 100, "state": "inactive"},
    {"address": 1500, "size": 200, "state": "active_allocated", "frames": FRAMES},
    {"address": 1700, "size": 300, "state": "inactive"},
]
TRACES = [
    {"action": "alloc", "addr": 1500, "size": 200, "frames": FRAMES, "time_us": 10, "category": "activation"},
    {"action": "alloc", "addr": 1700, "size": 250, "frames": FRAMES, "time_us": 20},
    {"action": "free_completed", "addr": 1700, "size": 250, "time_us": 30},
    {"action": "oom", "addr": 0, "size": 350, "device_free": 0, "time_us": 40},
]


def test_a_snapshot_tells_pieces_and_who_held_what(tmp_path: Path) -> None:
    use = snapshot(tmp_path, TRACES, BLOCKS)
    assert use.peak_bytes == 850
    assert {(row.op, row.module, row.kind): row.bytes for row in use.at_peak} == {
        ("torch/nn.py:3 linear", "train.py:7 step", "activation"): 200,
        ("torch/nn.py:3 linear", "train.py:7 step", ""): 250,
        ("without a recorded stack", "", ""): 400,
    }
    assert use.pieces is not None
    assert (use.pieces.reserved_bytes, use.pieces.free_bytes, use.pieces.largest_free_bytes) == (1000, 400, 300)
    assert use.fragmentation == 0.25
    assert use.ledger.reserved.tolist() == [1000] * 4


def test_a_request_that_failed_among_pieces_is_explained(tmp_path: Path) -> None:
    (failed,) = snapshot(tmp_path, TRACES, BLOCKS).out_of_memory
    assert (failed.asked_bytes, failed.device_free_bytes, failed.held_bytes, failed.reserved_bytes) == (350, 0, 600, 1000)
    assert (failed.largest_free_bytes, failed.cause) == (300, Cause.FRAGMENTED)
    assert failed.holders == (("without a recorded stack", 400), ("torch/nn.py:3 linear", 200))


def test_a_request_for_more_than_there_is_found_the_memory_full(tmp_path: Path) -> None:
    (failed,) = snapshot(tmp_path, [*TRACES[:3], {**TRACES[3], "size": 5000}], BLOCKS).out_of_memory
    assert failed.cause is Cause.FULL
    later = [*TRACES, {"action": "alloc", "addr": 1800, "size": 10, "time_us": 50}]
    assert snapshot(tmp_path, later, BLOCKS).out_of_memory[0].largest_free_bytes == NONE


def test_a_snapshot_without_history_is_one_moment(tmp_path: Path) -> None:
    use = snapshot(tmp_path, [], BLOCKS)
    assert (use.peak_bytes, len(use.ledger.time), lifetimes(use)[0].lifetime) == (600, 1, Lifetime.BEFORE)


def test_segments_that_came_later_are_not_reserved_before(tmp_path: Path) -> None:
    traces = [TRACES[0], {"action": "segment_alloc", "addr": 1000, "size": 600, "time_us": 15}, *TRACES[1:]]
    assert snapshot(tmp_path, traces, BLOCKS).ledger.reserved.tolist() == [400, 1000, 1000, 1000, 1000]


def test_counters_by_category_are_layers() -> None:
    profile = with_allocations(TWO_STEPS, [])
    first = len(profile.tracks)
    tracks = [Track(name, TrackRole.COUNTER, TrackPurpose.OTHER, "Memory", NONE, 0, 0, 0) for name in ("Parameter", "Gradient")]
    counters = Counters(
        track=np.array([first, first, first + 1, first + 1], np.int32),
        time=np.array([0, 5, 2, 7], np.int64),
        value=np.array([100.0, 150.0, 60.0, 0.0]),
    )
    use = the_use(replace(profile, tracks=[*profile.tracks, *tracks], counters=counters))
    assert (use.peak_bytes, at_peak(use)) == (210, {"Parameter": 150, "Gradient": 60})
    assert (use.ledger.matched_by, largest(use), lifetimes(use)) == (MatchedBy.SUMS, [], [])
    assert possible_stacks(use.ledger) == (StackedBy.KIND,)
    line = memory_timeline(use.ledger, StackedBy.KIND)
    assert {layer.name: layer.bytes.tolist() for layer in line.layers} == {
        "Parameter": [100, 100, 150, 150],
        "Gradient": [0, 60, 60, 0],
    }


@pytest.mark.parametrize(
    ("stack", "operation", "line"),
    [
        (("at::_ops::empty_strided::call(…)", "train.py:7 step"), "aten::empty_strided", "train.py:7 step"),
        (
            ("<built-in method zeros_like of type object at 0x7>", "torch/optim/adam.py(139): _init", "a.py(6): f"),
            "zeros_like",
            "a.py(6): f",
        ),
        (("/x/site-packages/jax/_src/core.py:5 bind", "/home/me/run.py:9 f"), "jax/_src/core.py:5 bind", "/home/me/run.py:9 f"),
        (("CUDACachingAllocator", "main"), "CUDACachingAllocator", ""),
        ((), "", ""),
    ],
)
def test_stacks_in_short(stack: tuple[str, ...], operation: str, line: str) -> None:
    assert (operation_of(stack), own_line_of(stack)) == (operation, line)


@needs("xplane")
@pytest.mark.parametrize(
    ("sample", "peaks"),
    [
        # What XProf 2.24 answers for the same files.
        ("xplane/tf_manual_steps/plugins/profile/*/*.xplane.pb", {"host": 9_437_184}),
        ("xplane/synthetic_cuda/plugins/profile/*/*.xplane.pb", {"GPU 0 (NVIDIA A100-SXM4-40GB)": 105_000_000}),
        ("xplane/mi300_jax_conv/*.xplane.pb", {"GPU 0": 1_730_171_904} | {f"GPU {place}": 1_732_169_984 for place in range(1, 8)}),
    ],
)
def test_peaks_of_samples_are_those_of_xprof(sample: str, peaks: dict[str, int]) -> None:
    (found,) = SAMPLES.glob(sample)
    assert {use.ledger.name: use.peak_bytes for use in uses(read_file(str(found)))} == peaks


class TestFromTheStart:
    def test_without_totals_bytes_are_counted_from_the_start_of_the_recording(self) -> None:
        events = [Event(1, 100, address=1, device=0), Event(5, 40, address=2, device=0)]
        profile = with_allocations(TWO_STEPS, events, capacity=1000)
        assert (the_use(profile).ledger.from_start, the_use(profile).peak_bytes) == (True, 140)
        row = device_memory(profile, the_use(profile), None, Rows(), {"worker": "", "host": "", "rank": None})
        assert (row.from_start, row.peak_bytes, row.capacity_bytes, row.peak_step, len(row.notes)) == (True, 140, 1000, 1, 1)

    def test_what_is_released_without_an_allocation_was_there_whatever_the_totals_say(self) -> None:
        events = [
            Event(1, 1_000, address=1, device=0, allocated=1_000),
            Event(5, -10_000, address=2, device=0, allocated=0),
            Event(6, 500, address=3, device=0, allocated=500),
        ]
        use = the_use(with_allocations(TWO_STEPS, events, capacity=20_000))
        assert (use.ledger.from_start, use.ledger.level.tolist()) == (True, [11_000, 1_000, 1_500])
        assert min(row.bytes for row in use.at_peak) > 0
        assert at_peak(use) == {HELD_BEFORE: 10_000, "unknown": 1_000}

    def test_totals_hold_what_was_there_before(self) -> None:
        profile = with_allocations(TWO_STEPS, [Event(1, 100, address=1, device=0, allocated=700)], capacity=1000)
        row = device_memory(profile, the_use(profile), None, Rows(), {"worker": "", "host": "", "rank": None})
        assert (row.from_start, row.peak_bytes, row.notes) == (False, 700, [])

    @pytest.mark.parametrize(("device", "first", "lower_bound"), [(NONE, 100, True), (NONE, 700, False), (0, 100, False)])
    def test_totals_of_the_host_that_begin_at_nothing_are_of_the_profile_alone(
        self, device: int, first: int, lower_bound: bool
    ) -> None:
        events = [
            Event(1, 100, address=1, device=device, allocated=first),
            Event(5, 40, address=2, device=device, allocated=first + 40),
        ]
        use = the_use(with_allocations(TWO_STEPS, events, capacity=1000))
        assert (use.ledger.from_start, use.peak_bytes) == (lower_bound, first + 40)
