"""`stepscope profile input`: what a step waits for before it has its batch, and what preparing batches costs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from stepscope.cli.profile.reading import echo_json, known, profile_options, read_profiles
from stepscope.cli.terminal import COLUMNS, count_of, percent, printable, shortened, size_of, table

if TYPE_CHECKING:
    from stepscope.analyses.input.pipeline import InputPipeline
    from stepscope.analyses.input.stages import Stage
    from stepscope.model.profile import Profile


@click.command("input")
@profile_options
def command(profile: str, as_json: bool, steps_by: str | None, max_gib: int | None, no_cache: bool) -> None:
    """Say what the steps of PROFILE wait for before they have a batch.

    Waited is time in which the step had nothing else to do, given once, to what worked then; beside is work of the input pipeline
    while the step went on, of all threads in sum. Both are of a typical step, calls of the recording. Workers of torch's DataLoader
    are other processes, which a recording does not hold.
    """
    from stepscope.analyses.breakdown import break_down
    from stepscope.analyses.input.pipeline import input_pipeline
    from stepscope.analyses.steps import find_steps
    from stepscope.analyses.what_if.loading import remedies_text
    from stepscope.formats.span_attributes import span_attributes

    found: list[tuple[Profile, InputPipeline, float, tuple[str, ...]]] = []
    for each in read_profiles(profile, max_gib, cache=not no_cache):
        breakdown = break_down(each, find_steps(each, steps_by))
        pipeline = input_pipeline(each, breakdown, span_attributes)
        found.append((each, pipeline, breakdown.typical_ns, remedies_text(each, breakdown, pipeline)))
    if as_json:
        echo_json({"inputs": [_answer(*one) for one in found]})
    else:
        click.echo("\n\n".join(_text(*one, named=len(found) > 1) for one in found))


def _answer(profile: Profile, found: InputPipeline, step_ns: float, remedies: tuple[str, ...]) -> dict[str, Any]:
    return {
        "host": profile.host,
        "rank": profile.rank if profile.rank >= 0 else None,
        "loader": found.loader.value,
        "fetches": found.calls,
        "step_us": step_ns / 1e3,
        "waited_us": found.exposed_ns / 1e3,
        "hidden_us": found.overlapped_ns / 1e3,
        "copied_waited_us": found.copied_exposed_ns / 1e3,
        "copied_beside_us": found.copied_beside_ns / 1e3,
        "batch_bytes": known(found.batch_bytes),
        "cores": found.cores,
        "phases": [
            {"phase": each.phase.value, "waited_us": each.exposed_ns / 1e3, "beside_us": each.beside_ns / 1e3} for each in found.phases
        ],
        "stages": [_stage_answer(stage) for stage in found.stages],
        "slowest": None if found.slowest is None else found.slowest.path,
        "remedies": list(remedies),
    }


def _stage_answer(stage: Stage) -> dict[str, Any]:
    return {
        "path": stage.path,
        "name": stage.name,
        "count": stage.count,
        "total_us": stage.total_ns / 1e3,
        "self_us": stage.self_ns / 1e3,
        "waited_us": stage.exposed_ns / 1e3,
        "beside_us": stage.beside_ns / 1e3,
        "threads": stage.threads,
        "at_once": stage.at_once,
        "parallelism": stage.settings.parallelism,
        "autotune": stage.settings.autotune,
        "buffer_size": stage.settings.buffer_size,
        "batch_size": stage.settings.batch_size,
        "buffered": known(stage.buffered),
        "empty": known(stage.empty),
    }


def _text(profile: Profile, found: InputPipeline, step_ns: float, remedies: tuple[str, ...], *, named: bool) -> str:
    from stepscope.analyses.input.pipeline import Loader

    lines = [f"{printable(profile.host)}{f' rank {profile.rank}' if profile.rank >= 0 else ''}"] if named else []
    if found.loader is Loader.NONE:
        lines.append("No call that fetches the next batch was recorded: use tf.data or torch's DataLoader, or annotate")
        lines.append("the fetch and list its name as input ('stepscope profile kinds' tells where).")
        return "\n".join(lines)
    size = "" if found.batch_bytes is None else f" of {size_of(found.batch_bytes)}"
    fetches = count_of(found.calls, "fetch", "es")
    lines.append(f"{found.loader.value}: {fetches}{size}")
    share = found.exposed_ns / step_ns if step_ns else 0.0
    lines.append(f"A typical step of {_ms(step_ns)} ms waits {_ms(found.exposed_ns)} ms ({percent(share)}) for its batch.")
    if found.overlapped_ns > 0:
        lines.append(f"{_ms(found.overlapped_ns)} ms more of waiting are hidden behind the device's work.")
    if found.copied_exposed_ns + found.copied_beside_ns > 0:
        lines.append(
            f"Copies to the device: {_ms(found.copied_exposed_ns)} ms exposed, {_ms(found.copied_beside_ns)} ms beside other work."
        )
    lines += ["", *_phase_lines(found)]
    if found.stages:
        lines += ["", *_stage_lines(found)]
    if found.slowest is not None and found.exposed_ns > 0:
        lines += ["", f"Slowest stage: {shortened(found.slowest.path, COLUMNS - 15)}"]
        lines += [click.wrap_text(remedy, width=COLUMNS - 2, subsequent_indent="  ") for remedy in remedies]
    return "\n".join(line.rstrip() for line in lines)


def _phase_lines(found: InputPipeline) -> list[str]:
    rows = [(each.phase.title, _ms(each.exposed_ns), _ms(each.beside_ns)) for each in found.phases]
    return table(("preparing a batch", "ms waited", "ms beside"), rows, COLUMNS)


def _stage_lines(found: InputPipeline) -> list[str]:
    rows = [
        (
            f"{'  ' * min(stage.path.count('::') - 1, 8)}{stage.name}",
            f"{stage.count:,}",
            _ms(stage.exposed_ns),
            _ms(stage.beside_ns),
            f"{stage.at_once:.1f}",
            _parallelism(stage),
            "" if stage.buffered is None else f"{stage.buffered:.1f}",
            "" if stage.empty is None else f"{100 * stage.empty:.0f} %",
        )
        for stage in found.stages
    ]
    return table(("stage", "calls", "waited", "beside", "at once", "parallel", "buffered", "empty"), rows, COLUMNS)


def _parallelism(stage: Stage) -> str:
    told = stage.settings
    auto = "auto " if told.autotune else ""
    return f"{auto}{told.parallelism}" if told.parallelism is not None else auto.strip()


def _ms(nanoseconds: float) -> str:
    return f"{nanoseconds / 1e6:,.2f}"
