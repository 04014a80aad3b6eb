"""`stepscope profile counters`: what hardware counters and other sampled values told, over time and in a step."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from stepscope.cli.profile.reading import csv_option, echo_csv, echo_json, profile_options, read_profiles
from stepscope.cli.terminal import COLUMNS, table, wrapped

if TYPE_CHECKING:
    from stepscope.analyses.counters import CounterRow
    from stepscope.model.profile import Profile
    from stepscope.model.steps import Steps

_SHOWN = 60
NO_COUNTERS = "No counters: the recording holds no sampled values; docs/profiles/tables.md tells how to record them."


@click.command("counters")
@profile_options
@csv_option
def command(
    profile: str,
    as_json: bool,
    steps_by: str | None,
    max_gib: int | None,
    no_cache: bool,
    as_csv: bool,
) -> None:
    """List the counters of PROFILE: least, mean over time, most and last value, and the median of the means over steps.

    Counters are what a profiler samples beside the work: hardware counters, memory in use, lengths of queues. A sample holds until
    the next one.
    """
    from stepscope.analyses.counters import counters
    from stepscope.analyses.steps import find_steps

    found: list[tuple[Profile, Steps, CounterRow]] = []
    for each in read_profiles(profile, max_gib, cache=not no_cache, timed=False):
        steps = find_steps(each, steps_by)
        found += [(each, steps, row) for row in counters(each, steps)]
    if as_json:
        echo_json({"counters": [_answer(each, steps, row) for each, steps, row in found]})
    elif as_csv:
        echo_csv([_cells(each, row) for each, _, row in found])
    elif not found:
        click.echo(wrapped(NO_COUNTERS))
    else:
        processes = len({row.process for _, _, row in found}) > 1
        rows = [_line(row, processes) for _, _, row in found[:_SHOWN]]
        lines = table(("counter", "samples", "least", "mean", "most", "last", "in a step"), rows, COLUMNS)
        more = len(found) - _SHOWN
        click.echo("\n".join([*lines, *([f"and {more:,} more; see --json"] if more > 0 else [])]))


def _line(row: CounterRow, with_process: bool) -> tuple[str, ...]:
    name = f"{row.process}: {row.name}" if with_process else row.name
    numbers = (row.least, row.mean, row.most, row.last, row.step_mean)
    return (name, f"{row.count:,}", *("" if number is None else f"{number:.4g}" for number in numbers))


def _cells(profile: Profile, row: CounterRow) -> dict[str, Any]:
    return {
        "name": row.name,
        "process": row.process,
        "host": profile.host,
        "rank": profile.rank if profile.rank >= 0 else None,
        "samples": row.count,
        "least": row.least,
        "mean": row.mean,
        "most": row.most,
        "last": row.last,
        "step_mean": row.step_mean,
    }


def _answer(profile: Profile, steps: Steps, row: CounterRow) -> dict[str, Any]:
    numbers: list[int] = steps.number.tolist()
    means = [{"step": number, "mean": mean} for number, mean in zip(numbers, row.step_means, strict=True)]
    return {**_cells(profile, row), "steps": means}
