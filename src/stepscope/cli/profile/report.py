"""`stepscope profile report`: where the time of a step goes, in one page or one JSON object."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

import click

from stepscope.cli.profile.findings import checked_answer, finding_lines, findings_answer
from stepscope.cli.profile.html_file import check_name, write_html
from stepscope.cli.profile.idle import idle_answer, idle_lines, idle_of_ranks
from stepscope.cli.profile.logged_settings import logged_beside
from stepscope.cli.profile.rank_choice import chosen_rank
from stepscope.cli.profile.rank_differences import difference_lines
from stepscope.cli.profile.reading import json_text, kept_answer, limits_of, profile_options, read_profiles
from stepscope.cli.profile.throughput import BATCH_OPTIONS, epoch_answer, epoch_lines, throughput_answer
from stepscope.cli.terminal import COLUMNS, count_of, percent, printable, shortened, table

if TYPE_CHECKING:
    from stepscope.analyses.data_quality import DataQuality
    from stepscope.analyses.epochs import Epoch
    from stepscope.analyses.idle_causes import CauseTable
    from stepscope.analyses.summary import Summary
    from stepscope.analyses.throughput import Throughput
    from stepscope.analyses.work.exposed_operations import ExposedOperation
    from stepscope.model.hlo import HloProgram
    from stepscope.model.profile import Float64
    from stepscope.rules.judge import Judgement

_BAR = 40
_ROWS = 8
_SLOW_SHOWN = 8
_RANKS_SHOWN = 16
_NOTES_SHOWN = 8
_SMALL_PART = 0.0005


@click.command("report")
@profile_options
@click.option(
    "--cores", type=click.IntRange(1, 65_536), metavar="N", help="Cores of the machine that was recorded, if the file does not tell."
)
@click.option(
    "--step-ms",
    type=click.FloatRange(0, 1e9, min_open=True),
    metavar="MS",
    help="Median step of the run without the profiler, if known.",
)
@BATCH_OPTIONS[0]
@BATCH_OPTIONS[1]
@click.option("--rank", "wanted", metavar="NAME", help="Say why this rank is idle with what explains it, as the report names it.")
@click.option("--html", "html_file", metavar="FILE", help="Write it as one HTML file that needs nothing else; its name ends in .html.")
def command(
    profile: str,
    as_json: bool,
    steps_by: str | None,
    max_gib: int | None,
    no_cache: bool,
    cores: int | None,
    step_ms: float | None,
    batch_size: int | None,
    tokens: int | None,
    wanted: str | None,
    html_file: str | None,
) -> None:
    """Say where the time of a step of PROFILE goes.

    The parts are of a typical step, exclude one another and sum to it; docs/profiles/step-breakdown.md defines each.
    """
    unprofiled_ns = None if step_ms is None else step_ms * 1e6
    if html_file is not None:
        from stepscope.dashboards.profile.report import Told

        check_name(html_file)
        profiles = read_profiles(profile, max_gib, cache=not no_cache)
        told = Told(cores, unprofiled_ns, batch_size, tokens)
        size = write_html(html_file, profile, profiles, steps_by, told, limits_of(max_gib))
        click.echo(f"{printable(html_file)}: {size:,} bytes.")
        return

    def answer() -> str:
        from stepscope.analyses.epochs import epochs_of_profile
        from stepscope.analyses.summary import rank_name, summarise
        from stepscope.analyses.throughput import throughput
        from stepscope.analyses.work.exposed_operations import exposed_operations
        from stepscope.analyses.work.operations import operations
        from stepscope.formats.span_attributes import span_attributes
        from stepscope.formats.xplane.programs import read_programs
        from stepscope.rules.judge import judge

        found = summarise(read_profiles(profile, max_gib, cache=not no_cache), steps_by)
        if wanted is not None:
            chosen_rank([rank_name(each, place) for place, each in enumerate(found.profiles)], wanted)
        tables = [operations(each, breakdown, calls=True) for each, breakdown in zip(found.profiles, found.breakdowns, strict=True)]
        rows = exposed_operations(tables, _ROWS, [each.typical_ns for each in found.breakdowns])

        @cache
        def programs(place: int) -> list[HloProgram]:
            return read_programs(found.profiles[place], limits_of(max_gib))[0]

        judged = judge(found, span_attributes, cores, unprofiled_ns=unprofiled_ns, programs=programs)
        idle = idle_of_ranks(found)
        logged = logged_beside(found.profiles[0].path)
        rates = throughput(found.profiles, found.breakdowns, span_attributes, batch_size, tokens, logged, programs)
        epochs = epochs_of_profile(found.profiles[0], found.breakdowns[0])
        if not as_json:
            return _text(found, rows, judged, idle_lines(found, idle, wanted, span_attributes), rates, epochs)
        more = {
            "throughput": throughput_answer(rates),
            "epochs": [epoch_answer(each) for each in epochs],
        }
        return json_text(report_answer(found, rows, judged, idle) | more)

    click.echo(kept_answer(profile, answer, cache=not no_cache))


def report_answer(found: Summary, rows: list[ExposedOperation], judged: Judgement, idle: Sequence[CauseTable]) -> dict[str, Any]:
    """The keys of --json; shares are fractions, other numbers carry their unit in the key."""
    from stepscope.analyses.summary import rank_name
    from stepscope.analyses.time_classes import DEFINITIONS
    from stepscope.analyses.work.kernels import matrix_use

    first = found.profiles[0]
    steps = found.breakdowns[0].steps
    use = matrix_use(found.profiles[found.lengths.longest])
    split = [part for part in found.collected.splits if part is not None]
    slowest = found.lengths.slowest
    return {
        "definitions": DEFINITIONS,
        "disagreements": [{"what": each.what, "values": list(each.values)} for each in found.disagreements],
        "summary": _headline(found, judged),
        "format": first.format,
        "framework": first.framework,
        "files": [profile.path for profile in found.profiles],
        "devices": [device.name or f"{device.kind} {device.ordinal}" for device in first.devices],
        "step_source": steps.source.text,
        "step_sources": [steps.source.text, *(other.text for other in steps.alternatives)],
        "step_ms": {"median": found.median_ns / 1e6, "p95": found.p95_ns / 1e6, "typical": found.typical_ns / 1e6},
        "breakdown": _groups(found.groups),
        "parts": _classes(found.parts),
        "overlapped": _classes(found.overlapped),
        "communication": {
            "split": found.collected.text,
            "waiting_ms": sum(part.waiting_ns for part in split) / len(split) / 1e6 if split else None,
            "transfer_ms": sum(part.transfer_ns for part in split) / len(split) / 1e6 if split else None,
        },
        "slow_steps": [
            {
                "step": int(breakdown.steps.number[step.place]),
                "rank": profile.rank if profile.rank >= 0 else None,
                "ms": int(breakdown.steps.length[step.place]) / 1e6,
                "part": step.part.key,
                "part_ms": step.part_difference_ns / 1e6,
            }
            for profile, breakdown in zip(found.profiles, found.breakdowns, strict=True)
            for step in breakdown.slow
        ],
        "most_exposed": [
            {"name": row.name, "kind": row.kind, "device": row.device, "count": row.count, "exposed_ms": row.exposed_ns / 1e6}
            | {"exposed": row.exposed_share}
            for row in rows
        ],
        "matrix_core": {"used": use.used, "unknown": use.unknown},
        "ranks": [
            _rank_answer(found, place) | {"idle_causes": idle_answer(profile, idle[place])}
            for place, profile in enumerate(found.profiles)
        ],
        "idle_ms": idle[found.lengths.longest].idle_ns / 1e6,
        "idle_causes": idle_answer(found.profiles[found.lengths.longest], idle[found.lengths.longest]),
        "slowest": None if slowest is None else rank_name(found.profiles[slowest], slowest),
        "ranks_apart": found.lengths.apart,
        "ranks_equal": found.lengths.equal,
        "findings": findings_answer(judged, found.profiles),
        "checked": checked_answer(judged),
        "replay_error": judged.replay_error,
        "inflation": judged.inflation,
        "data_quality": _quality_answer(found.quality),
    }


def _headline(found: Summary, judged: Judgement) -> str:
    from stepscope.analyses.summary import rank_name
    from stepscope.rules.headline import headline

    return headline(found, judged, [rank_name(profile, place) for place, profile in enumerate(found.profiles)])


def _rank_answer(found: Summary, place: int) -> dict[str, Any]:
    from stepscope.analyses.breakdown import group_sums

    profile, breakdown = found.profiles[place], found.breakdowns[place]
    split = found.collected.splits[place]
    return {
        "rank": profile.rank if profile.rank >= 0 else None,
        "host": profile.host,
        "steps": len(breakdown.steps),
        "typical_steps": len(breakdown.typical),
        "step_ms": {"median": breakdown.median_ns / 1e6, "p95": breakdown.p95_ns / 1e6, "typical": breakdown.typical_ns / 1e6},
        "breakdown": _groups(group_sums(breakdown.typical_parts) / (breakdown.typical_ns or 1.0)),
        "waiting_ms": split.waiting_ns / 1e6 if split else None,
        "transfer_ms": split.transfer_ns / 1e6 if split else None,
    }


def _groups(groups: Float64) -> dict[str, float]:
    from stepscope.analyses.time_classes import Group

    return {group.key: float(groups[group]) for group in Group}


def _classes(parts: Float64) -> dict[str, float]:
    from stepscope.analyses.time_classes import TimeClass

    return {time_class.key: float(parts[time_class]) / 1e6 for time_class in TimeClass}


def _quality_answer(quality: DataQuality) -> dict[str, Any]:
    return {
        "steps": quality.steps,
        "typical_steps": quality.typical_steps,
        "first_step_may_hold_profiler_start": quality.first_step_may_hold_profiler_start,
        "device_spans": quality.device_spans,
        "unlinked": quality.unlinked,
        "unlinked_share": quality.unlinked_share,
        "dropped_events": quality.dropped_events,
        "cut_short": bool(quality.cut_short),
        "missing_ranks": list(quality.missing_ranks),
        "clock_error_us": None if quality.clock_error_ns is None else quality.clock_error_ns / 1e3,
        "weak": list(quality.weak),
        "notes": [{"level": note.level, "code": note.code, "text": note.text} for note in quality.notes],
    }


def _text(
    found: Summary, rows: list[ExposedOperation], judged: Judgement, idle: list[str], rates: Throughput, epochs: list[Epoch]
) -> str:
    first = found.profiles[0]
    steps = found.breakdowns[0].steps
    devices = ", ".join(dict.fromkeys(device.name or device.kind for device in first.devices)) or "CPU"
    ranks = f", {len(found.profiles)} ranks" if len(found.profiles) > 1 else ""
    cut = click.wrap_text(printable(found.quality.cut_short), width=78).splitlines()
    differing = difference_lines(found.disagreements)
    lines = [
        *cut,
        *differing,
        *([""] if differing else []),
        *click.wrap_text(printable(_headline(found, judged)), width=COLUMNS - 2).splitlines(),
        "",
        f"{printable(first.framework) or 'Profile'} on {shortened(devices, 30)}{ranks}",
        f"{count_of(len(steps), 'step')} by {shortened(steps.source.text, 60)}",
        f"median {found.median_ns / 1e6:.2f} ms, 95 % within {found.p95_ns / 1e6:.2f} ms, typical {found.typical_ns / 1e6:.2f} ms",
        ", ".join(rates.facts),
        "",
        *_part_lines(found),
        "",
        *finding_lines(judged, first.framework),
        "",
        "Where the time is" + (f", mean over {len(found.profiles)} ranks" if ranks else ""),
        *_operation_lines(rows),
    ]
    lines += [
        line
        for section in (idle, _slow_lines(found), epoch_lines("Epochs", epochs), _rank_lines(found))
        if section
        for line in ("", *section)
    ]
    return "\n".join([*lines, "", *_quality_lines(found, judged)])


def _part_lines(found: Summary) -> list[str]:
    """Groups with a bar each, and below the classes that make them up, where there is more than one."""
    from stepscope.analyses.summary import part_text
    from stepscope.analyses.time_classes import GROUP_OF, Group, TimeClass

    lines: list[str] = []
    total = found.typical_ns or 1.0
    for group in Group:
        share = float(found.groups[group])
        bar = "█" * round(_BAR * share)
        lines.append(f"{group.key.replace('_', ' '):14} {share * total / 1e6:10.2f} ms {percent(share):>8}  {bar}".rstrip())
        members = [each for each in TimeClass if GROUP_OF[each] is group]
        shown = [each for each in members if len(members) > 1 and found.parts[each] / total >= _SMALL_PART]
        lines += [f"  {part_text(each):26} {found.parts[each] / 1e6:8.2f} ms" for each in shown]
        hidden = sum(float(found.overlapped[each]) for each in members)
        if hidden / total >= _SMALL_PART:
            lines.append(f"  {'hidden behind other work':26} {hidden / 1e6:8.2f} ms")
        if group is Group.COMMUNICATION and share > 0:
            lines.append(f"  {_split_text(found)}")
    return lines


def _split_text(found: Summary) -> str:
    split = [part for part in found.collected.splits if part is not None]
    if not split:
        return found.collected.text
    waiting = sum(part.waiting_ns for part in split) / len(split) / 1e6
    transfer = sum(part.transfer_ns for part in split) / len(split) / 1e6
    return f"waiting for other ranks {waiting:.2f} ms, transfer {transfer:.2f} ms"


def _operation_lines(rows: list[ExposedOperation]) -> list[str]:
    shown = [(f"  {row.name}", shortened(row.device, 10), f"{row.count:,}", percent(row.exposed_share)) for row in rows]
    return (
        table(("  operation", "where", "count", "of the step"), shown, COLUMNS) if shown else ["  Nothing that was traced is exposed."]
    )


def _slow_lines(found: Summary) -> list[str]:
    from stepscope.analyses.summary import part_text, rank_name

    lines: list[str] = []
    several = len(found.profiles) > 1
    for place, (profile, breakdown) in enumerate(zip(found.profiles, found.breakdowns, strict=True)):
        for step in breakdown.slow:
            where = f" of {rank_name(profile, place)}" if several else ""
            change = f"{step.part_difference_ns / 1e6:+.2f} ms {part_text(step.part)}"
            start = "; profiler's start?" if step.place + breakdown.steps.before == 0 else ""
            length = int(breakdown.steps.length[step.place]) / 1e6
            lines.append(f"  step {int(breakdown.steps.number[step.place])}{where}: {length:.2f} ms, {change}{start}")
    more = len(lines) - _SLOW_SHOWN
    return ["Steps that are not typical", *lines[:_SLOW_SHOWN], *([f"  and {more} more"] if more > 0 else [])] if lines else []


def _rank_lines(found: Summary) -> list[str]:
    if len(found.profiles) < 2:
        return []
    from stepscope.analyses.breakdown import group_sums
    from stepscope.analyses.summary import rank_name

    rows: list[tuple[str, ...]] = []
    for place, (profile, breakdown) in enumerate(zip(found.profiles, found.breakdowns, strict=True)):
        groups = group_sums(breakdown.typical_parts) / (breakdown.typical_ns or 1.0)
        name = shortened(rank_name(profile, place), 20) + (" (slowest)" if place == found.lengths.slowest else "")
        rows.append((f"  {name}", f"{breakdown.typical_ns / 1e6:.2f}", *(f"{100 * share:.0f} %" for share in groups.tolist())))
    shown = table(("  rank", "ms", "compute", "comm", "copy", "input", "host", "untraced"), rows[:_RANKS_SHOWN], COLUMNS)
    more = len(rows) - _RANKS_SHOWN
    said = f"  {found.lengths.text}" if found.lengths.text else ""
    return ["Ranks", *shown, *filter(None, [said]), *([f"  and {more} more; see --json"] if more > 0 else [])]


def _quality_lines(found: Summary, judged: Judgement) -> list[str]:
    quality, replay_error, inflation = found.quality, judged.replay_error, judged.inflation
    facts = [
        f"{count_of(quality.typical_steps, 'typical step')} of {quality.steps}",
        f"{quality.unlinked:,} of {quality.device_spans:,} device spans unlinked" if quality.device_spans else "",
        "events dropped" if quality.dropped_events else "",
        f"clocks agree within {quality.clock_error_ns / 1e3:,.0f} µs" if quality.clock_error_ns is not None else "",
        f"{count_of(len(quality.missing_ranks), 'rank')} missing" if quality.missing_ranks else "",
        f"replay {100 * replay_error:+.1f} %" if replay_error is not None else "",
        f"steps {100 * inflation:.0f} % longer by the profiler" if inflation is not None and inflation > 0 else "",
    ]
    lines = click.wrap_text(f"Data: {'; '.join(filter(None, facts))}.", width=COLUMNS, subsequent_indent="  ").splitlines()
    texts = list(dict.fromkeys(filter(None, [*quality.weak, found.first_step_note, *(note.text for note in quality.notes)])))
    for text in texts[:_NOTES_SHOWN]:
        lines += click.wrap_text(printable(text), width=78, initial_indent="  ", subsequent_indent="  ").splitlines()
    return lines
