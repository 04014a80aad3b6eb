"""`stepscope profile input`: what a step waits for before it has its batch, and what preparing batches costs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from stepscope.cli.profile.asking import ask, echo_answer
from stepscope.cli.profile.options import profile_options
from stepscope.cli.profile.rank_column import title_of
from stepscope.cli.terminal import COLUMNS, count_of, percent, shortened, size_of, table, wrapped

if TYPE_CHECKING:
    from stepscope.session.parts.input import InputOfWorker, InputStage

_NO_FETCH = (
    "No batch fetches in this profile. Use tf.data or torch's DataLoader, or annotate the fetch and list its name as input; "
    "'stepscope profile kinds' prints the file to edit."
)


@click.command("input")
@profile_options
def command(profile: str, as_json: bool, **_: object) -> None:
    """Show what the steps of PROFILE wait for before they have a batch.

    Exposed is time in which the step only waits for input, counted once for the phase or stage that works then. Hidden is work of
    the input pipeline that overlaps with the step, summed over all threads. Both are per typical step; calls are of the whole
    profile. Worker processes of torch's DataLoader are not in a profile.
    """
    from stepscope.session.parts.input import INPUT

    answer = ask(INPUT, profile)
    if as_json:
        echo_answer(answer)
    else:
        several = len(answer.inputs) > 1
        click.echo("\n\n".join(_text(one, [title_of(one)] if several else []) for one in answer.inputs))


def _text(found: InputOfWorker, lines: list[str]) -> str:
    if not found.fetches:
        return "\n".join([*lines, wrapped(_NO_FETCH)])
    size = "" if found.batch_bytes is None else f" of {size_of(found.batch_bytes)}"
    lines.append(f"{found.loader}: {count_of(found.fetches, 'fetch', 'es')}{size}")
    share = percent(found.waited_us / found.step_us if found.step_us else 0.0)
    lines.append(f"A step waits for its batch for {share} of the step time: {_ms(found.waited_us)} of {_ms(found.step_us)} ms.")
    if found.hidden_us > 0:
        lines.append(f"{_ms(found.hidden_us)} ms of fetching are hidden by device work.")
    if found.copied_waited_us + found.copied_beside_us > 0:
        lines.append(f"Copies to the device: {_ms(found.copied_waited_us)} ms exposed, {_ms(found.copied_beside_us)} ms overlapped.")
    lines += ["", *_phase_lines(found)]
    if found.stages:
        lines += ["", *_stage_lines(found)]
    if found.slowest and found.waited_us > 0:
        lines += ["", f"Slowest stage: {shortened(found.slowest, COLUMNS - 15)}"]
        lines += [click.wrap_text(remedy, width=COLUMNS - 2, subsequent_indent="  ") for remedy in found.remedies]
    return "\n".join(line.rstrip() for line in lines)


def _phase_lines(found: InputOfWorker) -> list[str]:
    rows = [(each.title, _ms(each.waited_us), _ms(each.beside_us)) for each in found.phases]
    return table(("batch preparation", "exposed ms", "hidden ms"), rows, COLUMNS)


def _stage_lines(found: InputOfWorker) -> list[str]:
    rows = [
        (
            f"{'  ' * min(stage.depth, 8)}{stage.name}",
            f"{stage.count:,}",
            _ms(stage.waited_us),
            _ms(stage.beside_us),
            f"{stage.at_once:.1f}",
            _parallelism(stage),
            "" if stage.buffered is None else f"{stage.buffered:.1f}",
            "" if stage.empty is None else f"{100 * stage.empty:.0f}%",
        )
        for stage in found.stages
    ]
    return table(("stage", "calls", "exposed", "hidden", "threads", "parallel", "buffered", "empty"), rows, COLUMNS)


def _parallelism(stage: InputStage) -> str:
    auto = "auto " if stage.autotune else ""
    return f"{auto}{stage.parallelism}" if stage.parallelism is not None else auto.strip()


def _ms(us: float) -> str:
    return f"{us / 1e3:,.2f}"
