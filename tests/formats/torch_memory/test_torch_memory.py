"""torch.profiler's memory timelines: bytes of every category at every moment, from both forms of the file."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from opened_profiles import open_profile
from sample_files import SAMPLES, needs
from stepscope.formats.format import Limits
from stepscope.formats.torch_memory import FORMAT
from stepscope.formats.torch_memory.read import CATEGORIES
from stepscope.model.errors import BadInput, TooMuch
from stepscope.model.profile import Profile

HERE = Path(__file__).parent
SAMPLE = "kineto/hta/memory_analysis/memory_timeline.raw.gz"
PARAMETER, ACTIVATION = 0, 4


def opened(path: Path, data: object, packed: bool = False) -> Profile:
    text = json.dumps(data).encode()
    path.write_bytes(gzip.compress(text) if packed else text)
    (profile,) = open_profile(str(path))
    return profile


def held(profile: Profile, category: int) -> list[tuple[int, float]]:
    """Time and bytes of a category, wherever it changes."""
    counters = profile.counters
    name = CATEGORIES[category]
    rows = [at for at in range(len(counters.time)) if profile.tracks[counters.track[at]].name == name]
    return [(int(counters.time[at]), float(counters.value[at])) for at in rows]


@pytest.mark.parametrize("packed", [False, True])
def test_raw_rows_are_summed(tmp_path: Path, packed: bool) -> None:
    rows = [[-1, 0, 400, PARAMETER], [5000, 1, 64, ACTIVATION], [5000, 1, 64, ACTIVATION], [7000, 3, -64, ACTIVATION]]
    profile = opened(tmp_path / "any name", rows, packed)
    assert profile.format == FORMAT.id
    assert held(profile, PARAMETER) == [(0, 400.0)]
    assert held(profile, ACTIVATION) == [(0, 128.0), (2000, 64.0)]
    assert (profile.base_ns, profile.window) == (5000, (0, 2000))


def test_summed_rows_are_taken_as_they_are(tmp_path: Path) -> None:
    sizes = [[0, 400, 0, 0, 0, 0, 0, 0, 0], [0, 400, 0, 0, 0, 64, 0, 0, 0]]
    profile = opened(tmp_path / "x", [[10, 12], sizes])
    assert held(profile, PARAMETER) == [(0, 400.0)]
    assert held(profile, ACTIVATION) == [(0, 0.0), (2000, 64.0)]


@pytest.mark.parametrize("wild", [[5, 1, 64, 99], [5, 1, 64, -1], [1 << 63, 1, 64, 0], [5, 1, 1 << 63, 0]])
def test_rows_that_cannot_be_are_left_out(tmp_path: Path, wild: list[int]) -> None:
    profile = opened(tmp_path / "x", [[1, 1, 8, PARAMETER], wild])
    assert held(profile, PARAMETER) == [(0, 8.0)]


def test_bad_files_get_one_sentence(tmp_path: Path) -> None:
    path = tmp_path / "memory.json"
    for text in (b"[[1, 2, 3, 4], [1, 2", b"[[1, 2], 3]", b"[[1, 2, \xff"):
        path.write_bytes(text)
        with pytest.raises(BadInput, match=r"memory\.json is corrupt"):
            FORMAT.read(str(path), Limits())
    path.write_bytes(gzip.compress(b"[[1, 2, 3, 4]," + b" " * 1_000_000))
    with pytest.raises(TooMuch, match="limit of 1,000 bytes"):
        FORMAT.read(str(path), Limits(bytes=1000))


@pytest.mark.peers
def test_what_torch_exports(tmp_path: Path, run_in_peers: Callable[..., Any]) -> None:
    told = run_in_peers(HERE / "export_timeline.py", tmp_path)
    assert told["categories"] == [name.upper().replace(" ", "_") for name in CATEGORIES]
    (raw,) = open_profile(str(tmp_path / "timeline.raw.json.gz"))
    (summed,) = open_profile(str(tmp_path / "timeline.json"))
    last = {category: held(summed, category)[-1][1] for category in range(len(CATEGORIES))}
    assert last == {category: held(raw, category)[-1][1] for category in range(len(CATEGORIES)) if held(raw, category)}
    assert last[PARAMETER] == told["parameter_bytes"]


@needs(SAMPLE)
def test_the_sample() -> None:
    (profile,) = open_profile(str(SAMPLES / SAMPLE))
    rows = json.loads(gzip.decompress((SAMPLES / SAMPLE).read_bytes()))
    for category in range(len(CATEGORIES)):
        assert held(profile, category)[-1][1] == sum(size for _, _, size, kind in rows if kind == category)
