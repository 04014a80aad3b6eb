"""Writes the results of the held-out set as a part of docs/profiles/truth.md."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from truth.held_out.plan import CAUSES, HELD_OUT_SEED, digest, draw
from truth.held_out.rounds import SURE, TOO_WIDE, uncertainty
from truth.held_out.scoring import OUTCOMES

RESULTS = Path(__file__).resolve().parent / "results.json"
EARLIER = RESULTS.with_name("earlier.json")
"""Counts of held-out sets that were measured before and are known since, so that the next release has a new seed."""
DEVELOPMENT = RESULTS.with_name("development.json")
"""Counts of the seeds that rules were developed on."""
NAMES = {"torch": "PyTorch", "keras": "Keras", "jax": "JAX"}
WORDS = {
    "first": "named first",
    "named": "named, not first",
    "asks": "says first what to record",
    "not_named": "not named",
    "wrong_first": "another first",
    "quiet": "none",
    "false_alarm": "false alarm",
    "asked": "asks to record more",
}
ABOUT = """\
`make truth` draws these trainings from a seed that was committed before they were first measured: cause × framework × model × size ×
severity (5, 15, 40 and 80% of the step), two causes at once, and clean trainings. Rules, model and bands are developed on other
seeds. A set is measured once and published whatever it says; as its trainings are known then, the next release has a new seed. Every
training is recorded twice, with the same options for every cause: the framework's defaults, and the options that rules ask for. Steps
before and after are timed without a profiler, in many short alternating blocks; the step after is the step before times the median
ratio of the two blocks of a round. `stepscope profile report` gets the profile, the number of cores and the median step time. Where
another rule than that of the cause comes first, its advice is followed as far as the training allows, to count harm."""
Found = dict[str, Any]
Table = Callable[[list[str], list[list[str]]], str]
"""Makes a Markdown table of a head and rows."""


def section(table: Table) -> list[str]:
    """The heading, what the set is, the results of the newest that is measured, and the one that is next."""
    found = json.loads(RESULTS.read_text()) if RESULTS.exists() else None
    measured = results_section(found, table) if found is not None else []
    following = [] if found is not None and found["seed"] == HELD_OUT_SEED else [not_measured()]
    return ["## Held-out trainings", ABOUT, *following, *measured, *earlier_section(earlier()), *development_section(table)]


def not_measured() -> str:
    """The set that is committed to; results below it are of the set before."""
    planned = draw(HELD_OUT_SEED)
    return f"Next set, **not measured yet**: seed {HELD_OUT_SEED}, {len(planned)} trainings, list `{digest(planned)}`."


def earlier() -> list[Found]:
    """Counts of former seeds."""
    return json.loads(EARLIER.read_text()) if EARLIER.exists() else []


def without_cases(found: Found) -> Found:
    """What stays of a set when the next is measured."""
    return {key: value for key, value in found.items() if key != "cases"}


def earlier_section(known: list[Found]) -> list[str]:
    """One line for each former seed."""
    return ["Earlier:", "\n".join(f"- {summary(each)}" for each in known)] if known else []


def summary(found: Found) -> str:
    """The counts that matter most, of both sets of options."""
    said = [
        f"{options} options: {each['outcomes']['first']} of {each['causes']} named first, {each['held']} of {each['promised']} "
        f"estimates contain the measured step (width {share(each['median_width'])}), {each['false_alarms']} of {each['clean']} clean "
        f"trainings with a false alarm"
        for options, each in found["counts"].items()
    ]
    left_out = sum(next(iter(found["counts"].values()))["not_counted"].values())
    return (
        f"Seed {found['seed']}, {found['date']}, commit `{found['commit']}`: {'; '.join(said)}. "
        f"{left_out} of {found['planned']} trainings did not count."
    )


def development_section(table: Table) -> list[str]:
    """The seeds that rules were developed on: in-sample, to be read beside the held-out set."""
    if not DEVELOPMENT.exists():
        return []
    found: Found = json.loads(DEVELOPMENT.read_text())
    seeds = ", ".join(map(str, found["seeds"]))
    about = (
        f"In-sample: rules, model and bands were revised on these trainings (seeds {seeds}, recorded on {found['date']}). Their "
        "recordings were judged again by the rules as they are now, whose advice was not followed again. "
        "Other programs used the machine meanwhile, so steps before, after "
        "and while recording differ more than on a quiet one. Since seed 2 PyTorch's trainings have a fused optimizer: the default "
        "loops over parameters on a CPU, which is one of the causes."
    )
    return ["### Development seeds", about, *counts(found, table, followed=False)]


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


def counts(found: Found, table: Table, *, followed: bool = True) -> list[str]:
    """One column for each set of options; harm only where the advice of other rules was followed."""
    told = found["counts"]
    rows = [
        ["trainings with a cause", *(str(each["causes"]) for each in told.values())],
        *([WORDS[key], *(str(each["outcomes"][key]) for each in told.values())] for key in OUTCOMES),
        ["two causes: both named", *(f"{each['both_named']} of {each['two_causes']}" for each in told.values())],
        ["clean trainings with a false alarm", *(f"{each['false_alarms']} of {each['clean']}" for each in told.values())],
        ["clean trainings that are only asked to record more", *(asked(each) for each in told.values())],
        ["estimates that contain the measured step", *(f"{each['held']} of {each['promised']}" for each in told.values())],
        ["median width of a range, of the measured step", *(share(each["median_width"]) for each in told.values())],
        ["best constant guess of that width", *(guess(each["guess"], each["promised"]) for each in told.values())],
    ]
    if followed:
        rows.append(["advice followed that made the step slower", *(f"{each['harmful']} of {each['tried']}" for each in told.values())])
    left_out = ", ".join(f"{count} {why}" for why, count in next(iter(told.values()))["not_counted"].items()) or "none"
    usual = told["default"]
    factors = [
        [f"{title}: {name}", str(each["cases"]), str(each["first"]), f"{each['held']} of {each['promised']}"]
        for title, key in (("change", "levers"), ("severity", "severities"), ("framework", "frameworks"))
        for name, each in usual[key].items()
    ]
    return [
        table(["", *(f"{name} options" for name in told)], rows),
        f"Not counted: {left_out}. A training is too noisy when the {SURE:.0%} interval of the step after, by the order of the rounds, "
        f"is wider than {TOO_WIDE:.0%} of it.",
        "With default options, by factor:",
        table(["", "Trainings", "Named first", "Estimates that hold"], factors),
    ]


def asked(counts: Found) -> str:
    """Clean trainings that get no other recommendation; nothing in counts from before it was counted."""
    return f"{counts['asked']} of {counts['clean']}" if "asked" in counts else ""


def cases(found: Found, table: Table) -> list[str]:
    """Every training. Times are milliseconds."""
    head = ["Training", "Severity", "Before", "After", "Interval", "Default options", "Estimated", "Recommended options"]
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
        f"{uncertainty(row['after']):.0%}" + (f" ({row['not_counted']})" if row["not_counted"] else ""),
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
