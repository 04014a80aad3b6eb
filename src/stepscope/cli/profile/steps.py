"""`stepscope profile steps`: every step and the parts its time divides into."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from typing import TYPE_CHECKING

import click

from stepscope.cli.profile.asking import ask, echo_answer, echo_rows
from stepscope.cli.profile.options import csv_option, profile_options
from stepscope.cli.profile.rank_choice import worker_label
from stepscope.cli.terminal import count_of, shortened, table

if TYPE_CHECKING:
    from stepscope.session.parts.steps import StepRow
    from stepscope.session.step_rows import StepParts

_SHOWN = 200


@click.command("steps")
@profile_options
@csv_option
def command(profile: str, as_json: bool, as_csv: bool, **_: object) -> None:
    """List the steps of PROFILE and their time breakdown.

    Parts are milliseconds by class and sum to the step. Outlier steps are marked with the part that differs most.
    """
    from stepscope.session.parts.steps import STEPS

    answer = ask(STEPS, profile)
    if as_json:
        echo_answer(answer)
    elif as_csv:
        echo_rows(answer.steps)
    else:
        workers = [list(rows) for _, rows in groupby(answer.steps, key=lambda row: row.worker)]
        click.echo("\n\n".join(_text(rows, answer.step_source) for rows in workers))


def _text(rows: Sequence[StepRow], source: str) -> str:
    cells = [(str(row.step), *(f"{ms:.2f}" for ms in (row.ms, *_groups(row.parts)))) for row in rows[:_SHOWN]]
    lines = table(("step", "ms", "compute", "comm", "copy", "input", "host", "untraced"), cells)
    marked = [line if row.typical else f"{line}  * {_grown(row)}" for row, line in zip(rows, lines[1:], strict=False)]
    title = f"{shortened(worker_label(rows[0]), 24)}: {count_of(len(rows), 'step')} by {shortened(source, 40)}"
    more, warm = len(rows) - _SHOWN, sum(row.warm_up for row in rows)
    notes = [
        f"and {more:,} more; see --json" if more > 0 else "",
        "* outlier, with the part that differs most and by how many ms" if not all(row.typical for row in rows) else "",
        f"{count_of(warm, 'step')} of warm-up; --skip-warmup leaves them out." if warm else "",
        "The first step may include the profiler's start." if len(rows) > 1 and rows[0].may_hold_profiler_start else "",
    ]
    said = [note for note in notes if note]
    return "\n".join([title, "", lines[0], *marked, *(["", *said] if said else [])])


def _groups(parts: StepParts) -> list[float]:
    from stepscope.analyses.time_classes import GROUP_OF, Group, TimeClass

    return [sum(float(getattr(parts, each.key)) for each in TimeClass if GROUP_OF[each] is group) for group in Group]


def _grown(row: StepRow) -> str:
    return f"{row.grew_ms or 0.0:+.2f} {row.grew}"
