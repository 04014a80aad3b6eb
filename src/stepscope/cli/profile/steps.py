"""`stepscope profile steps`: every step and the parts its time divides into."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from stepscope.cli.profile.reading import echo_json, profile_options, read_profiles
from stepscope.cli.terminal import count_of, shortened, table

if TYPE_CHECKING:
    from stepscope.analyses.breakdown import Breakdown, SlowStep
    from stepscope.model.profile import Profile

_SHOWN = 200


@click.command("steps")
@profile_options
def command(profile: str, as_json: bool, steps_by: str | None, max_gib: int | None, no_cache: bool) -> None:
    """List the steps of PROFILE and the parts of each.

    Parts are milliseconds by class and sum to the step. Steps that are not typical are marked with the part that grew.
    """
    from stepscope.analyses.breakdown import break_down
    from stepscope.analyses.steps import find_steps

    profiles = read_profiles(profile, max_gib, cache=not no_cache)
    breakdowns = [break_down(each, find_steps(each, steps_by)) for each in profiles]
    if as_json:
        echo_json(steps_answer(profiles, breakdowns))
    else:
        click.echo("\n\n".join(_text(each, found) for each, found in zip(profiles, breakdowns, strict=True)))


def steps_answer(profiles: Sequence[Profile], breakdowns: Sequence[Breakdown]) -> dict[str, Any]:
    """The keys of --json."""
    from stepscope.analyses.time_classes import DEFINITIONS, TimeClass

    rows: list[dict[str, Any]] = []
    for profile, found in zip(profiles, breakdowns, strict=True):
        slow = {step.place: step for step in found.slow}
        warm = found.warm_up
        for place, number in enumerate(found.steps.number.tolist()):
            row: dict[str, Any] = {
                "step": number,
                "host": profile.host,
                "rank": profile.rank if profile.rank >= 0 else None,
                "start_ms": (int(found.steps.bounds[place]) - int(found.steps.bounds[0])) / 1e6,
                "ms": int(found.steps.length[place]) / 1e6,
                "parts": {time_class.key: float(found.parts[place, time_class]) / 1e6 for time_class in TimeClass},
                "overlapped": {time_class.key: float(found.overlapped[place, time_class]) / 1e6 for time_class in TimeClass},
                "typical": place not in slow,
                "grew": slow[place].part.key if place in slow else None,
                "grew_ms": slow[place].part_difference_ns / 1e6 if place in slow else None,
                "warm_up": place < warm,
                "may_hold_profiler_start": place + found.steps.before == 0,
            }
            rows.append(row)
    source = breakdowns[0].steps
    return {
        "definitions": DEFINITIONS,
        "step_source": source.source.text,
        "step_sources": [source.source.text, *(other.text for other in source.alternatives)],
        "steps": rows,
    }


def _text(profile: Profile, found: Breakdown) -> str:
    from stepscope.analyses.breakdown import group_sums
    from stepscope.analyses.summary import rank_name

    groups = group_sums(found.parts) / 1e6
    slow = {step.place: step for step in found.slow}
    rows: list[tuple[str, ...]] = []
    for place, number in enumerate(found.steps.number.tolist()[:_SHOWN]):
        cells = [f"{value:.2f}" for value in (int(found.steps.length[place]) / 1e6, *groups[place].tolist())]
        rows.append((str(number), *cells))
    lines = table(("step", "ms", "compute", "comm", "copy", "input", "host", "untraced"), rows)
    marked = [f"{line}  * {_grown(slow[place])}" if place in slow else line for place, line in enumerate(lines[1:])]
    title = f"{shortened(rank_name(profile, 0), 24)}: {count_of(len(found.steps), 'step')} by {shortened(found.steps.source.text, 40)}"
    more = len(found.steps) - _SHOWN
    notes = [
        f"and {more:,} more; see --json" if more > 0 else "",
        "* not typical, with the part that changed most and by how many ms" if slow else "",
        f"{count_of(found.warm_up, 'step')} of warm-up; --skip-warmup leaves them out." if found.warm_up else "",
        "The first step may hold the profiler's start." if len(found.steps) > 1 and not found.steps.before else "",
    ]
    said = [note for note in notes if note]
    return "\n".join([title, "", lines[0], *marked, *(["", *said] if said else [])])


def _grown(step: SlowStep) -> str:
    return f"{step.part_difference_ns / 1e6:+.2f} {step.part.key}"
