"""Every event of real captures is read with its name and times, as the real protobuf classes read them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sample_files import ABSENT, LISTED, SAMPLES, needs
from stepscope.formats.format import Limits
from stepscope.formats.xplane import FORMAT
from stepscope.model.profile import Profile, Track, TrackRole

HERE = Path(__file__).parent
CAPTURES = sorted((HERE / "captures").glob("*.xplane.pb"))
REGIONS = {f"ThreadpoolListener::{what}" for what in ("Region", "StartRegion", "StopRegion")}
SAMPLE_NAMES = sorted(name for name in LISTED if name.endswith(".xplane.pb"))
FILES = [*CAPTURES, *(pytest.param(SAMPLES / name, marks=needs(name)) for name in SAMPLE_NAMES)]


@pytest.fixture(scope="module")
def real(run_in_peers: Callable[..., Any]) -> dict[str, list[dict[str, Any]]]:
    return run_in_peers(HERE / "real_events.py", *CAPTURES, *(SAMPLES / name for name in SAMPLE_NAMES if name not in ABSENT))


def names_on(profile: Profile, track: Track) -> Counter[str]:
    return Counter(profile.names[name] for name in profile.spans.name[track.first_row : track.last_row])


@pytest.mark.peers
@pytest.mark.parametrize("path", FILES, ids=lambda path: path.parent.name + "/" + path.name)
def test_names_and_times_are_those_of_protobuf(path: Path, real: dict[str, list[dict[str, Any]]]) -> None:
    profile = FORMAT.read(str(path), Limits())
    lines = real[str(path)]
    assert [track.name for track in profile.tracks] == [line["line"] for line in lines]
    for track, line in zip(profile.tracks, lines, strict=True):
        names = names_on(profile, track)
        found = {name: names.pop(name, 0) for name in REGIONS}
        assert sum(found.values()) + found["ThreadpoolListener::Region"] == line["regions"]
        assert names == line["names"]
        rows = [row for row in range(track.first_row, track.last_row) if profile.names[profile.spans.name[row]] not in REGIONS]
        assert sum(int(profile.spans.start[row]) for row in rows) == line["starts"]
        assert sum(int(profile.spans.end[row]) for row in rows) == line["ends"]
    assert len(profile.allocations.time) == sum(line["points"] for line in lines)


@needs("xplane")
def test_every_device_span_of_the_samples_has_its_launch() -> None:
    for name in ("mi300_jax_conv", "gfx950_jax_attention", "synthetic_cuda"):
        (path,) = (SAMPLES / "xplane" / name).rglob("*.xplane.pb")
        profile = FORMAT.read(str(path), Limits())
        streams = [index for index, track in enumerate(profile.tracks) if track.role == TrackRole.STREAM]
        for row in range(len(profile.spans)):
            if profile.spans.track[row] in streams:
                cause = profile.spans.cause[row]
                assert cause >= 0
                assert profile.tracks[profile.spans.track[cause]].role == TrackRole.THREAD
