"""`stepscope profile communication`: communication by kind, group and size, and which rank the others wait for."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from stepscope.cli.profile.asking import ask, echo_answer, echo_rows
from stepscope.cli.profile.options import csv_option, limit_option, profile_options, rows_of_text
from stepscope.cli.profile.rank_differences import difference_lines
from stepscope.cli.terminal import COLUMNS, count_of, per_step, percent, shortened, size_of, table, wrapped

if TYPE_CHECKING:
    from stepscope.session.parts.communication import CollectiveRow, CommunicatingRank, Communication

_ROWS = 30
_RANKS = 32
_VALUES = 4
_NAME = 20
_SLOW = 0.01
_NOTHING_RUNS = "all ranks idle"
_OF_ALL_TIME = (
    "wait and move include hidden time and add up to ms; each of several concurrent collectives counts. Waiting and transfer of ranks "
    "add up to the exposed time."
)


@click.command("communication")
@profile_options
@csv_option
@limit_option
def command(profile: str, as_json: bool, as_csv: bool, **_: object) -> None:
    """List the communication of PROFILE by kind, group and size, and by rank.

    Times are milliseconds of a typical step, averaged over ranks. Ranks wait until the last rank of a collective arrives, and
    move data after that; the two can be separated only if all ranks of a collective have a file. GB/s is the bus bandwidth:
    what the slowest link carried.
    """
    from stepscope.session.parts.communication import COMMUNICATION

    answer = ask(COMMUNICATION, profile)
    if as_json:
        echo_answer(answer)
    elif as_csv:
        echo_rows(answer.collectives)
    else:
        click.echo(_text(answer))


def _text(answer: Communication) -> str:
    if not answer.collectives:
        return wrapped(answer.sentence)
    facts = [line for fact in _fact_lines(answer) for line in wrapped(fact).splitlines() or [""]]
    sections = [difference_lines(answer.disagreements), _row_lines(answer), _rank_lines(answer), facts]
    return "\n\n".join("\n".join(line.rstrip() for line in lines) for lines in sections if lines)


def _row_lines(answer: Communication) -> list[str]:
    shown = answer.collectives[: rows_of_text(_ROWS)]
    rows = [
        (
            f"{row.kind}, {row.group}" if row.group else row.kind,
            f"{row.ranks_here}/{row.ranks or '?'}",
            size_of(row.bytes) if row.bytes is not None else "–",
            per_step(row.count_per_step),
            _number(row.ms),
            _number(row.exposed_ms),
            _number(row.waiting_ms),
            _number(row.transfer_ms),
            _bandwidth(row),
        )
        for row in shown
    ]
    if answer.no_operation_ms is not None:
        rows.append((_NOTHING_RUNS, "", "", "", "", _number(answer.no_operation_ms), "", "", ""))
    head = ("kind, group", "ranks", "size", "per step", "ms", "exposed", "wait", "move", "GB/s")
    more = answer.total - len(shown)
    return [
        *table(head, rows, COLUMNS),
        *([f"and {more:,} more; see --limit"] if more > 0 else []),
        *(["", *wrapped(_OF_ALL_TIME).splitlines()] if len(answer.ranks) > 1 else []),
    ]


def _number(ms: float | None) -> str:
    return "–" if ms is None else f"{ms:.2f}"


def _bandwidth(row: CollectiveRow) -> str:
    if row.bus_bytes_per_second is None:
        return "–"
    rate = row.bus_bytes_per_second / 1e9
    return f"{'≥' if row.bandwidth_is_lower_bound else ''}{rate:.2f}" if rate >= _SLOW else f"<{_SLOW}"


def _rank_lines(answer: Communication) -> list[str]:
    if len(answer.ranks) < 2:
        return []
    rows = [
        (
            shortened(_name(row), _NAME),
            _number(row.step_ms),
            _number(row.exposed_ms),
            _number(row.overlapped_ms),
            _number(row.waiting_ms),
            _number(row.transfer_ms),
            _number(row.others_wait_ms),
            "–" if row.last_in_steps is None else percent(row.last_in_steps),
        )
        for row in answer.ranks[:_RANKS]
    ]
    head = ("rank", "step", "exposed", "hidden", "waiting", "transfer", "wait caused", "last in")
    more = len(answer.ranks) - _RANKS
    return [*table(head, rows, COLUMNS), *([f"and {more} more; see --json"] if more > 0 else [])]


def _name(row: CommunicatingRank) -> str:
    return row.worker if row.rank is None else f"rank {row.rank}"


def _fact_lines(answer: Communication) -> list[str]:
    from stepscope.analyses.texts import milliseconds

    lines = [f"Communication is {answer.split}."]
    slowest = next((row for row in answer.ranks if row.worker == answer.straggler), None)
    if slowest is not None:
        waits = f"{milliseconds(1e6 * (slowest.others_wait_ms or 0.0))} per step"
        last = f"it arrives last in {percent(slowest.last_in_steps or 0.0)} of steps"
        lines.append(f"The other ranks wait for {shortened(_name(slowest), 40)}: {waits}; {last}.")
    if answer.clock_error_us is not None:
        error = milliseconds(1e3 * answer.clock_error_us)
        lines.append(f"Clocks agree within {error}, by {count_of(answer.clocks_from, 'collective')}.")
    if answer.suspects:
        lines += ["", "These kernels may be communication too; if so, list them with --collectives:"]
        lines += [f"  {shortened(one.name, 34)}: {one.why}"[:COLUMNS] for one in answer.suspects[:_VALUES]]
    return lines
