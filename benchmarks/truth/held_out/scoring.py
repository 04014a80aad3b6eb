"""What came of one drawn training, and the counts over all of them: named or not, ranges that contain the measured step, harm."""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

from truth.constant_guess import best_guess
from truth.held_out.plan import CAUSES, Case
from truth.held_out.rounds import slower, too_noisy

LEAST_EFFECT = 1 / 3
"""A cause that takes less than this part of what was planned had no effect, and nothing is to be named."""
ASKING = "device_idle"
"""Says what to record where no other rule fires, or none that would gain as much as is not recorded."""
OUTCOMES = ("first", "named", "asks", "not_named", "wrong_first")
Found = dict[str, Any]


def outcome(rules: tuple[tuple[str, ...], ...], findings: Sequence[Found]) -> str:
    """How a cause was named. `findings` are the report's: those that fire first, in its order.

    "asks": the first thing said is what to record, and the rule of the cause cannot tell without. "wrong_first": the cause is not
    named, another is.
    """
    right = {rule for each in rules for rule in each}
    fired = [each["rule"] for each in findings if each["verdict"] == "fires"]
    if fired and fired[0] in right:
        return "first"
    if right & set(fired):
        return "named"
    asked = any(each["rule"] in right and each["verdict"] == "cannot_tell" and each["option"] for each in findings)
    if fired[:1] == [ASKING]:
        return "asks" if asked else "not_named"
    return "wrong_first" if fired else "not_named"


def judged(case: Case, before: Found, after: Found, findings: Sequence[Found]) -> Found:
    """One recording of a case."""
    fired = [each for each in findings if each["verdict"] == "fires" and each["rule"] != ASKING]
    row: Found = {"fired": [each["rule"] for each in fired], "first": fired[0]["rule"] if fired else None}
    if not case.causes:
        asks = any(each["rule"] == ASKING and each["verdict"] == "fires" for each in findings)
        return row | {"outcome": "false_alarm" if fired else "asked" if asks else "quiet"}
    row["outcome"] = outcome(case.rules, findings)
    row["all_named"] = all(set(rules) & set(row["fired"]) for rules in case.rules)
    if row["outcome"] == "first" and len(case.causes) == 1 and fired[0]["step_ms"] is not None:
        row |= promise(fired[0], after["median_ms"])
    return row | {"slower": row["outcome"] == "first" and slower(before, after)}


def scored(case: Case, before: Found, after: Found, reports: dict[str, list[Found]]) -> Found:
    """Times, what was said of each recording, and whether the case counts."""
    said = {options: judged(case, before, after, findings) for options, findings in reports.items()}
    return {"before": before, "after": after, "judged": said, "not_counted": why_not_counted(case, before, after)}


def promise(finding: Found, after_ms: float) -> Found:
    """What the first recommendation said, beside what was measured. An upper bound on the gain holds when reality does not beat it."""
    low, high = finding["step_ms"]["low"], finding["step_ms"]["high"]
    bound = finding["gain"]["kind"] == "at_best"
    held = low <= after_ms if bound else low <= after_ms <= high
    return {"low_ms": low, "high_ms": high, "bound": bound, "held": held, "width": None if bound else (high - low) / after_ms}


def why_not_counted(case: Case, before: Found, after: Found) -> str:
    """ "" for a case that counts."""
    if too_noisy(after):
        return "too noisy"
    effect = 1 - after["median_ms"] / before["median_ms"]
    planned = case.severity * len(case.causes)
    return "no effect" if case.causes and effect < LEAST_EFFECT * planned else ""


def counted(rows: Sequence[Found], options: str) -> Found:
    """All counts for recordings with one set of options."""
    good = [row for row in rows if not row["not_counted"]]
    slow = [row for row in good if row["causes"]]
    clean = [row for row in good if not row["causes"]]
    promised = [row for row in slow if "held" in row["judged"][options]]
    widths = [row["judged"][options]["width"] for row in promised if not row["judged"][options]["bound"]]
    tried = [row["advice"] for row in good if row.get("advice") and options == "default"]  # that of the other is not followed
    outcomes = Counter(row["judged"][options]["outcome"] for row in slow)
    return {
        "not_counted": dict(Counter(row["not_counted"] for row in rows if row["not_counted"])),
        "causes": len(slow),
        "outcomes": {each: outcomes[each] for each in OUTCOMES},
        "two_causes": sum(len(row["causes"]) == 2 for row in slow),
        "both_named": sum(len(row["causes"]) == 2 and row["judged"][options]["all_named"] for row in slow),
        "clean": len(clean),
        "false_alarms": sum(row["judged"][options]["outcome"] == "false_alarm" for row in clean),
        "asked": sum(row["judged"][options]["outcome"] == "asked" for row in clean),
        "promised": len(promised),
        "held": sum(row["judged"][options]["held"] for row in promised),
        "median_width": statistics.median(widths) if widths else None,
        "guess": best_guess([(row["before"]["median_ms"], row["after"]["median_ms"]) for row in promised], widths),
        "harmful": sum(row["judged"][options]["slower"] for row in slow) + sum(each["slower"] for each in tried),
        "tried": outcomes["first"] + len(tried),
        "levers": _by(slow, options, lambda row: CAUSES[row["framework"]][row["causes"][0]].lever if len(row["causes"]) == 1 else ""),
        "severities": _by(slow, options, lambda row: f"{row['severity']:.0%}" if len(row["causes"]) == 1 else ""),
        "frameworks": _by(slow, options, lambda row: row["framework"]),
    }


def _by(rows: Sequence[Found], options: str, key: Callable[[Found], str]) -> dict[str, Found]:
    """Cases, those named first, and ranges, for each value of a factor; rows whose value is "" are left out."""
    found: dict[str, Found] = {}
    for row in rows:
        if not (name := key(row)):
            continue
        mine = found.setdefault(name, {"cases": 0, "first": 0, "promised": 0, "held": 0})
        said = row["judged"][options]
        mine["cases"] += 1
        mine["first"] += said["outcome"] == "first"
        mine["promised"] += "held" in said
        mine["held"] += said.get("held", False)
    return dict(sorted(found.items()))
