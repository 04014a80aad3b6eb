"""Turns the results of the pairs into docs/profiles/truth.md and into their part of docs/benchmarks.md."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from stepscope.analyses.what_if.calibration import WIDE
from stepscope.analyses.what_if.prediction import STEADY
from truth import proof
from truth.held_out import page as held_out
from truth.noise import noise as noise_of
from truth.noise import too_noisy

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "profiles" / "truth.md"
CALIBRATION = ROOT / "src" / "stepscope" / "analyses" / "what_if" / "calibration.json"
FRAMEWORKS = {"torch": "PyTorch", "gloo": "PyTorch", "tensorflow": "TensorFlow", "jax": "JAX"}
Found = dict[str, Any]

SYNTHETIC = (
    ("each class of time alone, on a GPU and on a CPU", "tests/analyses/test_every_class.py"),
    ("overlapping classes, several devices, typical steps", "tests/analyses/test_breakdown.py"),
    ("steps by every kind of marker, and their boundaries", "tests/analyses/test_steps.py"),
    ("every cause of device idle time", "tests/analyses/test_idle_causes.py"),
    ("every rule: where it fires, where it does not, and where data is missing", "tests/rules/test_verdicts.py"),
    ("replays of synthetic traces, and the effect of every change", "tests/analyses/test_replay.py, tests/analyses/test_what_if.py"),
    ("runs of short calls, and waits inside a step", "tests/analyses/test_dispatch.py, tests/analyses/test_waits.py"),
    ("wait and transfer of ranks, and the straggler", "tests/analyses/test_ranks.py"),
    ("growing and steady memory", "tests/analyses/test_memory_growth.py"),
    ("known mistakes of other tools", "tests/analyses/test_known_mistakes.py"),
)
SAMPLES = (
    ("breakdowns of real profiles of eight trainings", "tests/analyses/test_samples.py"),
    (
        "replays of 22 GPU profiles, with and without unexplained delays, and with jittered kernels",
        "tests/analyses/test_replay_samples.py",
    ),
    (
        "resnet50 on a V100 from 0 to 4 workers: the range contains both measured medians",
        "tests/analyses/test_replay_samples.py",
    ),
    ("recommendations for real profiles", "tests/rules/test_samples.py"),
)


def table(head: list[str], rows: list[list[str]]) -> str:
    """A Markdown table."""
    return "\n".join("| " + " | ".join(cells) + " |" for cells in [head, ["---"] * len(head), *rows])


def section(found: Found) -> str:
    """The part of the page of benchmarks."""
    return f"## Accuracy of recommendations\n\n{summary(found)} [Every pair](profiles/truth.md)."


def summary(found: Found) -> str:
    """The results in sentences."""
    width = (
        "" if found["median_width"] is None else f" The median width of a range is {found['median_width']:.0%} of the measured step."
    )
    width += guessed(found)
    apart = "" if "spread" not in found else f" Medians of equal blocks of steps differ by {found['spread']:.0%}."
    refused = "Two loader workers on two busy cores are refused" + ("." if found["refused"] else ": **failed**.")
    missing = ""
    if found.get("untold") is not None:
        told = "reported as not recorded" + ("." if found["untold"] else ": **failed**.")
        missing = f" Python in the loop, which TensorFlow's profiler does not record, is {told}"
    left_out = f" {found['too_noisy']} pairs are too noisy to count." if found.get("too_noisy") else ""
    return (
        f"In-sample: rules, model and bands were revised on these very pairs. Real trainings with TensorFlow, PyTorch and JAX on a CPU "
        f"were slowed down by {found['causes']} known causes. "
        f"Stepscope named {found['named_first']} of them first. {found['covered']} of {found['promised']} estimated ranges contain the "
        f"median step time measured after the change.{width} {refused}{missing}{apart}{left_out}"
    )


def guessed(found: Found) -> str:
    """How a constant range does that is as wide as ours and looks at no profile."""
    best = found.get("guess")
    if best is None:
        return ""
    return (
        f" The best constant guess of that width, {best['low']:.0%}–{best['high']:.0%} of the step before, chosen with the answers at "
        f"hand, contains {best['held']}."
    )


LEAST = "10% less and 10% more, 20% around"
INTRODUCTION = """\
Each pair is a small training with one cause of slowness, and the same training without it. Steps are timed without the profiler,
in alternating blocks of the slow and the fixed training, and compared by their medians; noise is how far medians of equal blocks
are apart. Then some steps of the slow training are profiled, with options chosen for each cause. Stepscope
gets the profile, the number of cores and the median step time. Times are in milliseconds."""
KNOWN = """\
Synthetic traces in which every number is known, and profiles with numbers known from elsewhere. `make test` compares all
of them exactly, or within the tolerance that the test names."""


def page(found: Found, measured_on: str) -> str:
    """The whole page."""
    parts = [
        "# Accuracy of recommendations",
        "Made by `make truth` and `make bench` from what they measured; do not edit.",
        *held_out.section(table),
        "## Development pairs",
        f"Measured on {measured_on}.",
        summary(found),
        *noise(found),
        INTRODUCTION,
        *tables(found["pairs"]),
        *notes(found["pairs"]),
        "## Width of the ranges",
        bands_text(json.loads(CALIBRATION.read_text())),
        "## Known answers",
        KNOWN,
        table(["Known result", "Test"], [[what, f"`{test}`"] for what, test in (*SYNTHETIC, *SAMPLES)]),
    ]
    return "\n\n".join(parts) + "\n"


def tables(rows: list[Found]) -> list[str]:
    """One for each framework; times are milliseconds."""
    head = ["Cause", "Named first", "Before", "Estimated", "After", "Correct", "Noise"]
    found: list[str] = []
    for title in dict.fromkeys(FRAMEWORKS.values()):
        mine = [cells(row) for row in rows if FRAMEWORKS[row["framework"]] == title]
        found += [f"### {title}", table(head, mine)] if mine else []
    return found


def noise(found: Found) -> list[str]:
    """A warning when the machine was busy."""
    if found.get("quiet", True):
        return []
    apart = f"medians of equal blocks differ by {found['spread']:.0%}"
    return [f"**The machine was busy**: {apart}. These numbers are rough, and the ranges were not calibrated with them."]


def cells(row: Found) -> list[str]:
    """One pair."""
    if "before" not in row:
        return [row["cause"], f"failed: {row.get('error', 'unknown')}".replace("|", "/")[:120], *[""] * 5]
    words = (row["first"] or "nothing").replace("_", " ")
    before, after = (f"{row[key]['median_ms']:.1f}" for key in ("before", "after"))
    noisy = f"{noise_of(row['before'], row['after']):.0%}" + (" (not counted)" if too_noisy(row) else "")
    if "untold" in row:
        held = "yes" if row["untold"] else "**no**"
        return [row["cause"], "not recorded" if row["untold"] else f"**not**: {words}", before, row["said"], after, held, noisy]
    if "low_ms" in row:
        said, held = f"{row['low_ms']:.1f} to {row['high_ms']:.1f}", "yes" if row["covered"] else f"**no**, {off(row)}"
    elif "refused" in row:
        said, held = "refused", "yes" if row["refused"] else "**no**"
    else:
        said, held = row.get("said") or "no time", ""
    return [row["cause"], words if row["named_first"] else f"**not**: {words}", before, said, after, held, noisy]


def off(row: Found) -> str:
    """How far the measured step is outside of the range."""
    after, low, high = row["after"]["median_ms"], row["low_ms"], row["high_ms"]
    return f"{after / high - 1:.0%} above" if after > high else f"{1 - after / max(low, 1e-9):.0%} below"


def notes(rows: list[Found]) -> list[str]:
    """Reasons of refusals."""
    return [f"Refused: {row['reason']}" for row in rows if row.get("reason")]


def bands_text(bands: Found) -> str:
    """How the package widens its ranges, from the file that it reads."""
    cpu, gpu = bands["cpu"], bands["gpu"]
    counts = ", ".join(f"`{lever}` {pairs}" for lever, pairs in sorted(cpu["levers"].items()))
    recordings = f"{gpu['pairs']} recording{'s' if gpu['pairs'] > 1 else ''}"
    return (
        f"A change may remove less work than the model says: up to {cpu['band']:.0%} less without a device ({cpu['pairs']} pairs), "
        f"{WIDE:.0%} if it was measured once, up to {gpu['band']:.0%} less with a device ({recordings}). The remaining work may get "
        f"faster: without a device by {cpu['more']:.0%} of itself, or of the removed time if that is less; by {cpu['around']:.0%} if "
        "the change also affects the time around its work (`launches`, `compile`, `io`, `messages`). These are the smallest "
        f"percentages, in steps of 5%, that cover nine of ten of these pairs, and never below {LEAST}. In the tables, the range of "
        "each pair is calibrated with the other pairs only. Without a device each end also leaves room for how far equal steps "
        f"differ: {STEADY:.0%} of the step before, and at most half of the removed time. Pairs per change: {counts}. "
        "Changes without a pair give [an upper bound](what-if.md#changes)."
    )


def write() -> None:
    """Writes the page anew."""
    results: Found = json.loads((ROOT / "benchmarks" / "results.json").read_text())
    found, stamp = results["truth"], results["stamps"]["truth"]
    proof.write()
    cores = f"{stamp['machine']['cores']} cores ({stamp['machine']['processor']})"
    PAGE.write_text(page(found, f"{stamp['date']} at commit `{stamp['commit']}` with {cores}"))
