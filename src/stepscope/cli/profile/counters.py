"""`stepscope profile counters`: the values of hardware counters and other sampled numbers, over time and per step."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from stepscope.cli.profile.asking import ask, echo_answer, echo_rows
from stepscope.cli.profile.options import csv_option, limit_option, profile_options, rows_of_text
from stepscope.cli.profile.rank_column import table_of_workers
from stepscope.cli.terminal import wrapped
from stepscope.model.number_text import digits

if TYPE_CHECKING:
    from stepscope.session.parts.counters import CounterRow, Counters

_SHOWN = 60
_NO_COUNTERS = "No counters in this profile; docs/profiles/tables.md says how to record them."


@click.command("counters")
@profile_options
@csv_option
@limit_option
@click.option(
    "--columns",
    type=click.IntRange(0, 4_000),
    default=0,
    show_default=True,
    metavar="N",
    help="Add the course of each counter over time, in N columns, to --json.",
)
def command(profile: str, as_json: bool, as_csv: bool, columns: int, **_: object) -> None:
    """List the counters of PROFILE: min, mean, max and last value, and the mean per step.

    Counters are values that a profiler samples: hardware counters, memory in use, queue lengths. A sample is valid until the next
    one. Means are over time; the mean per step is the median over steps.
    """
    from stepscope.session.parts.counters import COUNTERS

    answer = ask(COUNTERS, profile, columns=columns)
    if as_json:
        echo_answer(answer)
    elif as_csv:
        echo_rows(answer.counters)
    else:
        click.echo(_text(answer))


def _text(answer: Counters) -> str:
    if not answer.counters:
        return wrapped(_NO_COUNTERS)
    shown = answer.counters[: rows_of_text(_SHOWN)]
    processes = len({row.process for row in answer.counters}) > 1
    head = ("counter", "samples", "min", "mean", "max", "last", "per step")
    lines = table_of_workers(head, [_line(row, processes) for row in shown], shown)
    more = answer.total - len(shown)
    return "\n".join([*(line.rstrip() for line in lines), *([f"and {more:,} more; see --limit"] if more > 0 else [])])


def _line(row: CounterRow, with_process: bool) -> tuple[str, ...]:
    name = f"{row.process}: {row.name}" if with_process else row.name
    numbers = (row.least, row.mean, row.most, row.last, row.step_mean)
    return (name, f"{row.samples:,}", *("" if number is None else digits(number, 4) for number in numbers))
