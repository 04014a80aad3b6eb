"""`stepscope profile path`: the chain of work and waiting that makes a step as long as it is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from stepscope.cli.profile.rank_choice import chosen_rank
from stepscope.cli.profile.reading import csv_option, echo_csv, echo_json, profile_options, read_profiles
from stepscope.cli.terminal import COLUMNS, count_of, percent, printable, shortened, table
from stepscope.model.errors import BadInput

if TYPE_CHECKING:
    from collections.abc import Sequence

    from stepscope.analyses.breakdown import Breakdown
    from stepscope.analyses.steps import Steps
    from stepscope.analyses.what_if.critical_path import CriticalPath, PathRow, PathSegment
    from stepscope.analyses.what_if.path_savings import PathSaving
    from stepscope.model.profile import Profile

_ROWS = 15
_BESIDE = 5
_SEGMENTS = 200
_BAR = 30


@click.command("path")
@profile_options
@csv_option
@click.option("--rank", "wanted", metavar="NAME", help="The rank whose steps to follow, as the report names it; the slowest otherwise.")
@click.option("--step", "step_number", type=int, metavar="N", help="List the path of this step from its start to its end.")
def command(
    profile: str,
    as_json: bool,
    steps_by: str | None,
    max_gib: int | None,
    no_cache: bool,
    as_csv: bool,
    wanted: str | None,
    step_number: int | None,
) -> None:
    """Say what the length of a step of PROFILE consists of.

    From a step's end the path goes back to whatever held each thing up: a launch, the work before it on its stream, another stream,
    a call that waited for the device, or the rank that came last to a collective. What is on it is what a shorter step needs; what
    is beside it may end later by its slack without making the step longer.
    """
    from stepscope.analyses.breakdown import break_down
    from stepscope.analyses.steps import find_steps
    from stepscope.analyses.summary import rank_name
    from stepscope.analyses.what_if.critical_path import critical_path

    profiles = read_profiles(profile, max_gib, cache=not no_cache)
    breakdowns = [break_down(each, find_steps(each, steps_by)) for each in profiles]
    names = [rank_name(each, place) for place, each in enumerate(profiles)]
    rank = _rank(names, wanted, [each.typical_ns for each in breakdowns])
    found = critical_path(profiles, breakdowns, rank)
    steps = breakdowns[rank].steps
    if as_json:
        savings = _savings(found, profiles, breakdowns)
        echo_json(path_answer(found, profiles, rank, steps, step_number) | {"savings": _savings_answer(savings)})
    elif as_csv:
        echo_csv([_row_answer(row, names) for row in found.rows])
    elif step_number is not None:
        click.echo("\n".join(_segment_lines(_of_step(found, steps, step_number), names)))
    else:
        click.echo(_text(found, names, rank, _savings(found, profiles, breakdowns)))


def _savings(found: CriticalPath, profiles: Sequence[Profile], breakdowns: Sequence[Breakdown]) -> tuple[PathSaving, ...]:
    from stepscope.analyses.what_if.path_savings import path_savings
    from stepscope.analyses.what_if.prediction import replay_context

    return path_savings(replay_context(profiles, breakdowns), found)


def _savings_answer(savings: Sequence[PathSaving]) -> list[dict[str, Any]]:
    return [{"lever": f"{one.lever}=0", "parts": list(one.parts), "path": one.path, "saves": one.saves} for one in savings]


def _rank(names: Sequence[str], wanted: str | None, lengths: Sequence[float]) -> int:
    if wanted is None:
        return max(range(len(names)), key=lambda place: (lengths[place], -place))
    return chosen_rank(names, wanted)


def _of_step(found: CriticalPath, steps: Steps, number: int) -> Sequence[PathSegment]:
    if not found.segments:
        raise BadInput(found.note, "no_path")
    places = [place for place, each in enumerate(steps.number.tolist()) if each == number]
    if not places:
        raise BadInput(f"There is no step {number}; steps are {int(steps.number[0])} to {int(steps.number[-1])}.", "no_such_step")
    return found.segments[places[0]]


def path_answer(found: CriticalPath, profiles: Sequence[Profile], rank: int, steps: Steps, step_number: int | None) -> dict[str, Any]:
    """The keys of --json."""
    from stepscope.analyses.summary import rank_name

    names = [rank_name(each, place) for place, each in enumerate(profiles)]
    answer: dict[str, Any] = {
        "model": found.model,
        "note": found.note or None,
        "rank": names[rank],
        "step_ms": found.step_ns / 1e6,
        "parts": [{"part": part, "ms": ns / 1e6, "share": ns / (found.step_ns or 1.0)} for part, ns in found.parts],
        "operations": [_row_answer(row, names) for row in found.rows],
    }
    if step_number is not None:
        answer["step"] = step_number
        answer["segments"] = [_segment_answer(each, profiles[each.rank], names) for each in _of_step(found, steps, step_number)]
    return answer


def _row_answer(row: PathRow, names: Sequence[str]) -> dict[str, Any]:
    return {
        "name": row.name,
        "part": row.part,
        "rank": names[row.rank],
        "steps": row.steps,
        "count": row.count,
        "path_ms": row.path_ns / 1e6,
        "share": row.share,
        "beside_ms": row.beside_ns / 1e6,
        "slack_ms": None if row.slack_ns is None else row.slack_ns / 1e6,
    }


def _segment_answer(each: PathSegment, profile: Profile, names: Sequence[str]) -> dict[str, Any]:
    return {
        "name": each.name,
        "part": each.part,
        "rank": names[each.rank],
        "span": profile.row_in_file(each.row) if each.row >= 0 else None,
        "start_us": each.start / 1e3,
        "us": (each.end - each.start) / 1e3,
    }


def _saving_lines(found: CriticalPath, savings: Sequence[PathSaving]) -> list[str]:
    """What the replay says that a step would lose without the parts."""
    from stepscope.analyses.what_if.path_savings import WHY_LESS

    rows = [
        (f"  {one.lever} ({', '.join(one.parts)})", percent(one.path), percent(one.saves), f"{one.saves * found.step_ns / 1e6:.2f}")
        for one in savings
    ]
    head = ("  a step without", "on the path", "is shorter by", "ms")
    why = click.wrap_text(WHY_LESS, width=78, initial_indent="  ", subsequent_indent="  ").splitlines()
    return ["", *table(head, rows, COLUMNS), *why] if rows else []


def _text(found: CriticalPath, names: Sequence[str], rank: int, savings: Sequence[PathSaving]) -> str:
    of = f" of {printable(names[rank])}" if len(names) > 1 else ""
    lines = [f"A typical step{of} takes {found.step_ns / 1e6:.2f} ms, and its path consists of", ""]
    for part, ns in found.parts:
        share = ns / (found.step_ns or 1.0)
        lines.append(f"  {part:14} {ns / 1e6:10.2f} ms {percent(share):>8}  {'█' * round(_BAR * share)}".rstrip())
    lines += _saving_lines(found, savings)
    on = [row for row in found.rows if row.path_ns > 0][:_ROWS]
    several = len({row.rank for row in on}) > 1
    rows = [
        (f"  {_name(row, names, several)}", row.part, f"{row.steps:,}", f"{row.path_ns / 1e6:.2f}", percent(row.share)) for row in on
    ]
    lines += ["", "On the path", *table(("  operation", "part", "steps", "ms", "of the step"), rows, COLUMNS)]
    beside = sorted((row for row in found.rows if row.slack_ns is not None), key=lambda row: -row.beside_ns)[:_BESIDE]
    if beside:
        rows = [
            (f"  {_name(row, names, several)}", f"{row.beside_ns / 1e6:.2f}", f"{(row.slack_ns or 0.0) / 1e6:.2f}") for row in beside
        ]
        lines += ["", "Beside it", *table(("  operation", "ms", "may end later by"), rows, COLUMNS)]
    if found.note:
        lines += ["", *click.wrap_text(found.note, width=78).splitlines()]
    return "\n".join(line.rstrip() for line in lines)


def _name(row: PathRow, names: Sequence[str], several: bool) -> str:
    return f"{names[row.rank]}: {row.name}" if several else row.name


def _segment_lines(segments: Sequence[PathSegment], names: Sequence[str]) -> list[str]:
    several = len({each.rank for each in segments}) > 1
    rows: list[tuple[str, ...]] = []
    at = 0
    for each in segments[:_SEGMENTS]:
        name = f"{names[each.rank]}: {each.name}" if several else each.name
        rows.append((name, shortened(each.part, 12), f"{at / 1e3:,.1f}", f"{(each.end - each.start) / 1e3:,.1f}"))
        at += each.end - each.start
    more = len(segments) - _SEGMENTS
    return [
        *table(("operation", "part", "at µs", "µs"), rows, COLUMNS),
        *([f"and {count_of(more, 'segment')} more; see --json"] if more > 0 else []),
    ]
