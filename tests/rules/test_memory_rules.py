"""Memory that does not suffice: requests that failed in a real snapshot's format, growth up to the limit, and what is no reason."""

from __future__ import annotations

import pickle
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rules.cases import BUSY
from rules.pictures import finding, judged, repeated, with_levels, with_memory
from rules.special_cases import making_room
from stepscope.formats.open_profile import read_file
from stepscope.model.profile import NONE, Profile
from stepscope.rules.rule import Verdict

MIB = 1 << 20
BLOCKS = [
    {"address": 1 * MIB, "size": 400 * MIB, "state": "active_allocated"},
    {"address": 401 * MIB, "size": 300 * MIB, "state": "inactive"},
    {"address": 701 * MIB, "size": 200 * MIB, "state": "active_allocated"},
    {"address": 901 * MIB, "size": 100 * MIB, "state": "inactive"},
]


def failing(folder: Path, asked: int) -> Profile:
    """A snapshot of an allocator that holds 1,000 MiB, 400 of them free, when a request fails."""
    segment = {"device": 0, "address": 1 * MIB, "total_size": 1000 * MIB, "stream": 0, "blocks": BLOCKS}
    traces: list[dict[str, Any]] = [
        {"action": "alloc", "addr": 701 * MIB, "size": 200 * MIB, "time_us": 10},
        {"action": "oom", "addr": 0, "size": asked, "device_free": 0, "time_us": 40},
    ]
    path = folder / "snapshot.pickle"
    path.write_bytes(pickle.dumps({"segments": [segment], "device_traces": [traces]}))
    return read_file(str(path))


def fired(profile: Profile) -> dict[str, str]:
    return {each.rule: each.summary for each in judged(profile).of(Verdict.FIRES)}


def test_a_request_that_failed_among_pieces_is_a_matter_of_pieces(tmp_path: Path) -> None:
    found = fired(failing(tmp_path, 350 * MIB))
    assert list(found) == ["memory_fragmented"]
    assert all(size in found["memory_fragmented"] for size in ("350 MiB", "400 MiB"))


def test_a_request_for_more_than_there_is_is_a_matter_of_memory(tmp_path: Path) -> None:
    profile = failing(tmp_path, 5000 * MIB)
    found = fired(profile)
    assert list(found) == ["near_memory_limit"]
    assert all(size in found["near_memory_limit"] for size in ("4.88 GiB", "600 MiB", "0 KiB"))
    lines = [line.text for line in finding("near_memory_limit", profile).evidence]
    assert ["600 MiB" in line for line in lines] == [True, True]


def test_memory_that_grows_near_the_limit_says_when_it_is_full() -> None:
    # One MiB more in each of six steps, of 6.5 MiB.
    found = finding("near_memory_limit", with_memory(repeated(BUSY), MIB, 6, 10, capacity=13 * MIB // 2))
    assert found.verdict is Verdict.FIRES
    assert any("1 MiB" in line.text and "1 step" in line.text for line in found.evidence)


@pytest.mark.parametrize(("allocated", "reserved"), [(50, 100), (97, 100)])
def test_memory_that_is_held_and_never_short_is_no_reason(allocated: int, reserved: int) -> None:
    assert fired(with_levels(repeated(BUSY), allocated * MIB, reserved * MIB, 100 * MIB)) == {}


def test_one_change_is_shown_for_allocations_and_the_others_have_nothing_left() -> None:
    rooms = judged(with_levels(making_room(), 50 * MIB, 90 * MIB, 100 * MIB))
    assert [each.rule for each in rooms.of(Verdict.FIRES)] == ["memory_fragmented"]
    assert finding("allocator_churn", making_room()).verdict is Verdict.FIRES


def test_memory_that_was_recorded_without_totals_is_not_said_to_be_missing() -> None:
    profile = with_memory(repeated(BUSY), MIB, 6, 10, capacity=8 * MIB)
    unknown = np.full(len(profile.allocations.time), NONE, np.int64)
    profile = replace(profile, allocations=replace(profile.allocations, allocated=unknown))
    found = finding("near_memory_limit", profile)
    assert found.verdict is Verdict.CANNOT_TELL
    assert "allocations" in found.summary
    assert "profile_memory" not in found.option
