"""`stepscope profile path`: the critical path of a step, and the slack of everything off it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from stepscope.cli.profile.asking import ask, echo_answer, echo_rows
from stepscope.cli.profile.options import csv_option, limit_option, profile_options, rows_of_text
from stepscope.cli.terminal import COLUMNS, count_of, percent, printable, shortened, table

if TYPE_CHECKING:
    from stepscope.session.parts.path import CriticalPathAnswer, PathRow, PathSegmentRow

_ROWS = 15
_OFF_PATH = 5
_SEGMENTS = 200
_BAR = 30
_WHY_LESS = "A saving is smaller than the time on the path if parallel work then becomes critical."


@click.command("path")
@profile_options
@csv_option
@limit_option
@click.option("--rank", "follow", metavar="NAME", help="Follow the steps of this rank; default: the slowest one.")
@click.option("--step", "step_number", type=int, metavar="N", help="List the path of step N from its start to its end.")
def command(profile: str, as_json: bool, as_csv: bool, follow: str | None, step_number: int | None, **_: object) -> None:
    """Show the critical path of a step of PROFILE.

    The path follows dependencies back from the end of a step: launches, earlier work on the same stream, other streams, calls that
    wait for the device, and the rank that arrives last at a collective. Only shorter work on the path makes the step shorter; work
    off the path can end later by its slack without delaying the step.
    """
    from stepscope.session.parts.path import PATH

    answer = ask(PATH, profile, follow=follow or "", step=step_number)
    if as_json:
        echo_answer(answer)
    elif as_csv:
        echo_rows(answer.operations)
    elif answer.segments is not None:
        click.echo("\n".join(_segment_lines(answer.segments)))
    else:
        click.echo(_text(answer))


def _saving_lines(answer: CriticalPathAnswer) -> list[str]:
    rows = [
        (f"  {one.change} ({', '.join(one.parts)})", percent(one.path), percent(one.saves), f"{one.saves * answer.step_ms:.2f}")
        for one in answer.savings
    ]
    head = ("  change", "on the path", "est. saving", "ms")
    why = click.wrap_text(_WHY_LESS, width=78, initial_indent="  ", subsequent_indent="  ").splitlines()
    return ["", *table(head, rows, COLUMNS), *why] if rows else []


def _text(answer: CriticalPathAnswer) -> str:
    several = len({row.worker for row in answer.operations}) > 1
    of = f" of {printable(answer.worker)}" if answer.workers > 1 else ""
    lines = [f"Typical step time{of}: {answer.typical_ms:.2f} ms. Critical path of a step:", ""]
    for each in answer.parts:
        lines.append(f"  {each.part:14} {each.ms:10.2f} ms {percent(each.share):>8}  {'█' * round(_BAR * each.share)}".rstrip())
    lines += _saving_lines(answer)
    on = [row for row in answer.operations if row.path_ms > 0][: rows_of_text(_ROWS)]
    rows = [(f"  {_name(row, several)}", row.part, f"{row.steps:,}", f"{row.path_ms:.2f}", percent(row.share)) for row in on]
    lines += ["", "On the path", *table(("  operation", "part", "steps", "ms", "of step"), rows, COLUMNS)]
    off = sorted((row for row in answer.operations if row.slack_ms is not None), key=lambda row: -row.off_path_ms)[
        : rows_of_text(_OFF_PATH)
    ]
    if off:
        rows = [(f"  {_name(row, several)}", f"{row.off_path_ms:.2f}", f"{row.slack_ms or 0.0:.2f}") for row in off]
        lines += ["", "Off the path", *table(("  operation", "ms", "slack ms"), rows, COLUMNS)]
    if answer.note:
        lines += ["", *click.wrap_text(answer.note, width=78).splitlines()]
    return "\n".join(line.rstrip() for line in lines)


def _name(row: PathRow | PathSegmentRow, several: bool) -> str:
    return f"{row.worker}: {row.name}" if several else row.name


def _segment_lines(segments: Sequence[PathSegmentRow]) -> list[str]:
    several = len({each.worker for each in segments}) > 1
    rows: list[tuple[str, ...]] = []
    at = 0.0
    for each in segments[:_SEGMENTS]:
        rows.append((_name(each, several), shortened(each.part, 12), f"{at:,.1f}", f"{each.us:,.1f}"))
        at += each.us
    more = len(segments) - _SEGMENTS
    return [
        *table(("operation", "part", "at µs", "µs"), rows, COLUMNS),
        *([f"and {count_of(more, 'segment')} more; see --json"] if more > 0 else []),
    ]
