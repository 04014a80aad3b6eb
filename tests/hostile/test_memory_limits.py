"""Small files that would fill the memory: bombs of every packing, and references that are shared, are refused or cut with a note."""

from __future__ import annotations

import gzip
import pickle
import random
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import event_bytes as eb
import xspace_bytes as xb
from stepscope.cli.profile.options import limits_of
from stepscope.formats.format import Limits
from stepscope.formats.open_profile import read_file
from stepscope.model.errors import BadInput, TooMuch

GIB = 1 << 30
MIB = 1 << 20
CONTENT = 64 * MIB
NOISE = random.Random(1).randbytes(150_000)  # so that a file unpacks to less than what is taken for a bomb at once


@pytest.fixture
def two_gibibytes() -> Iterator[None]:
    """So much more than there is now; who asks for more gets none."""
    if not sys.platform.startswith("linux"):
        yield
        return
    import resource

    used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    before = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (used + 2 * GIB, before[1]))
    yield
    resource.setrlimit(resource.RLIMIT_AS, before)


def xspace() -> bytes:
    """Events of the same few bytes."""
    plane = xb.Plane("/host:CPU")
    event = eb.message(4, plane.event("a", 1000, 500))
    plane.lines.append(eb.integer(1, 1) + eb.message(2, b"python") + event * (CONTENT // len(event)))
    return xb.space(plane)


def perfetto() -> bytes:
    def packet(time: int, kind: int) -> bytes:
        return eb.message(1, eb.integer(8, time), eb.integer(10, 1), eb.message(11, eb.integer(9, kind), eb.integer(11, 77)))

    pair = packet(5, 1) + packet(6, 2)
    return pair * (CONTENT // len(pair))


@pytest.mark.slow
@pytest.mark.parametrize("make", [xspace, perfetto], ids=["xplane", "perfetto"])
def test_the_content_of_a_small_compressed_file_is_bounded(
    make: Callable[[], bytes], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("stepscope.formats.format._SMALL_BYTES", 8 * MIB)
    path = tmp_path / "bomb"
    path.write_bytes(gzip.compress(make() + eb.message(1000, NOISE), 9))
    assert 100 * path.stat().st_size < CONTENT < Limits().ratio * path.stat().st_size
    with pytest.raises(TooMuch, match="--max-gib"):
        read_file(str(path))
    assert len(read_file(str(path), Limits(bytes=GIB, ratio=1 << 30)).spans) > 1_000_000


def test_the_spans_of_a_small_compressed_file_are_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("stepscope.formats.format._SMALL_SPANS", 1000)
    plane = xb.Plane("/host:CPU")
    plane.line("python", *[plane.event("a", 1000, 500)] * 50_000)
    path = tmp_path / "many"
    path.write_bytes(gzip.compress(xb.space(plane) + eb.message(1000, NOISE[:8_000])))
    profile = read_file(str(path))
    assert len(profile.spans) == path.stat().st_size // 2 < 50_000
    assert "dropped_events" in {note.code for note in profile.notes}
    assert len(read_file(str(path), Limits(ratio=1 << 30)).spans) == 50_000


def test_names_are_bounded_and_an_option_allows_more() -> None:
    assert Limits().names == 1_000_000  # test_bad_input reads files beyond such a limit
    assert limits_of(8).names == 10_000_000


def shared(depth: int) -> list[Any]:
    """A list that is one of two, which are one of two, and so on: written out, it has two to the power of `depth` words."""
    found: list[Any] = ["x"]
    for _ in range(depth):
        found = [found, found]
    return found


def snapshots() -> dict[str, Any]:
    bomb = shared(60)
    event = {"action": "alloc", "addr": 1, "size": 8, "stream": 0, "frames": [], "time_us": 5}
    events, segment = [event], {"device": 0, "blocks": [{"size": 8, "state": "inactive"}] * 1000}
    frame = {"filename": "f" * 500, "line": 1, "name": "n" * 500}
    return {
        "settings": {"segments": [], "device_traces": [events], "allocator_settings": {"a": bomb}},
        "an action": {"segments": [], "device_traces": [[{**event, "action": bomb}]]},
        "a frame": {"segments": [], "device_traces": [[{**event, "frames": [bomb]}]]},
        "a name": {"segments": [], "device_traces": [[{**event, "frames": [{"name": bomb, "filename": bomb}]}]]},
        "a state": {"segments": [{"device": 0, "segment_type": bomb, "blocks": [{"size": 8, "state": bomb}]}], "device_traces": []},
        "traces": {"segments": [], "device_traces": [events * 100_000] * 1000},
        "segments": {"segments": [segment] * 100_000, "device_traces": []},
        "frames": {"segments": [], "device_traces": [[{**event, "frames": [frame] * 256 + [at]} for at in range(8_000)]]},
    }


REPEATED = ("traces", "segments")
"""Those whose rows are many; the others have one text or stack that is long when it is written out."""


@pytest.mark.usefixtures("two_gibibytes")
@pytest.mark.parametrize("name", REPEATED)
def test_rows_that_are_one_object_are_refused(name: str, tmp_path: Path) -> None:
    path = tmp_path / "snapshot.pickle"
    path.write_bytes(pickle.dumps(snapshots()[name]))
    with pytest.raises(BadInput) as refused:
        read_file(str(path))
    assert refused.value.code == "not_a_snapshot"


@pytest.mark.slow
@pytest.mark.usefixtures("two_gibibytes")
@pytest.mark.parametrize("name", sorted(snapshots().keys() - set(REPEATED)))
def test_texts_that_are_shared_references_are_short(name: str, tmp_path: Path) -> None:
    path = tmp_path / "snapshot.pickle"
    path.write_bytes(pickle.dumps(snapshots()[name]))
    snapshot = read_file(str(path)).memory_snapshot
    assert snapshot is not None
    assert len(snapshot.events.time) + len(snapshot.blocks.bytes) > 0
    assert (
        max(map(len, [*snapshot.settings.values(), *(frame for stack in snapshot.stacks[:10] for frame in stack)]), default=0) <= 2000
    )
