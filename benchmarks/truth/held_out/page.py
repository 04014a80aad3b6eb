"""Writes the results of the held-out set as a part of docs/profiles/truth.md."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from truth.held_out.plan import CAUSES, HELD_OUT_SEED, digest, draw
from truth.held_out.scoring import OUTCOMES
from truth.noise import NOISY

RESULTS = Path(__file__).resolve().parent / "results.json"
NAMES = {"torch": "PyTorch", "keras": "Keras", "jax": "JAX"}
WORDS = {
    "first": "named first",
    "named": "named, not first",
    "asks": "says what to record",
    "not_named": "not named",
    "wrong_first": "another first",
    "quiet": "none",
    "false_alarm": "false alarm",
}
ABOUT = """\
`make truth` draws these trainings from a seed that was committed before they were first measured: cause × framework × model × size ×
severity (5, 15, 40 and 80% of the step), two causes at once, and clean trainings. Rules, model and bands are developed on other
seeds. The set is measured once per release and published whatever it says. Every training is recorded twice, with the same options
for every cause: the framework's defaults, and the options that rules ask for. Steps before and after are timed without a profiler, in
alternating blocks; `stepscope profile report` gets the profile, the number of cores and the median step time. Where another rule than
that of the cause comes first, its advice is followed as far as the training allows, to count harm.

The list was extended once, on 2026-11-18 and before its first measurement, by causes it lacked: microbatches of one sample, a thread
that needs the interpreter, a lock that another thread has, automatic garbage collection, and printing in a Keras callback. PyTorch's
recommended options also record garbage collection since then, as a rule asks for it."""
Found = dict[str, Any]
Table = Callable[[list[str], list[list[str]]], str]
"""Makes a Markdown table of a head and rows."""


def section(table: Table) -> list[str]:
    """The heading, what the set is, and its results as far as there are any."""
    parts = ["## Held-out trainings", ABOUT]
    if not RESULTS.exists():
        planned = draw(HELD_OUT_SEED)
        return [*parts, f"**Not measured yet.** Seed {HELD_OUT_SEED}, {len(planned)} trainings, list `{digest(planned)}`."]
    return [*parts, *results_section(json.loads(RESULTS.read_text()), table)]


def results_section(found: Found, table: Table) -> list[str]:
    """Where the figures come from, the counts, and every training."""
    return [measured_on(found), *counts(found, table), *cases(found, table)]


def measured_on(found: Found) -> str:
    """Where the figures come from."""
    machine = found["machine"]
    versions = ", ".join(f"{name} {version}" for name, version in found["libraries"].items())
    return (
        f"Measured on {found['date']} at commit `{found['commit']}` with {machine['cores']} cores ({machine['processor']}), "
        f"{versions}. Seed {found['seed']}, {found['planned']} trainings, list `{found['list']}`; {found['failed']} failed."
    )


def counts(found: Found, table: Table) -> list[str]:
    """One column for each set of options."""
    told = found["counts"]
    rows = [
        ["trainings with a cause", *(str(each["causes"]) for each in told.values())],
        *([WORDS[key], *(str(each["outcomes"][key]) for each in told.values())] for key in OUTCOMES),
        ["two causes: both named", *(f"{each['both_named']} of {each['two_causes']}" for each in told.values())],
        ["clean trainings with a false alarm", *(f"{each['false_alarms']} of {each['clean']}" for each in told.values())],
        ["estimates that contain the measured step", *(f"{each['held']} of {each['promised']}" for each in told.values())],
        ["median width of a range, of the measured step", *(share(each["median_width"]) for each in told.values())],
        ["best constant guess of that width", *(guess(each["guess"], each["promised"]) for each in told.values())],
        ["advice followed that made the step slower", *(f"{each['harmful']} of {each['tried']}" for each in told.values())],
    ]
    left_out = ", ".join(f"{count} {why}" for why, count in next(iter(told.values()))["not_counted"].items()) or "none"
    usual = told["default"]
    factors = [
        [f"{title}: {name}", str(each["cases"]), str(each["first"]), f"{each['held']} of {each['promised']}"]
        for title, key in (("change", "levers"), ("severity", "severities"), ("framework", "frameworks"))
        for name, each in usual[key].items()
    ]
    return [
        table(["", *(f"{name} options" for name in told)], rows),
        f"Not counted: {left_out}. A training is too noisy when medians of equal blocks differ by more than {NOISY:.0%}.",
        "With default options, by factor:",
        table(["", "Trainings", "Named first", "Estimates that hold"], factors),
    ]


def cases(found: Found, table: Table) -> list[str]:
    """Every training. Times are milliseconds."""
    head = ["Training", "Severity", "Before", "After", "Noise", "Default options", "Estimated", "Recommended options"]
    return ["Every training, times in milliseconds:", table(head, [cells(row) for row in found["cases"]])]


def cells(row: Found) -> list[str]:
    """One training."""
    causes = " and ".join(CAUSES[row["framework"]][cause].text for cause in row["causes"]) or "clean"
    name = f"{NAMES[row['framework']]}, {row['size']} {row['model']}: {causes}"
    planned = f"{row['severity']:.0%}" if row["causes"] else ""
    if "judged" not in row:
        return [name, planned, *[""] * 3, "failed", "", ""]
    usual, asked = row["judged"]["default"], row["judged"]["recommended"]
    said = ""
    if "held" in usual:
        times = f"from {usual['low_ms']:.1f}" if usual["bound"] else f"{usual['low_ms']:.1f}–{usual['high_ms']:.1f}"
        said = times if usual["held"] else f"**{times}**"
    return [
        name,
        planned,
        f"{row['before']['median_ms']:.1f}",
        f"{row['after']['median_ms']:.1f}",
        f"{row['noise']:.0%}" + (f" ({row['not_counted']})" if row["not_counted"] else ""),
        worded(usual),
        said,
        worded(asked),
    ]


def worded(said: Found) -> str:
    """The outcome, with the rule that came first where it is not the right one."""
    other = said["outcome"] in {"named", "wrong_first", "false_alarm"}
    return f"{WORDS[said['outcome']]}: `{said['first']}`" if other else WORDS[said["outcome"]]


def share(value: float | None) -> str:
    """A percentage, or nothing."""
    return "" if value is None else f"{value:.0%}"


def guess(found: Found | None, promised: int) -> str:
    """The range that looks at no profile."""
    return "" if found is None else f"{found['low']:.0%}–{found['high']:.0%} of before: {found['held']} of {promised}"
