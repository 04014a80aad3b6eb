"""Spoils every recorded profile in every way and counts what is then said of it; run as a program, it writes the counts anew.

    PYTHONPATH=src:tests:benchmarks python benchmarks/wild/robustness.py [NAME ...]

With names, only samples whose path contains one of them are spoiled, and the counts of the others stay.
"""

from __future__ import annotations

import json
import random
import sys
import tarfile
import tempfile
from collections.abc import Callable, Iterator
from enum import StrEnum
from pathlib import Path

from sample_files import SAMPLES
from stepscope.rules.all_rules import ALL_RULES
from wild import mutations
from wild.judging import Found, judged_path
from wild.merging import MERGES
from wild.mutations import MUTATIONS, Content

RESULTS = Path(__file__).with_name("robustness.json")
SAYS_LESS = {"nothing", "untraced", "unrecorded", "startup"}
ON_HOST_ALONE = {rule.id for rule in ALL_RULES if rule.on_host_alone}
LAST_RESORT = {rule.id for rule in ALL_RULES if rule.last_resort}
_NO_TRACES = ("key_averages", "overlaid_critical_path")
"""Tables and drawings that lie beside the recordings."""


class Outcome(StrEnum):
    """What is said of a spoiled profile, held against what is said of the whole one."""

    RIGHT = "right"
    CANNOT_TELL = "cannot tell"
    WRONG = "wrong"


def outcome(mutation: str, before: Found, found: Found) -> Outcome:
    """Right: the same cause, and first advice that the whole profile gives too. Cannot tell: a weaker word, or a doubt that is new."""
    if any(not 0 <= each.gain.low <= each.gain.high <= 1 for each in found.judged.findings if each.gain is not None):
        return Outcome.WRONG
    if found.step_ms <= 0:
        return Outcome.CANNOT_TELL if found.cause == "nothing" and found.judged.doubts else Outcome.WRONG
    if mutation == mutations.without_kernels.__name__ and before.device != "CPU":
        return Outcome.CANNOT_TELL if found.cause == "unrecorded" and set(found.fired) <= ON_HOST_ALONE else Outcome.WRONG
    doubts = bool(set(found.judged.doubts) - set(before.judged.doubts))
    same_advice = set(found.fired[:1]) <= {*before.fired, *LAST_RESORT}
    if found.cause == before.cause and same_advice:
        return Outcome.RIGHT
    return Outcome.CANNOT_TELL if doubts or (found.cause in SAYS_LESS and same_advice) else Outcome.WRONG


def same(before: Found, found: Found) -> Outcome:
    """Of ranks that were merged into one file nothing may be said otherwise."""
    told = [(each.steps, round(each.step_ms, 3), each.device, each.cause, each.fired) for each in (before, found)]
    return Outcome.RIGHT if told[0] == told[1] else Outcome.WRONG


def recordings() -> list[Path]:
    """Every recorded profile that can be spoiled."""
    traces = [path for path in sorted((SAMPLES / "kineto").rglob("*.json*")) if not any(word in path.name for word in _NO_TRACES)]
    return [*traces, *sorted((SAMPLES / "xplane").rglob("*.xplane.pb"))]


def cut(raw: bytes) -> bytes:
    """The last two fifths are missing."""
    return raw[: 3 * len(raw) // 5]


def flipped(raw: bytes) -> bytes:
    """A hundred bits are wrong."""
    content, chance = bytearray(raw), random.Random(7)
    for _ in range(100):
        content[chance.randrange(len(content))] ^= 1 << chance.randrange(8)
    return bytes(content)


def spoiled(path: Path, folder: Path) -> Iterator[tuple[str, Outcome]]:
    """The outcome of each mutation of a recording; binary ones are cut and flipped alone."""
    whole = judged_path(path)
    if path.suffix == ".pb":
        raw = path.read_bytes()
        made: list[tuple[str, Callable[[], bytes]]] = [("cut", lambda: cut(raw)), ("flipped", lambda: flipped(raw))]
    else:
        content = mutations.read(path)
        made = [(mutate.__name__, lambda mutate=mutate: mutate(content)) for mutate in MUTATIONS]
    target = folder / ("spoiled.xplane.pb" if path.suffix == ".pb" else "spoiled.json")
    for name, make in made:
        target.write_bytes(make())
        yield name, outcome(name, whole, judged_path(target))


def jobs(folder: Path) -> Iterator[tuple[str, dict[int, Content], Found]]:
    """Recorded jobs of several ranks."""
    gloo = SAMPLES / "kineto" / "torch213_ddp_gloo"
    yield gloo.name, {place: mutations.read(path) for place, path in enumerate(sorted(gloo.glob("*.json.gz")))}, judged_path(gloo)
    with tarfile.open(SAMPLES / "kineto" / "dlrm_8ranks" / "dlrm_kineto.tar.gz") as archive:
        archive.extractall(folder / "archive", filter="data")
    files = sorted(path for path in (folder / "archive").rglob("*.json*") if path.is_file())
    ranks = {place: mutations.read(path) for place, path in enumerate(files)}
    whole = folder / "whole"
    whole.mkdir()
    for rank, content in ranks.items():
        told = {**content, "distributedInfo": {"rank": rank, "world_size": len(ranks)}}
        (whole / f"rank{rank}.pt.trace.json").write_text(json.dumps(told))
    yield "dlrm_8ranks", {rank: mutations.read(whole / f"rank{rank}.pt.trace.json") for rank in ranks}, judged_path(whole)


def counted(results: dict[str, dict[str, str]]) -> dict[str, dict[Outcome, int]]:
    """How often each outcome was, by mutation."""
    names = dict.fromkeys(name for row in results.values() for name in row)
    return {name: {each: sum(row.get(name) == each for row in results.values()) for each in Outcome} for name in names}


def run(words: list[str]) -> dict[str, dict[str, str]]:
    """Spoils what has one of the words in its path, everything without words."""
    results: dict[str, dict[str, str]] = json.loads(RESULTS.read_text()) if words and RESULTS.exists() else {}
    with tempfile.TemporaryDirectory() as folder:
        for path in recordings():
            name = str(path.relative_to(SAMPLES))
            if not words or any(word in name for word in words):
                results[name] = dict(spoiled(path, Path(folder)))
        if not words or "merged" in words:
            for name, ranks, whole in jobs(Path(folder)):
                target = Path(folder) / "merged.json"
                for merge in MERGES:
                    target.write_text(json.dumps(merge(ranks)))
                    results.setdefault(f"{name} merged", {})[f"merged_{merge.__name__}"] = same(whole, judged_path(target))
    return dict(sorted(results.items()))


if __name__ == "__main__":
    found = run(sys.argv[1:])
    RESULTS.write_text(json.dumps(found, indent=1) + "\n")
    for sample, row in found.items():
        wrong = [name for name, each in row.items() if each == Outcome.WRONG]
        if wrong:
            print(sample, *wrong)
    print(counted(found))
