"""Turns the results of the pairs into docs/profiles/truth.md and into their part of docs/benchmarks.md."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "profiles" / "truth.md"
CALIBRATION = ROOT / "src" / "stepscope" / "analyses" / "what_if" / "calibration.json"
FRAMEWORKS = {"torch": "PyTorch", "gloo": "PyTorch", "tensorflow": "TensorFlow", "jax": "JAX"}
Found = dict[str, Any]

SYNTHETIC = (
    ("every class of time alone, on a GPU and on a CPU", "tests/analyses/test_every_class.py"),
    ("classes that overlap, several devices, typical steps", "tests/analyses/test_breakdown.py"),
    ("steps by every kind of marker, and their boundaries", "tests/analyses/test_steps.py"),
    ("every cause for which a device is idle", "tests/analyses/test_idle_causes.py"),
    ("every rule, where it fires, is quiet and cannot tell", "tests/rules/test_verdicts.py"),
    ("replays of drawn traces, and what every lever does to them", "tests/analyses/test_replay.py, tests/analyses/test_what_if.py"),
    ("runs of short calls, and waits inside a step", "tests/analyses/test_dispatch.py, tests/analyses/test_waits.py"),
    ("waiting and transfer of ranks, and the one that is late", "tests/analyses/test_ranks.py"),
    ("memory that grows, and memory that does not", "tests/analyses/test_memory_growth.py"),
    ("mistakes that other tools are known for", "tests/analyses/test_known_mistakes.py"),
)
SAMPLES = (
    ("breakdowns of real recordings of eight trainings", "tests/analyses/test_samples.py"),
    (
        "replays of 22 recordings of GPUs, with and without unexplained delays, and with jittered kernels",
        "tests/analyses/test_replay_samples.py",
    ),
    (
        "resnet50 on a V100 from 0 to 4 workers: the range holds both medians that were measured",
        "tests/analyses/test_replay_samples.py",
    ),
    ("what is said of real recordings", "tests/rules/test_samples.py"),
)


def table(head: list[str], rows: list[list[str]]) -> str:
    """A Markdown table."""
    return "\n".join("| " + " | ".join(cells) + " |" for cells in [head, ["---"] * len(head), *rows])


def section(found: Found) -> str:
    """The part of the page of benchmarks."""
    return f"## Is the advice true?\n\n{summary(found)} [Every pair](profiles/truth.md)."


def summary(found: Found) -> str:
    """What came out, in sentences."""
    width = "" if found["median_width"] is None else f", which are {found['median_width']:.0%} of the step wide in the median,"
    apart = "" if "spread" not in found else f" Medians of equal blocks of steps are {found['spread']:.0%} apart."
    refused = "are refused" if found["refused"] else "are **not** refused"
    if found.get("untold") is not None:
        said = "is said to be invisible" if found["untold"] else "is **not** said to be invisible"
        refused += f", and Python in a loop that TensorFlow's profiler does not record {said}"
    return (
        f"Of {found['causes']} causes of slowness that were put into real trainings with TensorFlow, PyTorch and JAX on a CPU, "
        f"{found['named_first']} are named first. {found['covered']} of {found['promised']} predicted ranges{width} hold the "
        f"median that was measured after the change. Two loader workers on two busy cores {refused}.{apart}"
    ).replace("%", " %")


LEAST = "25% less and 10% more"
INTRODUCTION = """\
Every pair is a small training with one cause of slowness, and the same training without it. Steps are timed without the profiler,
slow and repaired turn about in blocks, and compared by their medians. Then some steps of the slow training are recorded, and
Stepscope reads the recording, the number of cores and the median step. Times are milliseconds."""
KNOWN = """\
Traces that are drawn, so that every number is known, and recordings whose numbers are known from elsewhere. `make test` holds all
of them to the digit, or to the tolerance that the test names."""


def page(found: Found, measured_on: str) -> str:
    """The whole page."""
    parts = [
        "# Is the advice true?",
        f"Made by `make bench` from `benchmarks/results.json`; do not edit. Measured on {measured_on}.",
        summary(found),
        *noise(found),
        INTRODUCTION,
        *tables(found["pairs"]),
        *notes(found["pairs"]),
        "## How wide ranges are",
        bands_text(json.loads(CALIBRATION.read_text())),
        "## Known answers",
        KNOWN,
        table(["what is known", "test"], [[what, f"`{test}`"] for what, test in (*SYNTHETIC, *SAMPLES)]),
    ]
    return "\n\n".join(parts) + "\n"


def tables(rows: list[Found]) -> list[str]:
    """One for each framework; times are milliseconds."""
    head = ["cause", "named first", "before", "predicted", "after", "held"]
    found: list[str] = []
    for title in dict.fromkeys(FRAMEWORKS.values()):
        mine = [cells(row) for row in rows if FRAMEWORKS[row["framework"]] == title]
        found += [f"## {title}", table(head, mine)] if mine else []
    return found


def noise(found: Found) -> list[str]:
    """What a busy machine does to the figures is said."""
    if found.get("quiet", True):
        return []
    apart = f"{found['spread']:.0%}".replace("%", " %")
    said = f"**The machine was busy**: medians of equal blocks are {apart} apart, so these figures are rough, "
    return [f"{said}and no band was learnt from them."]


def cells(row: Found) -> list[str]:
    """One pair."""
    if "before" not in row:
        return [row["cause"], f"failed: {row.get('error', 'unknown')}".replace("|", "/")[:120], *[""] * 4]
    words = (row["first"] or "nothing").replace("_", " ")
    before, after = (f"{row[key]['median_ms']:.1f}" for key in ("before", "after"))
    if "untold" in row:
        held = "yes" if row["untold"] else "**no**"
        return [row["cause"], "cannot tell" if row["untold"] else f"**not**: {words}", before, row["said"], after, held]
    if "low_ms" in row:
        said, held = f"{row['low_ms']:.1f} to {row['high_ms']:.1f}", "yes" if row["covered"] else f"**no**, {off(row)}"
    elif "refused" in row:
        said, held = "refused", "yes" if row["refused"] else "**no**"
    else:
        said, held = row.get("said") or "no time", ""
    return [row["cause"], words if row["named_first"] else f"**not**: {words}", before, said, after, held]


def off(row: Found) -> str:
    """How far what was measured is outside of the range."""
    after, low, high = row["after"]["median_ms"], row["low_ms"], row["high_ms"]
    beyond = f"{after / high - 1:.0%} above" if after > high else f"{1 - after / max(low, 1e-9):.0%} below"
    return beyond.replace("%", " %")


def notes(rows: list[Found]) -> list[str]:
    """Reasons of refusals."""
    return [f"Refused: {row['reason']}" for row in rows if row.get("reason")]


def bands_text(bands: Found) -> str:
    """What the package says of its ranges; from the file that it reads."""
    cpu, gpu = bands["cpu"], bands["gpu"]
    counts = ", ".join(f"`{lever}` {pairs}" for lever, pairs in sorted(cpu["levers"].items()))
    text = (
        f"Of work that is taken away, without a device up to {cpu['band']:.0%} less may go than the model says ({cpu['pairs']} pairs), "
        f"with one up to {gpu['band']:.0%} less ({gpu['pairs']} pairs). What is left may get faster without it: without a device by "
        f"{cpu['more']:.0%} of itself, or of what goes where that is less, and by {cpu['band']:.0%} where the lever takes along what "
        "lies around its work (`launches`, `compile`, `io`, `messages`). These are the smallest parts, in steps of 5%, that would have "
        f"covered nine of ten of these pairs, and never below {LEAST}. In the table every range has what the other pairs ask for, so "
        "that no pair has a part in its own. "
    ).replace("%", " %")
    return f"{text}Pairs of each lever: {counts}. Levers without any are titled [at best](what-if.md#levers)."


def write(results: Found) -> None:
    """Writes the page anew."""
    machine = results["machine"]
    PAGE.write_text(page(results["truth"], f"{results['truth']['date']} with {machine['cores']} cores ({machine['processor']})"))
