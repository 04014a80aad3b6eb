"""`stepscope profile report`: where the time of a step goes and what to change, in one page or one JSON object."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from stepscope.analyses.texts import milliseconds
from stepscope.cli.profile.asking import ask, echo_answer
from stepscope.cli.profile.findings import finding_lines
from stepscope.cli.profile.html_file import write_html
from stepscope.cli.profile.idle import idle_lines
from stepscope.cli.profile.options import profile_options
from stepscope.cli.profile.rank_choice import worker_label
from stepscope.cli.profile.rank_differences import difference_lines
from stepscope.cli.profile.throughput import BATCH_OPTIONS, epoch_lines
from stepscope.cli.terminal import COLUMNS, count_of, per_step, percent, printable, shortened, table
from stepscope.cli.written_file import HTML_ENDINGS, check_name

if TYPE_CHECKING:
    from stepscope.session.parts.report import Report, SlowStep
    from stepscope.session.report.columns import ExposedRow

_BAR = 40
_SLOW_SHOWN = 8
_RANKS_SHOWN = 16
_NOTES_SHOWN = 8
_SMALL_PART = 0.0005
_SAID_ELSEWHERE = {"weak", "missing_ranks", "linked", "clocks", "not_split", "replay", "inflation", "option"}
"""Notes that other lines of the text have as well."""


@click.command("report")
@profile_options
@click.option("--cores", type=click.IntRange(1, 65_536), metavar="N", help="CPU cores of the profiled machine, if not recorded.")
@click.option(
    "--step-ms",
    type=click.FloatRange(0, 1e9, min_open=True),
    metavar="MS",
    help="Median step time without the profiler, if the run has not logged it.",
)
@BATCH_OPTIONS[0]
@BATCH_OPTIONS[1]
@click.option("--rank", "wanted", metavar="NAME", help="Show the idle time of this rank, such as 3 or its worker's name.")
@click.option("--html", "html_file", metavar="FILE", help="Write the report to one self-contained HTML file; its name ends in .html.")
def command(
    profile: str,
    as_json: bool,
    cores: int | None,
    step_ms: float | None,
    batch_size: int | None,
    tokens: int | None,
    wanted: str | None,
    html_file: str | None,
    **_: object,
) -> None:
    """Summarize where step time of PROFILE goes, and recommend changes.

    The parts are of a typical step, exclude each other and sum to it; docs/profiles/step-breakdown.md defines each.
    """
    from stepscope.session.parts.report import REPORT

    if html_file is not None:
        check_name(html_file, HTML_ENDINGS)
    answer = ask(REPORT, profile, cores=cores, step_ms=step_ms, batch=batch_size, tokens=tokens)
    if html_file is not None:
        size = write_html(html_file, profile, cores=cores, step_ms=step_ms, batch=batch_size, tokens=tokens)
        click.echo(f"{printable(html_file)}: {size:,} bytes.")
    elif as_json:
        echo_answer(answer)
    else:
        click.echo(_text(answer, wanted))


def _text(answer: Report, wanted: str | None) -> str:
    idle = idle_lines(answer.ranks, wanted)
    devices = ", ".join(dict.fromkeys(answer.devices)) or "CPU"
    ranks = f", {len(answer.ranks)} ranks" if len(answer.ranks) > 1 else ""
    cut = answer.data_quality.weak[:1] if answer.data_quality.cut_short else []
    differing = difference_lines(answer.disagreements)
    lines = [
        *(line for text in cut for line in click.wrap_text(printable(text), width=78).splitlines()),
        *(f"{printable(each.worker)} could not be read: {printable(each.reason)}" for each in answer.broken),
        *differing,
        *([""] if differing else []),
        *click.wrap_text(printable(answer.summary), width=COLUMNS - 2).splitlines(),
        "",
        f"{printable(answer.framework) or 'Profile'} on {shortened(devices, 30)}{ranks}",
        f"{count_of(answer.ranks[0].steps, 'step')} by {shortened(answer.step_source, 60)}",
        *_step_lines(answer),
        *filter(None, [", ".join(answer.throughput.facts)]),
        "",
        *_part_lines(answer),
        "",
        *finding_lines(answer.findings, answer.checked),
        "",
        "Most exposed operations" + (f", mean over {len(answer.ranks)} ranks" if ranks else ""),
        *_operation_lines(answer.most_exposed),
    ]
    sections = (idle, _slow_lines(answer.slow_steps, len(answer.ranks)), epoch_lines("Epochs", answer.epochs), _rank_lines(answer))
    lines += [line for section in sections if section for line in ("", *section)]
    return "\n".join([*lines, "", *_quality_lines(answer)])


def _step_lines(answer: Report) -> list[str]:
    step, unprofiled = answer.step_ms, answer.unprofiled_ms
    without = "" if unprofiled is None else f", {unprofiled:.2f} ms without the profiler"
    text = f"typical step {step.typical:.2f} ms{without}; all steps: median {step.median:.2f} ms, p95 {step.p95:.2f} ms"
    return click.wrap_text(text, width=COLUMNS, subsequent_indent="  ").splitlines()


def _part_lines(answer: Report) -> list[str]:
    """Groups with a bar each, and below the classes that make them up, where there is more than one."""
    from stepscope.analyses.texts import part_text
    from stepscope.analyses.time_classes import GROUP_OF, Group, TimeClass

    lines: list[str] = []
    total = answer.step_ms.typical or 1.0
    parts, hidden = ({each: float(getattr(of, each.key)) for each in TimeClass} for of in (answer.parts, answer.overlapped))
    for group in Group:
        share = float(getattr(answer.breakdown, group.key))
        bar = "█" * round(_BAR * share)
        lines.append(f"{group.key.replace('_', ' '):14} {share * total:10.2f} ms {percent(share):>8}  {bar}".rstrip())
        members = [each for each in TimeClass if GROUP_OF[each] is group]
        shown = [each for each in members if len(members) > 1 and parts[each] / total >= _SMALL_PART]
        lines += [f"  {part_text(each):26} {parts[each]:8.2f} ms" for each in shown]
        overlapped = sum(hidden[each] for each in members)
        if overlapped / total >= _SMALL_PART:
            lines.append(f"  {'hidden behind other work':26} {overlapped:8.2f} ms")
        if group is Group.COMMUNICATION and share > 0:
            lines.append(f"  {_split_text(answer)}")
    return lines


def _split_text(answer: Report) -> str:
    found = answer.communication
    if found.waiting_ms is None or found.transfer_ms is None:
        return found.split
    return f"waiting for other ranks {found.waiting_ms:.2f} ms, transfer {found.transfer_ms:.2f} ms"


def _operation_lines(rows: Sequence[ExposedRow]) -> list[str]:
    shown = [(f"  {row.name}", shortened(row.device, 10), per_step(row.count_per_step), percent(row.exposed_share)) for row in rows]
    return (
        table(("  operation", "device", "per step", "of the step"), shown, COLUMNS) if shown else ["  No traced operation is exposed."]
    )


def _slow_lines(steps: Sequence[SlowStep], ranks: int) -> list[str]:
    from stepscope.analyses.texts import part_text
    from stepscope.analyses.time_classes import TimeClass

    names = {each.key: part_text(each) for each in TimeClass}
    lines: list[str] = []
    for step in steps[:_SLOW_SHOWN]:
        where = f" of {printable(worker_label(step))}" if ranks > 1 else ""
        start = "; profiler's start?" if step.may_hold_profiler_start else ""
        lines.append(f"  step {step.step}{where}: {step.ms:.2f} ms, {step.part_ms:+.2f} ms {names[step.part]}{start}")
    more = len(steps) - _SLOW_SHOWN
    return ["Outlier steps", *lines, *([f"  and {more} more"] if more > 0 else [])] if lines else []


def _rank_lines(answer: Report) -> list[str]:
    if len(answer.ranks) < 2:
        return []
    from stepscope.analyses.time_classes import Group

    rows: list[tuple[str, ...]] = []
    for rank in answer.ranks:
        shares = [float(getattr(rank.breakdown, group.key)) for group in Group]
        name = shortened(worker_label(rank), 20) + (" (slowest)" if rank.worker == answer.slowest else "")
        rows.append((f"  {name}", f"{rank.step_ms.typical:.2f}", *(f"{100 * share:.0f}%" for share in shares)))
    shown = table(("  rank", "ms", "compute", "comm", "copy", "input", "host", "untraced"), rows[:_RANKS_SHOWN], COLUMNS)
    more = len(rows) - _RANKS_SHOWN
    said = f"  {answer.ranks_text}" if answer.ranks_text else ""
    return ["Ranks", *shown, *filter(None, [said]), *([f"  and {more} more; see --json"] if more > 0 else [])]


def _quality_lines(answer: Report) -> list[str]:
    quality, replay_error, inflation = answer.data_quality, answer.replay_error, answer.inflation
    facts = [
        f"{quality.typical_steps} of {count_of(quality.steps, 'step')} used",
        f"{quality.unlinked:,} of {quality.device_spans:,} device spans unlinked" if quality.device_spans else "",
        "events dropped" if quality.dropped_events else "",
        f"clocks agree within {milliseconds(1e3 * quality.clock_error_us)}" if quality.clock_error_us is not None else "",
        f"{count_of(len(quality.missing_ranks), 'rank')} missing" if quality.missing_ranks else "",
        f"replay error {round(100 * replay_error, 1) + 0.0:.1f}%" if replay_error is not None else "",
        f"steps {100 * inflation:.0f}% slower with the profiler" if inflation is not None and inflation > 0 else "",
    ]
    lines = click.wrap_text(f"Data quality: {'; '.join(filter(None, facts))}.", width=COLUMNS, subsequent_indent="  ").splitlines()
    notes = [note.text for note in quality.notes if note.code not in _SAID_ELSEWHERE]
    for text in list(dict.fromkeys([*quality.weak, *notes]))[:_NOTES_SHOWN]:
        lines += click.wrap_text(printable(text), width=78, initial_indent="  ", subsequent_indent="  ").splitlines()
    return lines
