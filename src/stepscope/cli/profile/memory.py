"""`stepscope profile memory`: who holds memory at the peak, the largest tensors, and whether it grows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from stepscope.cli.profile.asking import ask, echo_answer
from stepscope.cli.profile.memory_programs import show_programs
from stepscope.cli.profile.memory_series import forget_series, memory_of_logs, show_logged_memory
from stepscope.cli.profile.options import profile_options
from stepscope.cli.terminal import COLUMNS, percent, printable, shortened, size_of, table
from stepscope.model.errors import BadInput, NotThere
from stepscope.model.number_text import digits, three_digits

if TYPE_CHECKING:
    from stepscope.session.parts.memory import Memory
    from stepscope.session.parts.memory_devices import DeviceMemory, HeldRow, OutOfMemoryRow, TensorRow, TimelineRow

_SHOWN = 15
_LARGEST = 8
_SPIKES = 5
_WORTH_A_LINE = 0.01
_LINES = 6
_EIGHTHS = " ▁▂▃▄▅▆▇█"
_POINTS = 600
SERIES_UNITS = ("bytes", "KB", "MB", "GB", "KiB", "MiB", "GiB")


@click.command("memory")
@profile_options
@click.option("--by", type=click.Choice(("op", "module", "kind")), help="Stack the timeline in --json by this.")
@click.option(
    "--points", type=click.IntRange(2, 100_000), metavar="N", default=_POINTS, help="Number of points of timelines in --json."
)
@click.option("--scope", metavar="PREFIX", default="", help="Show only operations, modules or programs that start with PREFIX.")
@click.option("--programs", is_flag=True, help="Show the memory that XLA plans for compiled programs instead.")
@click.option("--min-bytes", type=click.IntRange(0), metavar="N", default=0, help="Hide rows below N bytes.")
@click.option("--series", metavar="TAG", multiple=True, help="Show logged memory instead: system metrics and this series; repeatable.")
@click.option("--keep", is_flag=True, help="Mark --series as memory for this folder, here and on the page.")
@click.option("--forget", is_flag=True, help="Unmark --series as memory.")
@click.option("--unit", type=click.Choice(SERIES_UNITS), metavar="UNIT", help=f"Unit of --series: {', '.join(SERIES_UNITS)}.")
def command(
    profile: str,
    as_json: bool,
    no_cache: bool,
    by: str | None,
    points: int,
    scope: str,
    min_bytes: int,
    programs: bool,
    series: tuple[str, ...],
    unit: str | None,
    keep: bool,
    forget: bool,
    **_: object,
) -> None:
    """Show memory of each device and of the host in PROFILE by owner, and whether it grows.

    PROFILE can also be a memory snapshot or memory timeline of PyTorch, a memory profile of JAX, or run metadata of TensorFlow 1. For a
    log folder without any of these, the command shows the memory that its runs have logged.
    """
    from stepscope.analyses.memory.timeline import StackedBy
    from stepscope.session.parts.memory import MEMORY

    if series and programs:
        raise BadInput("Give either --series or --programs.", "series_and_programs")
    if unit and not series:
        raise BadInput("--unit needs --series; give the series that has this unit.", "unit_alone")
    if (keep and forget) or ((keep or forget) and not series):
        raise BadInput("Give --series with either --keep or --forget.", "keep_alone")
    if forget:
        forget_series(profile, series)
        return
    if series:
        show_logged_memory(memory_of_logs(profile, series, unit, cache=not no_cache, keep=keep), as_json=as_json)
        return
    try:
        stacked_by = StackedBy(by) if by else None
        answer = ask(MEMORY, profile, programs=programs, by=stacked_by, points=points, scope=scope, min_bytes=min_bytes)
    except NotThere:
        if programs or not (logged := memory_of_logs(profile, cache=not no_cache)).series:
            raise
        show_logged_memory(logged, as_json=as_json)
        return
    if not (answer.devices or programs) and (logged := memory_of_logs(profile, cache=not no_cache)).series:
        show_logged_memory(logged, answer, as_json=as_json)
    elif as_json:
        echo_answer(answer)
    elif programs:
        show_programs(answer)
    else:
        _show(answer)


def _show(answer: Memory) -> None:
    if not answer.devices:
        raise NotThere(answer.notes[0], "no_memory")
    several = len({row.worker for row in answer.devices}) > 1
    click.echo("\n\n".join(_text(row, _owner(row) if several else "") for row in answer.devices))


def _owner(row: DeviceMemory) -> str:
    return f"rank {row.rank}, " if row.rank is not None else f"{row.worker}, "


def _text(row: DeviceMemory, owner: str) -> str:
    lines = _wrapped(f"{owner}{row.name}: {row.sentence}")
    if row.growth is not None:
        lines += _wrapped(row.growth.sentence, "  ")
    if row.growth is not None and row.growth.verdict == "grows":
        lines += [f"  {size_of(stays.bytes)} allocated by {shortened(stays.op, COLUMNS - 40)} remain." for stays in row.growth.stays]
    lines += [line for failed in row.out_of_memory for line in _wrapped(_failed(failed), "  ")]
    if row.fragmentation is not None:
        what = "free memory outside the largest free block" if row.pieces else "reserved memory unused at the peak"
        lines.append(f"  {percent(row.fragmentation)} fragmentation: {what}.")
    if len(row.timeline.ms) > 1:
        lines += ["", *picture(row.timeline, row.timed)]
    lines += ["", *_held(row.at_peak, row.at_peak_left_out_bytes)]
    if row.largest:
        lines += ["", *_tensors(row.largest, row.timed)]
    spikes = [spike for spike in row.spikes[:_SPIKES] if spike.bytes >= _WORTH_A_LINE * row.peak_bytes]
    if spikes:
        head = ("allocated and freed within one operation", "calls", "max")
        lines += ["", *table(head, [(spike.op, f"{spike.count:,}", size_of(spike.bytes)) for spike in spikes], COLUMNS)]
    if row.notes:
        lines += ["", *(line for note in row.notes for line in _wrapped(note))]
    return "\n".join(line.rstrip() for line in lines)


def _failed(failed: OutOfMemoryRow) -> str:
    held = ", ".join(f"{shortened(each.op, 40)} ({size_of(each.bytes)})" for each in failed.holders)
    return f"Out of memory: {failed.sentence}" + (f" Largest allocations: {held}." if held else "")


def picture(line: TimelineRow, timed: bool) -> list[str]:
    """The level over time in a few lines of blocks, with the peak's size and the length."""
    top, edge = max(line.bytes), f"{size_of(max(line.bytes))} "
    columns = COLUMNS - len(edge) - 1
    start, length = line.ms[0], max(line.ms[-1] - line.ms[0], 1e-9)
    heights, held, point = list[int](), line.bytes[0], 0
    for column in range(columns):
        highest = held if column else line.bytes[0]
        while point < len(line.ms) and (line.ms[point] - start) / length * columns < column + 1:
            held = line.bytes[point]
            highest = max(highest, held)
            point += 1
        heights.append(round(8 * _LINES * highest / top) if top > 0 else 0)
    lines = [
        f"{edge if level == _LINES - 1 else ' ' * len(edge)}│"
        + "".join(_EIGHTHS[max(0, min(8, height - 8 * level))] for height in heights)
        for level in reversed(range(_LINES))
    ]
    end = f"{digits(line.ms[-1] - start, 4)} ms" if timed else f"{len(line.ms):,} events"
    return [*lines, f"{'0 '.rjust(len(edge))}└{'─' * columns}", f"{' ' * (len(edge) + 1)}0{end.rjust(columns - 1)}"]


