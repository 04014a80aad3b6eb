"""The table of drawn files as a page of the guide; run as a program, it writes the page anew."""

from __future__ import annotations

import json
from pathlib import Path

from wild.cases import CASES, Case
from wild.robustness import RESULTS, Outcome, counted

PAGE = Path(__file__).resolve().parents[2] / "docs" / "profiles" / "unfamiliar-files.md"
_HEAD = """# Unfamiliar files

Profiles differ more than any collection of samples. Each row of this table is a small file that `benchmarks/wild` draws, with what it
contains, and what Stepscope must say about it. `tests/wild` reads every file and compares. A dash means that no recommendation is made.

| File | What it contains | Steps | Step time | Device | Headline | First recommendation | Cannot tell |
| --- | --- | --- | --- | --- | --- | --- | --- |
"""


_SPOILED = """
## Spoiled files

`benchmarks/wild/robustness.py` spoils every recorded profile and compares what is said of it with what is said of the whole one.
**Right**: the same cause, and no other first recommendation. **Cannot tell**: the report says what the file lacks, or names no cause.
**Wrong**: another cause or recommendation without a doubt. Merged ranks are right only if steps, step time, cause and all
recommendations are the same. A part of it runs with every test; `make soak` runs all of it.

| Change | Right | Cannot tell | Wrong |
| --- | --- | --- | --- |
"""
_CHANGES = {
    "without_kernels": "no device work is recorded",
    "without_markers": "no step is marked",
    "renamed_device": "the device has a name that no rule knows",
    "replayed_as_a_graph": "all kernels belong to one graph launch",
    "cut": "the last two fifths are missing",
    "flipped": "100 bits are wrong",
    "merged_named_processes": "all ranks in one file, processes named by rank",
    "merged_tagged_processes": "all ranks in one file, process ids tagged by rank",
    "merged_told_by_arguments": "all ranks in one file, `args.rank` on every event",
}


def page() -> str:
    """The whole page."""
    counts = counted(json.loads(RESULTS.read_text()))
    spoiled = "".join(f"| {text} | {' | '.join(str(counts[name][each]) for each in Outcome)} |\n" for name, text in _CHANGES.items())
    return _HEAD + "".join(f"| {' | '.join(_cells(case))} |\n" for case in CASES) + _SPOILED + spoiled


def _cells(case: Case) -> list[str]:
    length = "not known" if case.step_ms is None else f"{case.step_ms:g} ms"
    truth = " ".join(case.truth.split()).replace("|", "\\|")
    return [
        f"`{case.name}`",
        truth,
        f"{case.steps} by {case.family.replace('_', ' ')}",
        length,
        case.device,
        case.cause.replace("_", " "),
        f"[`{case.first}`](../rules/{case.first}.md)" if case.first else "–",
        ", ".join(f"`{rule}`" for rule in case.unknown) or "–",
    ]


if __name__ == "__main__":
    PAGE.write_text(page())
