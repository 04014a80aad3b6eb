"""`stepscope profile coverage`: which operations have time and memory, and why the others have not."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from stepscope.cli.profile.asking import ask, echo_answer, echo_rows
from stepscope.cli.profile.options import csv_option, limit_option, profile_options, rows_of_text
from stepscope.cli.terminal import COLUMNS, printable, shortened, table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from stepscope.session.parts.coverage import Coverage, ReasonCount

_SHOWN = 40
_INTO = 30
_NAMED = 8
_SOURCES = {"graph": "the logged graph", "programs": "compiled programs", "trace": "the trace; the run has no graph of it"}
_EXECUTED = {
    "partitions": "the partition graphs of the step",
    "labels": "the labels of events alone; add output_partition_graphs=True to RunOptions to know more",
    "none": "",
}


@click.command("coverage")
@profile_options
@csv_option
@limit_option
@click.option("--contains", metavar="TEXT", help="Show only operations whose name or type contains TEXT (case-insensitive).")
@click.option("--reason", metavar="REASON", help="Show only operations with this reason, such as fused.")
def command(profile: str, as_json: bool, as_csv: bool, contains: str | None, reason: str | None, **_: object) -> None:
    """Explain which operations of PROFILE have no time or no memory.

    Operations are the nodes of the logged graph, or the instructions of compiled programs, and all operations of the trace. Each
    operation without time or memory is listed with the reason, the evidence, and what to do.
    """
    from stepscope.session.parts.coverage import COVERAGE

    answer = ask(COVERAGE, profile, contains=contains or "", reason=reason or "")
    if as_json:
        echo_answer(answer)
    elif as_csv:
        echo_rows(answer.missing)
    else:
        click.echo(_text(answer))


def _text(answer: Coverage) -> str:
    lines = [
        f"{answer.operations:,} operations: {answer.with_time:,} with time, {answer.with_memory:,} with memory"
        f" (from {_SOURCES[answer.source]}).",
        *([f"Reasons are from {_EXECUTED[answer.executed_graph]}."] if _EXECUTED[answer.executed_graph] else []),
        *_missing_ranks(answer.missing_ranks),
        *_counts("Without time:", answer.time_reasons),
        *_counts("With time, without memory:", answer.memory_reasons),
    ]
    if answer.ran_as:
        lines += ["", "Ran as another operation:"]
        for one in answer.ran_as[: rows_of_text(_SHOWN)]:
            includes = f", with {', '.join(printable(each) for each in one.includes)}" if one.includes else ""
            lines.append(f"  {printable(one.name)}: {printable(one.ran_as)}{includes}")
    shown = [row for row in answer.missing if not row.has_time][: rows_of_text(_SHOWN)]
    if shown:
        rows = [(row.name, f"{row.reason} into {shortened(row.into, _INTO)}" if row.into else row.reason) for row in shown]
        lines += ["", *(line.rstrip() for line in table(("operation", "reason"), rows, COLUMNS))]
    more = answer.total - len(shown)
    if more > 0:
        lines.append(f"and {more:,} more; see --limit and --reason")
    return "\n".join(lines)


def _missing_ranks(ranks: Sequence[int]) -> list[str]:
    if not ranks:
        return []
    named = ", ".join(map(str, ranks[:_NAMED])) + (f" and {len(ranks) - _NAMED:,} more" if len(ranks) > _NAMED else "")
    return [
        f"Not counted: operations of {'rank' if len(ranks) == 1 else 'ranks'} {named}, whose profiles are missing. Add their files."
    ]


def _counts(title: str, counts: Sequence[ReasonCount]) -> list[str]:
    if not counts:
        return []
    return ["", title, *(f"  {one.operations:>6,}  {one.reason}: {one.meaning}" for one in counts)]
