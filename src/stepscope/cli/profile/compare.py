"""`stepscope profile compare`: what got slower between two profiles or two ranges, and an exit code for CI."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import click

from stepscope.cli.profile.range_options import range_options
from stepscope.cli.profile.reading import echo_json, kind_options, known, read_profiles
from stepscope.cli.terminal import COLUMNS, count_of, printable, shortened, size_of, table
from stepscope.model.errors import BadInput

if TYPE_CHECKING:
    from stepscope.analyses.compare.comparison import Comparison, PeakDifference, RowDifference
    from stepscope.analyses.compare.noise import Difference
    from stepscope.analyses.summary import Summary

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
@click.option("--by", type=click.Choice(("op", "module", "kernel")), default="op", show_default=True, help="What makes one row.")
@click.option("--fail-over", metavar="SHARE", help="End with 1 when a step is slower by more than this, such as 3%, and than noise.")
@click.option("--before-range", metavar="RANGE", help="Only this of BEFORE: 3:10, typical, skip-warmup or 1.2s:3s.")
@click.option("--after-range", metavar="RANGE", help="Only this of AFTER; AFTER may then be left out, and is BEFORE.")
@click.option("--steps-by", metavar="SOURCE", help="Where steps come from, if not from the best source there is.")
@range_options
@click.option("--max-gib", type=click.IntRange(1, 1 << 20), metavar="N", help="Read a file of up to N GiB.")
@click.option("--no-cache", is_flag=True, help="Neither read nor write the cache.")
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
    max_gib: int | None,
    no_cache: bool,
) -> None:
    """Say what got slower from BEFORE to AFTER in a typical step, and whether that is more than noise.

    Typical steps are compared, never means over all steps. Profiles of different frameworks or devices are compared only in the six
    groups. With --fail-over the exit code is 1 when a step is slower by more than noise and by more than the limit, else 0.
    """
    from stepscope.analyses.compare.comparison import compare
    from stepscope.analyses.compare.rows import CompareBy
    from stepscope.analyses.summary import summarise

    limit = None if fail_over is None else _share(fail_over)
    if after is None and after_range is None:
        raise BadInput("Give a second profile, or --after-range to compare two ranges of one.", "one_profile")
    sides: list[Summary] = []
    for path, chosen in ((before, before_range), (after or before, after_range)):
        sides.append(summarise(read_profiles(path, max_gib, cache=not no_cache, chosen=chosen), steps_by))
    found = compare(sides[0], sides[1], CompareBy(by))
    failed = limit is not None and found.fails(limit)
    if as_json:
        echo_json(compare_answer(found, sides, failed=None if limit is None else failed))
    else:
        click.echo(_text(found, None if limit is None else _verdict(found, limit)))
    if failed:
        context.exit(1)


def compare_answer(found: Comparison, sides: list[Summary], *, failed: bool | None) -> dict[str, Any]:
    """The keys of --json; times are milliseconds of a typical step, and more than 0 is slower."""
    from stepscope.analyses.time_classes import DEFINITIONS, Group

    return {
        "definitions": DEFINITIONS,
        "summary": found.sentence,
        "before_ms": found.step.before_ns / 1e6,
        "after_ms": found.step.after_ns / 1e6,
        "change": known(found.step.change),
        "noise": _noise(found.step),
        "is_slower": found.slower,
        "failed": failed,
        "slower": [_row_answer(row) for row in _moved(found, 1)],
        "faster": [_row_answer(row) for row in _moved(found, -1)],
        "typical_steps": {"before": found.steps[0], "after": found.steps[1]},
        "files": {name: [each.path for each in side.profiles] for name, side in zip(("before", "after"), sides, strict=True)},
        "ranges": {name: _part(side) for name, side in zip(("before", "after"), sides, strict=True)},
        "step": _difference(found.step),
        "groups": {group.key: _difference(each) for group, each in zip(Group, found.groups, strict=True)},
        "by": found.by.value,
        "rows": [_row_answer(row) for row in found.rows],
        "rows_refused": found.rows_refused or None,
        "memory_peaks": [{"memory": peak.name, "before_bytes": peak.before, "after_bytes": peak.after} for peak in found.peaks],
        "settings": [{"setting": each.name, "before": each.before, "after": each.after} for each in found.settings],
    }


def _noise(found: Difference) -> float | None:
    """What a change must exceed to be more than noise, as a fraction of the step before."""
    return None if found.noise_ns is None or not found.before_ns else known(found.noise_ns / found.before_ns)


def _moved(found: Comparison, sign: int) -> list[RowDifference]:
    """Rows that take more (1) or less (-1) time in a step by more than noise, the largest change first."""
    changed = [row for row in found.rows if row.change.value != "none" and sign * row.exposed.change_ns > 0]
    return sorted(changed, key=lambda row: -abs(row.exposed.change_ns))


def _part(side: Summary) -> str | None:
    part = side.profiles[0].part
    return None if part is None else part.text


def _difference(found: Difference) -> dict[str, Any]:
    return {
        "before_ms": found.before_ns / 1e6,
        "after_ms": found.after_ns / 1e6,
        "change_ms": found.change_ns / 1e6,
        "change": known(found.change),
        "noise_ms": None if found.noise_ns is None else found.noise_ns / 1e6,
        "beyond_noise": found.beyond_noise,
    }


def _row_answer(row: RowDifference) -> dict[str, Any]:
    per_call = [None if each is None else each / 1e3 for each in row.per_call_ns]
    return {
        "name": row.name,
        "kind": row.kind,
        "on_device": row.on_device,
        "change": row.change.value,
        "exposed": _difference(row.exposed),
        "busy": _difference(row.busy),
        "count": {"before": row.count_before, "after": row.count_after},
        "per_call_us": {"before": per_call[0], "after": per_call[1]},
    }


def _share(text: str) -> float:
    try:
        share = float(text.strip().removesuffix("%")) / 100
    except ValueError:
        share = math.nan
    if not 0 <= share <= 1_000:
        raise BadInput(f"--fail-over {text!r} is no share of a step; write 3% or 0.5%.", "bad_limit")
    return share


def _verdict(found: Comparison, limit: float) -> str:
    asked = f"{100 * limit:g} %"
    if found.fails(limit):
        return f"Failed: slower by more than {asked} and by more than noise."
    if found.slower is None:
        return f"Not failed: too few typical steps to tell whether a step is slower by more than {asked}."
    return f"Passed: {'slower, but not' if found.slower else 'not slower'} by more than {asked}."


def _text(found: Comparison, verdict: str | None) -> str:
    from stepscope.analyses.compare.comparison import GROUP_WORDS
    from stepscope.analyses.time_classes import Group

    lines = _wrapped(found.sentence)
    if verdict is not None:
        lines += _wrapped(verdict)
    parts = [("a typical step", found.step), *((GROUP_WORDS[group], each) for group, each in zip(Group, found.groups, strict=True))]
    shown = [
        (f"{name}{' *' if each.beyond_noise else ''}", *_cells(each))
        for name, each in parts
        if max(each.before_ns, each.after_ns) > _SMALL * found.step.before_ns
    ]
    lines += ["", *table(("ms", "before", "after", "change", "", "noise"), shown, COLUMNS)]
    marks = ["* more than noise"] if any(each.beyond_noise for _, each in parts) else []
    lines += [*marks, "", *_row_lines(found)]
    lines += _section("Memory at the peak", [_peak_line(each) for each in found.peaks])
    settings = [f"  {shortened(each.name, 24)}: {_told(each.before)} → {_told(each.after)}" for each in found.settings]
    lines += _section("What else differs", settings[:_SETTINGS_SHOWN])
    return "\n".join(line.rstrip() for line in lines)


def _cells(each: Difference) -> tuple[str, str, str, str, str]:
    share = "" if each.change is None else _share_text(each.change)
    noise = "?" if each.noise_ns is None else f"± {each.noise_ns / 1e6:,.2f}"
    return f"{each.before_ns / 1e6:,.2f}", f"{each.after_ns / 1e6:,.2f}", _signed(each.change_ns / 1e6, 2), share, noise


def _share_text(change: float) -> str:
    return f"× {1 + change:,.3g}" if change >= _TIMES else f"{_signed(100 * change, 1)} %"


def _signed(number: float, digits: int) -> str:
    text = f"{abs(number):,.{digits}f}"
    return text if not float(text.replace(",", "")) else f"{'+' if number > 0 else '−'}{text}"


def _row_lines(found: Comparison) -> list[str]:
    title = {"op": "Operations", "module": "Modules", "kernel": "Kernels"}[found.by.value]
    if found.rows_refused:
        return _wrapped(found.rows_refused)
    changed = [row for row in found.rows if row.change.value != "none"]
    if not changed:
        return [f"{title}: none differs by more than noise."]
    shown = [
        (
            f"  {row.name}",
            "device" if row.on_device else "host",
            _counts(row),
            _signed(row.exposed.change_ns / 1e6, 2),
            _signed(row.busy.change_ns / 1e6, 2),
            _why(row),
        )
        for row in changed[:_SHOWN]
    ]
    lines = [f"{title} that differ, in ms of a typical step"]
    lines += table(("  name", "where", "count", "exposed", "own time", "why"), shown, COLUMNS)
    more = len(changed) - _SHOWN
    return [*lines, *([f"  and {count_of(more, 'row')} more; see --json"] if more > 0 else [])]


def _counts(row: RowDifference) -> str:
    before, after = (f"{count:,.4g}" for count in (row.count_before, row.count_after))
    return before if before == after else f"{before} → {after}"


def _why(row: RowDifference) -> str:
    if row.change.value == "waited_for":
        return "more exposed" if row.exposed.change_ns > 0 else "less exposed"
    return _WHY[row.change.value]


def _peak_line(peak: PeakDifference) -> str:
    before, after = ("–" if size is None else size_of(size) for size in (peak.before, peak.after))
    return f"  {shortened(peak.name, 40)}: {before} → {after}"


def _told(text: str) -> str:
    return shortened(text, 22) or "–"


def _section(title: str, lines: list[str]) -> list[str]:
    return ["", title, *lines] if lines else []


def _wrapped(text: str) -> list[str]:
    return click.wrap_text(printable(text), COLUMNS).splitlines()
