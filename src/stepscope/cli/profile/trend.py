"""`stepscope profile trend`: several profiles along a hyperparameter, or along the run, with step time, throughput, use and memory."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from stepscope.cli.profile.logged_settings import logged_beside
from stepscope.cli.profile.range_options import range_options
from stepscope.cli.profile.reading import each_session, echo_json, kind_options, read_profiles
from stepscope.cli.terminal import COLUMNS, printable, shortened, size_of, table
from stepscope.model.errors import BadInput

if TYPE_CHECKING:
    from stepscope.analyses.compare.trend import Trend, TrendPoint
    from stepscope.analyses.summary import Summary

FEWEST = 2
MOST = 200
_BAR = 30


@click.command("trend")
@click.argument("profiles", metavar="PROFILE...", nargs=-1, required=True)
@click.option(
    "--label", "labels", multiple=True, metavar="TEXT", help="What a profile is of, once for each in their order: its batch size."
)
@click.option("--by", metavar="NAME", help="The hyperparameter that the runs logged to order by, or the name of the labels.")
@click.option(
    "--examples", multiple=True, type=click.FloatRange(0, min_open=True), metavar="N", help="Examples of a step, once or for each."
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@click.option("--steps-by", metavar="SOURCE", help="Where steps come from, if not from the best source there is.")
@range_options
@click.option("--max-gib", type=click.IntRange(1, 1 << 20), metavar="N", help="Read a file of up to N GiB.")
@click.option("--no-cache", is_flag=True, help="Neither read nor write the cache.")
@kind_options
def command(
    profiles: tuple[str, ...],
    labels: tuple[str, ...],
    by: str | None,
    examples: tuple[float, ...],
    as_json: bool,
    steps_by: str | None,
    max_gib: int | None,
    no_cache: bool,
) -> None:
    """Draw PROFILEs along what differs between them: step time, throughput, use of the device and memory.

    They are ordered by --label, by the logged hyperparameter --by, by the only number among the hyperparameters that differs, or else
    by the step at which each was taken. One folder stands for all recordings in it.
    """
    from stepscope.analyses.compare.trend import batch_of, trend
    from stepscope.analyses.summary import summarise

    if len(profiles) == 1:
        profiles = each_session(profiles[0])
    if not FEWEST <= len(profiles) <= MOST:
        raise BadInput(f"Give {FEWEST} to {MOST} profiles, or a folder that has them; here {_there(len(profiles))}.", "few_profiles")
    if labels and len(labels) != len(profiles):
        raise BadInput(f"Give --label once for each profile: {len(profiles)} times, not {len(labels)}.", "few_labels")
    if len(examples) not in (0, 1, len(profiles)):
        raise BadInput(f"Give --examples once, or once for each profile: {len(profiles)} times.", "few_examples")
    found: list[Summary] = [summarise(read_profiles(path, max_gib, cache=not no_cache), steps_by) for path in profiles]
    logged = [logged_beside(each.profiles[0].path) for each in found]
    name, texts = _order(found, logged, labels, by)
    counts = list(examples) * (len(profiles) if len(examples) == 1 else 1) or [
        batch_of(*pair) for pair in zip(found, logged, strict=True)
    ]
    result = trend(found, texts, name, counts)
    if as_json:
        echo_json(trend_answer(result))
    else:
        click.echo(_text(result))


def _there(count: int) -> str:
    return f"{'is' if count == 1 else 'are'} {count}"


def trend_answer(found: Trend) -> dict[str, Any]:
    """The keys of --json; times are of a typical step."""
    return {
        "summary": found.sentence,
        "by": found.by,
        "points": [_point_answer(point) for point in found.points],
        "growing": [
            {"memory": each.memory, "op": each.op, "before_bytes": each.before, "after_bytes": each.after} for each in found.growing
        ],
    }


def _point_answer(point: TrendPoint) -> dict[str, Any]:
    from stepscope.analyses.time_classes import Group

    return {
        "label": point.label,
        "position": point.position,
        "first_step": point.first_step,
        "steps": point.steps,
        "step_ms": point.step_ns / 1e6,
        "noise_ms": None if point.noise_ns is None else point.noise_ns / 1e6,
        "steps_per_second": point.steps_per_second,
        "examples_per_second": point.examples_per_second,
        "breakdown": {group.key: point.groups[group] for group in Group},
        "memory_peaks": {peak.memory: peak.bytes for peak in point.peaks},
    }


def _order(found: list[Summary], logged: list[dict[str, str]], labels: tuple[str, ...], by: str | None) -> tuple[str, list[str]]:
    """What the profiles are ordered by, and the label of each."""
    from stepscope.analyses.compare.trend import along

    if labels:
        return by or "label", list(labels)
    if by is None:
        return along(found, logged)
    without = [found[place].profiles[0].path for place, each in enumerate(logged) if by not in each]
    if without:
        raise BadInput(f"No hyperparameter {by} is logged beside {without[0]}; give --label instead.", "no_hyperparameter")
    return by, [each[by] for each in logged]


def _text(found: Trend) -> str:
    points = found.points
    with_examples = any(point.examples_per_second is not None for point in points)
    head = (found.by, "step ms", "noise", "steps/s", *(("examples/s",) if with_examples else ()), "computes", "memory peak")
    rows = [
        (
            point.label,
            f"{point.step_ns / 1e6:,.2f}",
            "?" if point.noise_ns is None else f"± {point.noise_ns / 1e6:,.2f}",
            f"{point.steps_per_second:,.4g}",
            *((_rate(point.examples_per_second),) if with_examples else ()),
            f"{100 * point.computing:.0f} %",
            "–" if point.peak is None else size_of(point.peak.bytes),
        )
        for point in points
    ]
    lines = [*_wrapped(found.sentence), "", *table(head, rows, COLUMNS), "", *_chart(found)]
    memories = {point.peak.memory for point in points if point.peak is not None}
    if memories:
        lines += ["", *_wrapped(f"Memory peak of {', '.join(sorted(memories))}.")]
    if found.growing:
        lines += ["Holds more at the peak of the last than of the first:"]
        lines += [
            f"  {shortened(each.op, 36)} on {shortened(each.memory, 12)}: {size_of(each.before)} → {size_of(each.after)}"
            for each in found.growing
        ]
    return "\n".join(line.rstrip() for line in lines)


def _rate(rate: float | None) -> str:
    return "–" if rate is None else f"{rate:,.4g}"


def _chart(found: Trend) -> list[str]:
    """Step times as bars."""
    longest = max(point.step_ns for point in found.points) or 1.0
    wide = min(24, max(len(point.label) for point in found.points))
    bars = ["█" * max(1, round(_BAR * point.step_ns / longest)) for point in found.points]
    return [
        f"{shortened(point.label, wide).rjust(wide)} │{bar} {point.step_ns / 1e6:,.2f} ms"
        for point, bar in zip(found.points, bars, strict=True)
    ]


def _wrapped(text: str) -> list[str]:
    return click.wrap_text(printable(text), COLUMNS).splitlines()
