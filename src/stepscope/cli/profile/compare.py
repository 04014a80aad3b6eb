"""`stepscope profile compare`: what got slower between two profiles or two ranges, and an exit code for CI."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import click

from stepscope.cli.profile.asking import echo_answer, opened
from stepscope.cli.profile.options import kind_options
from stepscope.cli.profile.range_options import chosen_range, range_options
from stepscope.cli.terminal import COLUMNS, count_of, printable, shortened, size_of, table
from stepscope.model.errors import BadInput
from stepscope.model.number_text import digits, three_digits

if TYPE_CHECKING:
    from stepscope.session.parts.compare import CompareRow, Comparison, DifferenceRow, PeakRow

_SHOWN = 20
_SETTINGS_SHOWN = 12
_SMALL = 0.0005
_TIMES = 5
"""From here on a growth is told as a factor."""
_WHY = {
    "new": "new",
    "gone": "gone",
    "count": "other count",
    "time": "per call",
    "both": "count and per call",
    "waited_for": "more exposed",
}


@click.command("compare")
@click.argument("before", metavar="BEFORE")
@click.argument("after", metavar="[AFTER]", required=False)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@click.option("--by", type=click.Choice(("op", "module", "kernel")), default="op", show_default=True, help="Group rows by this.")
@click.option(
    "--fail-over", metavar="SHARE", help="Exit with code 1 if steps are slower by more than this, such as 3%, and than noise."
)
@click.option("--before-range", metavar="RANGE", help="Use only this range of BEFORE: 3:10, typical, skip-warmup or 1.2s:3s.")
@click.option("--after-range", metavar="RANGE", help="Use only this range of AFTER, or of BEFORE if AFTER is not given.")
@click.option("--steps-by", metavar="SOURCE", help="Source of the step boundaries (default: the best one available).")
@range_options
@click.option("--max-gib", type=click.IntRange(1, 1 << 20), metavar="N", help="Read files up to N GiB.")
@click.option("--no-cache", is_flag=True, help="Do not use the cache.")
@kind_options
@click.pass_context
def command(
    context: click.Context,
    before: str,
    after: str | None,
    as_json: bool,
    by: str,
    fail_over: str | None,
    before_range: str | None,
    after_range: str | None,
    steps_by: str | None,
    **_: object,
) -> None:
    """Compare two profiles: what got slower from BEFORE to AFTER in a typical step, and is it more than noise?

    Typical steps are compared, never averages over all steps. Profiles of different frameworks or devices are compared only in
    the groups of the step breakdown. With --fail-over the exit code is 1 when a step is slower by more than noise and by more than
    the limit, otherwise 0.
    """
    from stepscope.session.parts.compare import COMPARE, CompareBy

    limit = None if fail_over is None else _share(fail_over)
    if after is None and after_range is None:
        raise BadInput("Give a second profile, or --after-range to compare two ranges of one.", "one_profile")
    chosen = chosen_range()
    wanted = COMPARE.wanted(
        steps=steps_by or "",
        by=CompareBy(by),
        range=chosen if after_range is None else after_range,
        against_range=chosen if before_range is None else before_range,
    )
    sides = [opened(path).analysed(choice) for path, choice in zip((before, after or before), COMPARE.choices(wanted, 2), strict=True)]
    answer = COMPARE.make(sides, wanted)
    failed = limit is not None and _fails(answer, limit)
    if as_json:
        echo_answer(answer, failed=None if limit is None else failed)
    else:
        click.echo(_text(answer, None if limit is None else _verdict(answer, limit)))
    if failed:
        context.exit(1)


def _fails(answer: Comparison, limit: float) -> bool:
    """Whether a step is slower by more than noise and by more than this fraction."""
    return bool(answer.is_slower) and (answer.change is None or answer.change > limit)


def _share(text: str) -> float:
    try:
        share = float(text.strip().removesuffix("%")) / 100
    except ValueError:
        share = math.nan
    if not 0 <= share <= 1_000:
        raise BadInput(f"--fail-over {text!r} is not a percentage; write 3% or 0.5%.", "bad_limit")
    return share


def _verdict(answer: Comparison, limit: float) -> str:
    asked = f"{100 * limit:g}%"
    if _fails(answer, limit):
        return f"Failed: slower by more than {asked} and by more than noise."
    if answer.is_slower is None:
        return f"Not failed: too few typical steps to tell whether a step is slower by more than {asked}."
    return f"Passed: {'slower, but not' if answer.is_slower else 'not slower'} by more than {asked}."


def _text(answer: Comparison, verdict: str | None) -> str:
    from stepscope.analyses.compare.comparison import GROUP_WORDS
    from stepscope.analyses.time_classes import Group

    lines = _wrapped(answer.sentence)
    if verdict is not None:
        lines += _wrapped(verdict)
    parts = [
        ("a typical step", answer.step),
        *((GROUP_WORDS[group], each.difference) for group, each in zip(Group, answer.groups, strict=True)),
    ]
    shown = [
        (f"{name}{' *' if each.beyond_noise else ''}", *_cells(each))
        for name, each in parts
        if max(each.before_ms, each.after_ms) > _SMALL * answer.step.before_ms
    ]
    lines += ["", *table(("ms", "before", "after", "change", "", "noise"), shown, COLUMNS)]
    marks = ["* more than noise"] if any(each.beyond_noise for _, each in parts) else []
    lines += [*marks, "", *_row_lines(answer)]
    lines += _section("Peak memory", [_peak_line(each) for each in answer.peaks])
    settings = [f"  {shortened(each.setting, 24)}: {_told(each.before)} → {_told(each.after)}" for each in answer.settings]
    lines += _section("Other differences", settings[:_SETTINGS_SHOWN])
    return "\n".join(line.rstrip() for line in lines)


def _cells(each: DifferenceRow) -> tuple[str, str, str, str, str]:
    share = "" if each.change is None else _share_text(each.change)
    noise = "?" if each.noise_ms is None else f"± {each.noise_ms:,.2f}"
    return f"{each.before_ms:,.2f}", f"{each.after_ms:,.2f}", _signed(each.change_ms, 2), share, noise


def _share_text(change: float) -> str:
    return f"× {three_digits(1 + change)}" if change >= _TIMES else f"{_signed(100 * change, 1)}%"


def _signed(number: float, digits: int) -> str:
    text = f"{abs(number):,.{digits}f}"
    return text if not float(text.replace(",", "")) else f"{'+' if number > 0 else '−'}{text}"


def _row_lines(answer: Comparison) -> list[str]:
    title = {"op": "Operations", "module": "Modules", "kernel": "Kernels"}[answer.by]
    if answer.rows_refused:
        return _wrapped(answer.rows_refused)
    changed = [row for row in answer.rows if row.change != "none"]
    if not changed:
        return [f"{title}: none differs by more than noise."]
    shown = [
        (
            f"  {row.name}",
            "device" if row.on_device else "host",
            _counts(row),
            _signed(row.exposed.change_ms, 2),
            _signed(row.busy.change_ms, 2),
            _why(row),
        )
        for row in changed[:_SHOWN]
    ]
    lines = [f"{title} that differ, in ms of a typical step"]
    lines += table(("  name", "where", "count", "exposed", "self time", "why"), shown, COLUMNS)
    more = len(changed) - _SHOWN
    return [*lines, *([f"  and {count_of(more, 'row')} more; see --json"] if more > 0 else [])]


def _counts(row: CompareRow) -> str:
    before, after = (digits(count, 4) for count in (row.count_before, row.count_after))
    return before if before == after else f"{before} → {after}"


def _why(row: CompareRow) -> str:
    if row.change == "waited_for":
        return "more exposed" if row.exposed.change_ms > 0 else "less exposed"
    return _WHY[row.change]


def _peak_line(peak: PeakRow) -> str:
    before, after = ("–" if size is None else size_of(size) for size in (peak.before_bytes, peak.after_bytes))
    return f"  {shortened(peak.memory, 40)}: {before} → {after}"


def _told(text: str) -> str:
    return shortened(text, 22) or "–"


def _section(title: str, lines: list[str]) -> list[str]:
    return ["", title, *lines] if lines else []


def _wrapped(text: str) -> list[str]:
    return click.wrap_text(printable(text), COLUMNS).splitlines()
