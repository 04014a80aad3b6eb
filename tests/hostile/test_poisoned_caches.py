"""Caches whose files are damaged, cut, exchanged or filled with other bytes: every number is that of the log, and nothing is raised."""

from __future__ import annotations

import random
import shutil
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from msgspec import Struct

import stepscope
from event_bytes import scalar, write
from stepscope.ingest import checkpointing, profile_reading
from stepscope.ingest.profile_reading import ProfileReading
from stepscope.session import kept_answers
from stepscope.session.kept_answers import KeptAnswers

SHORT, LONG = 40, 2_000
"""Poisoned caches in `make test` and in `make soak`."""

CAPTURE = Path(__file__).resolve().parents[1] / "formats" / "xplane" / "captures" / "jax.xplane.pb"
Numbers = list[object]


class Said(Struct):
    """An answer that is kept."""

    numbers: list[int]


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache of its own, in which everything is kept however quickly it was made."""
    monkeypatch.setenv("STEPSCOPE_CACHE_DIR", str(tmp_path / "cache"))
    for module in (checkpointing, profile_reading, kept_answers):
        monkeypatch.setattr(module, "WORTH_SECONDS", -1.0)
    return tmp_path / "cache"


@pytest.fixture
def logs(tmp_path: Path) -> Path:
    """Two runs of two files each, and a profile."""
    for run in ("a", "b"):
        for file in range(2):
            points = (scalar(b"tag%d" % (step % 5), step, 100.0 * file + step, step / 8) for step in range(50 * file, 50 * file + 60))
            write(tmp_path / "logs" / run / f"events.out.tfevents.{file}.x", *points)
    shutil.copy(CAPTURE, tmp_path / "logs")
    return tmp_path / "logs"


def read_all(logs: Path) -> Numbers:
    """Every point, the profile's tables and an answer about it, as a new process reads them."""
    found: Numbers = []
    for run in stepscope.open(logs).runs:
        for tag in run.tags:
            series = run.scalars(tag, segments="all")
            found += [run.name, tag, series.step.tolist(), series.wall_time.tolist(), series.value.tolist()]
    capture = str(logs / CAPTURE.name)
    profile = ProfileReading().read(capture, None)
    for thread in threading.enumerate():
        if thread.name == "stepscope-profile-cache":
            thread.join()
    spans = profile.spans
    found += [profile.names, spans.start.tolist(), spans.end.tolist(), spans.name.tolist(), spans.kind.tolist()]
    answer = KeptAnswers().answer("sum", [capture], Said, lambda: Said([int(spans.start.sum()), len(profile.names)]))
    return [*found, answer.numbers]


def flip(content: bytearray, choose: random.Random) -> None:
    for _ in range(choose.randrange(1, 5)):
        content[choose.randrange(len(content))] ^= 1 << choose.randrange(8)


def cut(content: bytearray, choose: random.Random) -> None:
    del content[choose.randrange(len(content)) :]


def fill(content: bytearray, choose: random.Random) -> None:
    at = choose.randrange(len(content))
    end = min(len(content), at + choose.randrange(1, 5_000))
    content[at:end] = bytes(end - at) if choose.randrange(2) else choose.randbytes(end - at)


def shift(content: bytearray, choose: random.Random) -> None:
    at = choose.randrange(len(content))
    content[at:at] = choose.randbytes(choose.randrange(1, 100))


def grow(content: bytearray, choose: random.Random) -> None:
    content += choose.randbytes(choose.randrange(1, 5_000))


POISONS: list[Callable[[bytearray, random.Random], None]] = [flip, cut, fill, shift, grow]


def poison(good: dict[Path, bytes], choose: random.Random) -> None:
    """Restores the files of a cache, and damages some of them."""
    for path, content in good.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    if choose.randrange(8) == 0:
        one, other = choose.sample(sorted(good), 2)
        one.write_bytes(good[other])
        other.write_bytes(good[one])
        return
    for path in choose.sample(sorted(good), choose.randrange(1, len(good) + 1)):
        content = bytearray(good[path])
        choose.choice(POISONS)(content, choose)
        path.write_bytes(content)


def check(logs: Path, cache: Path, seeds: range) -> None:
    written = read_all(logs)
    good = {path: path.read_bytes() for path in cache.rglob("*") if path.is_file() and path.name != "lock"}
    assert {path.relative_to(cache).parts[0] for path in good} == {"checkpoints", "profiles", "answers"}
    for seed in seeds:
        poison(good, random.Random(seed))
        assert read_all(logs) == written, seed


@pytest.mark.slow
def test_a_few_poisoned_caches(logs: Path, cache: Path) -> None:
    check(logs, cache, range(SHORT))


@pytest.mark.soak
def test_many_poisoned_caches(logs: Path, cache: Path) -> None:
    check(logs, cache, range(SHORT, SHORT + LONG))
