"""JAX's memory profiles: what is held, by whom, on which device; and damage costs only what it hits."""

from __future__ import annotations

import gzip
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import event_bytes as eb
from formats.pprof.pprof_bytes import STRINGS, example, sample
from opened_profiles import open_profile
from stepscope.formats.format import Limits
from stepscope.formats.pprof import FORMAT
from stepscope.model.errors import BadInput, TooMuch
from stepscope.model.memory_snapshot import MemorySnapshot
from stepscope.model.profile import Profile

HERE = Path(__file__).parent


def opened(path: Path, data: bytes) -> tuple[Profile, MemorySnapshot]:
    path.write_bytes(data)
    (profile,) = open_profile(str(path))
    assert profile.memory_snapshot is not None
    return profile, profile.memory_snapshot


@pytest.mark.parametrize("packed", [bytes, gzip.compress])
def test_who_holds_what(tmp_path: Path, packed: Callable[[bytes], bytes]) -> None:
    profile, snapshot = opened(tmp_path / "any name", packed(example()))
    assert profile.format == FORMAT.id
    assert [device.name for device in profile.devices] == ["TFRT_CPU_0", "GPU:1"]
    assert snapshot.blocks.bytes.tolist() == [4096, 100]
    assert snapshot.blocks.count.tolist() == [3, 1]
    assert [snapshot.stacks[at] for at in snapshot.blocks.stack] == [("train.py:12 forward", "main"), ("main",)]
    assert snapshot.segments.bytes.tolist() == [4096, 100]
    assert profile.base_ns == 1_700_000_000_000_000_000


def test_cut_short_anywhere_it_is_a_part_or_one_sentence(tmp_path: Path) -> None:
    data = example()
    path = tmp_path / "memory.prof"
    for length in range(1, len(data)):
        path.write_bytes(data[:length])
        try:
            profile = FORMAT.read(str(path), Limits())
        except BadInput:
            continue
        assert {note.code for note in profile.notes} >= {"no_steps"}


def test_numbers_of_what_is_not_there_give_nothing(tmp_path: Path) -> None:
    types = eb.message(1, eb.integer(1, 1), eb.integer(2, 2)) + eb.message(1, eb.integer(1, 3), eb.integer(2, 4))
    strings = b"".join(eb.message(6, text) for text in STRINGS)
    _, snapshot = opened(tmp_path / "x", types + sample([77, 1 << 60], 9, 5, 1 << 40) + strings)
    assert snapshot.blocks.bytes.tolist() == [5]
    assert snapshot.stacks == [()]


def test_a_time_profile_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "cpu.prof"
    path.write_bytes(example().replace(b"bytes", b"ticks"))
    with pytest.raises(BadInput, match="only memory profiles"):
        FORMAT.read(str(path), Limits())


def test_a_bomb_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "memory.prof"
    path.write_bytes(gzip.compress(bytes(10_000_000)))
    with pytest.raises(TooMuch, match="limit of 1,000,000 bytes"):
        FORMAT.read(str(path), Limits(bytes=1_000_000))


@pytest.mark.peers
def test_a_profile_that_jax_saved(tmp_path: Path, run_in_peers: Callable[..., Any]) -> None:
    told = run_in_peers(HERE / "jax_memory.py", tmp_path)
    (profile,) = open_profile(str(tmp_path / "memory.prof"))
    snapshot = profile.memory_snapshot
    assert snapshot is not None
    assert told["bytes"] in snapshot.blocks.bytes.tolist()
    holder = snapshot.blocks.bytes.tolist().index(told["bytes"])
    assert any("make_the_large_one" in frame for frame in snapshot.stacks[snapshot.blocks.stack[holder]])
    assert profile.devices[snapshot.blocks.segment[holder]].name == told["device"]
