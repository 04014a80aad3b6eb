"""A single kernel takes nearly the whole step."""

from __future__ import annotations

from stepscope.analyses.time_classes import TimeClass
from stepscope.rules.facts import Facts
from stepscope.rules.rule import NO_CODE, Evidence, Pattern, Quiet, Rule, Seen, percent


def look(facts: Facts) -> Seen:
    """Compute above nine tenths of the window."""
    share = facts.window_share(TimeClass.COMPUTE)
    if share < 0.9:
        return Quiet(f"Compute is {percent(share)} of the time.")
    return Pattern(
        "One kernel", "One kernel.", (Evidence(f"Compute is {percent(share)} of the time."),), of_window={TimeClass.COMPUTE: share}
    )


RULE = Rule("one_kernel", "One kernel", look, NO_CODE, "Never.")
