"""The table of drawn files as a page of the guide; run as a program, it writes the page anew."""

from __future__ import annotations

from pathlib import Path

from wild.cases import CASES, Case

PAGE = Path(__file__).resolve().parents[2] / "docs" / "profiles" / "unfamiliar-files.md"
_HEAD = """# Unfamiliar files

Profiles differ more than any collection of samples. Each row of this table is a small file that `benchmarks/wild` draws, with what it
contains, and what Stepscope must say about it. `tests/wild` reads every file and compares. A dash means that no recommendation is made.

`benchmarks/wild/mutations.py` spoils drawn files and real ones: it drops kernels or markers, renames the device, makes all kernels
of one graph launch, cuts the file, and flips bits. The cause must stay the same, or the report must say what it lacks.

| File | What it contains | Steps | Step time | Device | Headline | First recommendation | Cannot tell |
| --- | --- | --- | --- | --- | --- | --- | --- |
"""


def page() -> str:
    """The whole page."""
    return _HEAD + "".join(f"| {' | '.join(_cells(case))} |\n" for case in CASES)


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
