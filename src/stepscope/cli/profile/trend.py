"""`stepscope profile trend`: several profiles along a hyperparameter, or along the run, with step time, throughput, use and memory."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from stepscope.cli.profile.asking import echo_answer, opened
from stepscope.cli.profile.options import kind_options
from stepscope.cli.profile.range_options import chosen_range, range_options
from stepscope.cli.terminal import COLUMNS, printable, shortened, size_of, table
from stepscope.model.number_text import digits

if TYPE_CHECKING:
    from stepscope.session.parts.trend import Trend

_BAR = 30


@click.command("trend")
@click.argument("profiles", metavar="PROFILE...", nargs=-1, required=True)
@click.option(
    "--label", "labels", multiple=True, metavar="TEXT", help="Label of a profile, such as its batch size; once per profile, in order."
)
@click.option("--by", metavar="NAME", help="Logged hyperparameter to sort by, or the name of the labels.")
@click.option(
    "--examples",
    multiple=True,
    type=click.FloatRange(0, min_open=True),
    metavar="N",
    help="Batch size, once for all profiles or once per profile.",
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@click.option("--steps-by", metavar="SOURCE", help="Source of the step boundaries (default: the best one available).")
@range_options
@click.option("--max-gib", type=click.IntRange(1, 1 << 20), metavar="N", help="Read files up to N GiB.")
@click.option("--no-cache", is_flag=True, help="Do not use the cache.")
@kind_options
def command(
    profiles: tuple[str, ...],
    labels: tuple[str, ...],
    by: str | None,
    examples: tuple[float, ...],
    as_json: bool,
    steps_by: str | None,
    **_: object,
) -> None:
    """Plot step time, throughput, device utilisation and memory of several PROFILEs.

    They are ordered by --label, by the logged hyperparameter --by, by the only numeric hyperparameter that differs, or else by the
    step at which each was captured. A folder stands for all profiles in it.
    """
    from stepscope.session.at_path import each_session
    from stepscope.session.parts.trend import TREND

    if len(profiles) == 1:
        profiles = each_session(profiles[0])
    wanted = TREND.wanted(steps=steps_by or "", range=chosen_range(), by=by or "", labels=labels, examples=examples)
    choices = TREND.choices(wanted, len(profiles))
    answer = TREND.make([opened(path).analysed(choice) for path, choice in zip(profiles, choices, strict=True)], wanted)
    if as_json:
        echo_answer(answer)
    else:
        click.echo(_text(answer))


def _text(found: Trend) -> str:
    points = found.points
    with_examples = any(point.examples_per_second is not None for point in points)
    head = (found.by, "step ms", "noise", "steps/s", *(("examples/s",) if with_examples else ()), "computes", "memory peak")
    rows = [
        (
            point.label,
            f"{point.step_ms:,.2f}",
            "?" if point.noise_ms is None else f"± {point.noise_ms:,.2f}",
            digits(point.steps_per_second, 4),
            *((_rate(point.examples_per_second),) if with_examples else ()),
            f"{100 * point.breakdown['compute']:.0f}%",
            size_of(point.peaks[0].bytes) if point.peaks else "–",
        )
        for point in points
    ]
    lines = [*_wrapped(found.sentence), "", *table(head, rows, COLUMNS), "", *_chart(found)]
    memories = {point.peaks[0].memory for point in points if point.peaks}
    if memories:
        lines += ["", *_wrapped(f"Memory peak of {', '.join(sorted(memories))}.")]
    if found.growing:
        lines += ["Peak memory growth from the first to the last profile, by operation:"]
        lines += [
            f"  {shortened(each.op, 36)} on {shortened(each.memory, 12)}: {size_of(each.before_bytes)} → {size_of(each.after_bytes)}"
            for each in found.growing
        ]
    return "\n".join(line.rstrip() for line in lines)


def _rate(rate: float | None) -> str:
    return "–" if rate is None else digits(rate, 4)


def _chart(found: Trend) -> list[str]:
    """Step times as bars."""
    longest = max(point.step_ms for point in found.points) or 1.0
    wide = min(24, max(len(point.label) for point in found.points))
    bars = ["█" * max(1, round(_BAR * point.step_ms / longest)) for point in found.points]
    return [
        f"{shortened(point.label, wide).rjust(wide)} │{bar} {point.step_ms:,.2f} ms"
        for point, bar in zip(found.points, bars, strict=True)
    ]


def _wrapped(text: str) -> list[str]:
    return click.wrap_text(printable(text), COLUMNS).splitlines()
