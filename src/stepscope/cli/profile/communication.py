"""`stepscope profile communication`: communication by kind, group and size, and what the ranks wait for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from stepscope.cli.profile.rank_differences import difference_lines
from stepscope.cli.profile.reading import csv_option, echo_csv, echo_json, limits_of, profile_options, read_profiles
from stepscope.cli.terminal import COLUMNS, count_of, percent, shortened, size_of, table, wrapped

if TYPE_CHECKING:
    from collections.abc import Sequence

    from stepscope.analyses.communication.tables import CollectiveRow, Communication
    from stepscope.model.profile import Profile

_ROWS = 30
_RANKS = 32
_VALUES = 4
_NAME = 20
_SLOW = 0.01
_NOTHING_RUNS = "no op on any rank"
_OF_ALL_TIME = (
    "wait and move divide ms, hidden or not, and collectives that run at the same time count each; waiting and transfer of ranks "
    "divide what is exposed."
)


@click.command("communication")
@profile_options
@csv_option
def command(profile: str, as_json: bool, steps_by: str | None, max_gib: int | None, no_cache: bool, as_csv: bool) -> None:
    """List the communication of PROFILE by kind, group and size, and by rank.

    Times are milliseconds of a typical step, in the mean over ranks. Ranks wait until the last of a collective has come, and move
    data after that; the two are told apart only where all ranks of a collective have a file. GB/s is the bus bandwidth: what the
    slowest link carried.
    """
    from stepscope.analyses.breakdown import break_down
    from stepscope.analyses.communication.tables import communication
    from stepscope.analyses.steps import find_steps
    from stepscope.formats.xplane.programs import read_programs

    profiles = read_profiles(profile, max_gib, cache=not no_cache)
    breakdowns = [break_down(each, find_steps(each, steps_by)) for each in profiles]
    found = communication(profiles, breakdowns, [read_programs(each, limits_of(max_gib))[0] for each in profiles])
    if as_json:
        echo_json(comm_answer(profiles, found))
    elif as_csv:
        echo_csv([row_answer(row) for row in found.rows])
    else:
        click.echo(_text(profiles, found))


def comm_answer(profiles: Sequence[Profile], found: Communication) -> dict[str, Any]:
    """The keys of --json."""
    from stepscope.analyses.summary import rank_name

    clocks = found.collected.clocks
    names = [rank_name(profile, place) for place, profile in enumerate(profiles)]
    return {
        "disagreements": [{"what": each.what, "values": list(each.values)} for each in found.disagreements],
        "split": found.collected.text,
        "clock_error_us": clocks.error_ns / 1e3 if clocks else None,
        "straggler": names[found.straggler] if found.straggler is not None else None,
        "no_operation_on_any_rank_ms": _ms(found.between_hosts_ns),
        "suspects": [{"name": one.name, "why": one.why, "count": one.count, "total_ms": one.total_ns / 1e6} for one in found.suspects],
        "collectives": [row_answer(row) for row in found.rows],
        "ranks": [
            {
                "rank": name,
                "step_ms": row.step_ns / 1e6,
                "exposed_ms": row.exposed_ns / 1e6,
                "overlapped_ms": row.overlapped_ns / 1e6,
                "waiting_ms": _ms(row.waiting_ns),
                "transfer_ms": _ms(row.transfer_ns),
                "others_wait_ms": _ms(row.caused_ns),
                "last_in_steps": row.last,
                "steps": list(row.step_number),
                "waiting_ms_by_step": None if row.step_waiting_ns is None else [each / 1e6 for each in row.step_waiting_ns],
            }
            for name, row in zip(names, found.ranks, strict=True)
        ],
    }


def row_answer(row: CollectiveRow) -> dict[str, Any]:
    """One row of the table; unknown is null."""
    return {
        "kind": row.kind,
        "group": row.group or None,
        "ranks": row.ranks,
        "ranks_here": row.present,
        "bytes": row.bytes,
        "dtype": row.dtype or None,
        "count": row.count,
        "ms": row.total_ns / 1e6,
        "exposed_ms": row.exposed_ns / 1e6,
        "overlapped_ms": row.overlapped_ns / 1e6,
        "waiting_ms": _ms(row.waiting_ns),
        "transfer_ms": _ms(row.transfer_ns),
        "each_us": row.each_ns / 1e3,
        "algorithm_bytes_per_second": row.algorithm_bandwidth,
        "bus_bytes_per_second": row.bus_bandwidth,
        "bandwidth_is_lower_bound": row.lower_bound,
        "split": row.split,
    }


def _ms(ns: float | None) -> float | None:
    return None if ns is None else ns / 1e6


def _text(profiles: Sequence[Profile], found: Communication) -> str:
    if not found.rows:
        return wrapped("No communication: the recording holds no collective and nothing that is sent or received.")
    sections = [difference_lines(found.disagreements), _row_lines(found), _rank_lines(profiles, found), _fact_lines(profiles, found)]
    return "\n\n".join("\n".join(line.rstrip() for line in lines) for lines in sections if lines)


def _row_lines(found: Communication) -> list[str]:
    rows = [
        (
            f"{row.kind}, {row.group}" if row.group else row.kind,
            f"{row.present}/{row.ranks or '?'}",
            size_of(row.bytes) if row.bytes is not None else "–",
            f"{row.count:,}",
            _number(row.total_ns),
            _number(row.exposed_ns),
            _number(row.waiting_ns),
            _number(row.transfer_ns),
            _bandwidth(row),
        )
        for row in found.rows[:_ROWS]
    ]
    if found.between_hosts_ns is not None:
        rows.append((_NOTHING_RUNS, "", "", "", "", _number(found.between_hosts_ns), "", "", ""))
    head = ("kind, group", "ranks", "size", "count", "ms", "exposed", "wait", "move", "GB/s")
    more = len(found.rows) - _ROWS
    return [
        *table(head, rows, COLUMNS),
        *([f"and {more} more; see --json"] if more > 0 else []),
        *(_sums() if len(found.ranks) > 1 else []),
    ]


def _sums() -> list[str]:
    """What the columns of both tables sum to, which differs."""
    return ["", *wrapped(_OF_ALL_TIME).splitlines()]


def _number(ns: float | None) -> str:
    return "–" if ns is None else f"{ns / 1e6:.2f}"


def _bandwidth(row: CollectiveRow) -> str:
    if row.bus_bandwidth is None:
        return "–"
    rate = row.bus_bandwidth / 1e9
    return f"{'≥' if row.lower_bound else ''}{rate:.2f}" if rate >= _SLOW else f"<{_SLOW}"


def _rank_lines(profiles: Sequence[Profile], found: Communication) -> list[str]:
    from stepscope.analyses.summary import rank_name

    if len(profiles) < 2:
        return []
    rows = [
        (
            shortened(rank_name(profile, place), _NAME),
            _number(row.step_ns),
            _number(row.exposed_ns),
            _number(row.overlapped_ns),
            _number(row.waiting_ns),
            _number(row.transfer_ns),
            _number(row.caused_ns),
            "–" if row.last is None else percent(row.last),
        )
        for place, (profile, row) in enumerate(zip(profiles[:_RANKS], found.ranks[:_RANKS], strict=True))
    ]
    head = ("rank", "step", "exposed", "hidden", "waiting", "transfer", "others wait", "last in")
    more = len(profiles) - _RANKS
    return [*table(head, rows, COLUMNS), *([f"and {more} more; see --json"] if more > 0 else [])]


def _fact_lines(profiles: Sequence[Profile], found: Communication) -> list[str]:
    from stepscope.analyses.summary import milliseconds, rank_name

    collected = found.collected
    lines = [f"Communication is {collected.text}."]
    if found.straggler is not None:
        row = found.ranks[found.straggler]
        waits = f"{milliseconds(row.caused_ns or 0.0)} a step"
        name = shortened(rank_name(profiles[found.straggler], found.straggler), 40)
        lines.append(f"The others wait for {name}: {waits}, last in {percent(row.last or 0.0)} of steps.")
    if collected.clocks is not None:
        together = count_of(collected.clocks.matched, "collective")
        lines.append(f"Clocks agree within {milliseconds(collected.clocks.error_ns)}, by {together}.")
    if found.suspects:
        lines += ["", "These may be communication too; if they are, name them with --collectives"]
        lines += [f"  {shortened(one.name, 34)}: {one.why}"[:COLUMNS] for one in found.suspects[:_VALUES]]
    return lines
