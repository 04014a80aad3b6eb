"""Finds, fetches and checks the sample profiles that tests read, which are listed in tests/samples.toml.

`samples.py find` prints their folder, and on stderr what is missing in it; it fails when there is none. `samples.py fetch` gets the
public ones into the cache folder, and `samples.py check` compares all with their hashes. The folder is STEPSCOPE_SAMPLES (`none`: test
without samples), else ../shared/samples beside the clone, else the cache's. It needs nothing but Python's standard library.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import sys
import tomllib
import urllib.error
import urllib.request
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from environment import cache_folder

ROOT = Path(__file__).resolve().parent.parent
LIST = ROOT / "tests" / "samples.toml"
VARIABLE = "STEPSCOPE_SAMPLES"
NONE = "none"
FETCH_SECONDS = 60


@dataclass(frozen=True, slots=True)
class Sample:
    """A listed file."""

    name: str
    bytes: int
    sha256: str
    licence: str
    origin: str
    url: str | None
    """Where anybody can get it."""


def listed(path: Path = LIST) -> list[Sample]:
    """Every sample that a test may read."""
    content = tomllib.loads(path.read_text(encoding="utf-8"))
    return [
        Sample(file["name"], file["bytes"], file["sha256"], each["licence"], each["origin"], file.get("url"))
        for each in content["collection"]
        for file in each["files"]
    ]


def folder(variables: Mapping[str, str] = os.environ, root: Path = ROOT) -> Path | None:
    """Where the samples are; None when there are none, or when the tests are to run without them."""
    chosen = variables.get(VARIABLE)
    if chosen == NONE:
        return None
    if chosen:
        if not Path(chosen).is_dir():
            raise SystemExit(f"{VARIABLE} is {chosen}, which is no folder: name the samples' folder, or `{NONE}` to test without them.")
        return Path(chosen).resolve()
    return next((place for place in (root.parent / "shared" / "samples", fetched_folder()) if place.is_dir()), None)


def fetched_folder() -> Path:
    """Where `fetch` puts them, for all clones."""
    return cache_folder() / "samples"


def missing(place: Path, samples: list[Sample]) -> list[Sample]:
    """The samples that are not there, or not of their size."""
    return [each for each in samples if not (place / each.name).is_file() or (place / each.name).stat().st_size != each.bytes]


def is_content_of(content: bytes, sample: Sample) -> bool:
    """Whether these are the sample's bytes."""
    return hashlib.sha256(content).hexdigest() == sample.sha256


def fetch(sample: Sample, place: Path) -> str | None:
    """Gets one into the folder; returns what went wrong."""
    target = place / sample.name
    if sample.url is None:
        return f"not published ({sample.origin})" if sample.origin != NONE else "not published"
    try:
        with urllib.request.urlopen(sample.url, timeout=FETCH_SECONDS) as answer:
            content = answer.read(sample.bytes + 1)
    except (urllib.error.URLError, OSError) as error:
        return f"{sample.url}: {error}"
    if not is_content_of(content, sample):
        return f"{sample.url}: not the listed content"
    target.parent.mkdir(parents=True, exist_ok=True)
    part = target.with_name(target.name + ".part")
    part.write_bytes(content)
    part.replace(target)
    return None


def fetch_all(place: Path, samples: list[Sample]) -> bool:
    """Gets all that are missing, says what could not be had, and returns whether every public one is there."""
    wanted = missing(place, samples)
    faults = {sample: fault for sample in wanted if (fault := fetch(sample, place)) is not None}
    for sample, fault in faults.items():
        print(f"{sample.name}: {fault}", file=sys.stderr)
    print(f"samples: {len(samples) - len(faults)} of {len(samples)} in {place}")
    return all(sample.url is None for sample in faults)


def find(samples: list[Sample]) -> bool:
    """Prints the folder, and what it lacks."""
    place = folder()
    if place is None:
        print(f"no samples: `make samples` fetches the public ones, or {VARIABLE} names their folder", file=sys.stderr)
        return False
    absent = missing(place, samples)
    if absent:
        print(f"{len(absent)} of {len(samples)} samples are missing in {place}, the first is {absent[0].name}", file=sys.stderr)
    print(place)
    return True


def check(samples: list[Sample]) -> bool:
    """Compares every sample that is there with its listed hash."""
    place = folder()
    there = [each for each in samples if place is not None and (place / each.name).is_file()]
    wrong = [each.name for each in there if place is not None and not is_content_of((place / each.name).read_bytes(), each)]
    for name in wrong:
        print(f"{name}: not the listed content", file=sys.stderr)
    print(f"samples: {len(there) - len(wrong)} of {len(samples)} are as listed")
    return not wrong


def main() -> None:
    """Runs one of the three."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("what", choices=["find", "fetch", "check"])
    what = arguments.parse_args().what
    samples = listed()
    good = find(samples) if what == "find" else check(samples) if what == "check" else fetch_all(fetched_folder(), samples)
    raise SystemExit(0 if good else 1)


if __name__ == "__main__":
    main()