def _held(rows: Sequence[HeldRow], left_out: int) -> list[str]:
    if not rows:
        return ["No rows match --scope and --min-bytes."]
    shown = [
        (row.op, shortened(_where(row), 26), f"{row.count:,}" if row.count else "", size_of(row.bytes), percent(row.share))
        for row in rows[:_SHOWN]
    ]
    rest = left_out + sum(row.bytes for row in rows[_SHOWN:])
    lines = _filled(("allocated at the peak by", "in", "count", "bytes", "share"), shown)
    return [*lines, *([f"and {size_of(rest)} more; see --json"] if rest > 0 else [])]


def _tensors(rows: Sequence[TensorRow], timed: bool) -> list[str]:
    shown = [
        (
            row.op,
            shortened(_where(row), 26),
            "" if row.step is None else str(row.step),
            _lived(row, timed),
            f"{row.count:,}",
            size_of(row.bytes),
        )
        for row in rows[:_LARGEST]
    ]
    return _filled(("largest allocations", "in", "step", "lifetime", "count", "bytes"), shown)


def _filled(head: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> list[str]:
    """A table without the columns that are empty."""
    kept = [place for place in range(len(head)) if place == 0 or any(row[place] for row in rows)]
    return table(tuple(head[place] for place in kept), [tuple(row[place] for place in kept) for row in rows], COLUMNS)


def _where(row: HeldRow | TensorRow) -> str:
    """Kind, module and shape, as far as they are known and say more than the operation."""
    return " ".join(part for part in (row.kind, row.module, f"{row.dtype}{row.shape}") if part and part != row.op)


def _lived(row: TensorRow, timed: bool) -> str:
    if row.from_ms is None or row.until_ms is None:
        return "since before" if row.from_ms is None and timed else "to the end" if row.until_ms is None and timed else ""
    return f"{three_digits(row.until_ms - row.from_ms)} ms" if timed else ""


def _wrapped(text: str, indent: str = "") -> list[str]:
    return click.wrap_text(printable(text), COLUMNS, indent, indent).splitlines()
