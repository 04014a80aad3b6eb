"""What the CUDA allocator's snapshot says becomes tables, whatever is missing or wrong in it."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import pytest

from formats.memory_snapshot.snapshot_data import example
from opened_profiles import open_profile
from sample_files import SAMPLES, needs
from stepscope.formats.memory_snapshot import FORMAT
from stepscope.formats.memory_snapshot.tables import NotASnapshot, snapshot_tables
from stepscope.model.errors import BadInput
from stepscope.model.memory_snapshot import AllocatorAction, BlockState, MemorySnapshot
from stepscope.model.profile import Profile

SAMPLE = "kineto/torch213_cpu/profile_snapshot.pickle"


def written(tmp_path: Path, data: object) -> str:
    path = tmp_path / "any name"
    path.write_bytes(pickle.dumps(data))
    return str(path)


def opened(tmp_path: Path, data: object) -> tuple[Profile, MemorySnapshot]:
    (profile,) = open_profile(written(tmp_path, data))
    assert profile.memory_snapshot is not None
    return profile, profile.memory_snapshot


def test_segments_and_blocks(tmp_path: Path) -> None:
    _, snapshot = opened(tmp_path, example())
    segments, blocks = snapshot.segments, snapshot.blocks
    assert (segments.bytes.tolist(), segments.allocated.tolist(), segments.active.tolist()) == ([1024], [512], [768])
    assert (segments.large.tolist(), segments.expandable.tolist()) == ([0], [0])
    assert blocks.address.tolist() == [1024, 1536, 1792]
    assert blocks.requested.tolist() == [500, -1, 256]
    assert blocks.state.tolist() == [BlockState.ALLOCATED, BlockState.FREE, BlockState.AWAITING_FREE]
    assert snapshot.stacks[blocks.stack[0]] == ("train.py:12 forward", "main")
    assert snapshot.settings == {"max_split_size": "-1"}


def test_events_and_the_out_of_memory(tmp_path: Path) -> None:
    profile, snapshot = opened(tmp_path, example())
    events = snapshot.events
    assert events.time.tolist() == [10_000, 20_000, 25_000, 30_000, 40_000, 50_000]
    assert events.action[-1] == AllocatorAction.OUT_OF_MEMORY
    assert (events.bytes[-1], events.free_bytes[-1]) == (1 << 40, 4096)
    assert snapshot.categories[events.category[1]] == "activation"
    assert events.stack[1] == events.stack[2], "one stack is kept once"
    assert profile.allocations.bytes.tolist() == [512, 256, -256], "memory is free when the stream is done with it"
    assert profile.allocations.time.tolist() == [10_000, 15_000, 30_000]
    assert (profile.base_ns, profile.window, len(profile.devices)) == (10_000, (0, 40_000), 1)


def test_without_times_the_order_is_kept(tmp_path: Path) -> None:
    data = example()
    for event in data["device_traces"][0]:
        del event["time_us"]
    profile, snapshot = opened(tmp_path, data)
    assert not snapshot.has_times
    assert snapshot.events.time.tolist() == list(range(6))
    assert "no_times" in {note.code for note in profile.notes}


def test_a_bare_list_of_segments_is_an_old_snapshot() -> None:
    assert snapshot_tables(example()["segments"], 100, 1_000)[0].segments.bytes.tolist() == [1024]


@pytest.mark.parametrize(
    "segments",
    [
        None,
        "text",
        [None, 5, "x", []],
        [{"blocks": "none", "address": "here", "total_size": 1 << 80, "device": -5}],
        [{"blocks": [None, {"size": -5, "state": 7, "frames": [None, 3, {"name": None}]}], "address": (1 << 64) - 1}],
    ],
)
def test_wrong_types_are_left_out(tmp_path: Path, segments: object) -> None:
    _, snapshot = opened(tmp_path, {"segments": segments, "device_traces": [[{"action": ["alloc"], "size": None}], "x"]})
    assert (snapshot.segments.device >= 0).all()
    assert (snapshot.blocks.bytes >= 0).all()


def test_shared_lists_cannot_blow_up() -> None:
    blocks = [{"size": 1, "state": "inactive"}] * 1000
    with pytest.raises(NotASnapshot, match="more than 5,000 blocks"):
        snapshot_tables({"segments": [{"blocks": blocks}] * 1000}, 5000, 1_000)


def test_bad_files_get_one_sentence(tmp_path: Path) -> None:
    path = tmp_path / "snapshot.pickle"
    path.write_bytes(pickle.dumps({"segments": [print]}))
    with pytest.raises(BadInput, match=r"snapshot\.pickle .*code"):
        FORMAT.read(str(path), _limits())
    path.write_bytes(pickle.dumps({"device_traces_but_not": 1, "segments_": 2}))
    with pytest.raises(BadInput, match="neither segments nor device_traces"):
        FORMAT.read(str(path), _limits())


def _limits() -> Any:
    from stepscope.formats.format import Limits

    return Limits()


@needs(SAMPLE)
def test_the_sample() -> None:
    (profile,) = open_profile(str(SAMPLES / SAMPLE))
    snapshot = profile.memory_snapshot
    assert snapshot is not None
    assert len(snapshot.events.time) == 733
    assert int(snapshot.blocks.bytes.sum()) == int(snapshot.segments.bytes.sum()) == 115_661_824


def test_sizes_and_devices_that_no_machine_has_cost_nothing(tmp_path: Path) -> None:
    huge = (1 << 63) - 1
    blocks = [{"size": huge, "state": "active_allocated"}, {"size": huge, "state": "active_allocated"}]
    segments = [
        {"device": 0, "address": 1024, "total_size": huge, "blocks": blocks},
        {"device": (1 << 31) - 1, "address": 9, "total_size": 8, "blocks": []},
        {"device": -4, "address": 9, "total_size": 8, "blocks": []},
    ]
    profile, snapshot = opened(tmp_path, {"segments": segments, "device_traces": [[{"action": "alloc", "addr": 1, "size": huge}]]})
    assert len(profile.devices) == 1
    assert snapshot.segments.bytes.tolist() == [1 << 50]
    assert snapshot.segments.active.tolist() == [1 << 50]
    assert snapshot.events.bytes.tolist() == [1 << 50]
