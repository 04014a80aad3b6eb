"""`stepscope profile throughput`: steps, examples, tokens and bytes a second, and what each epoch's time consists of."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import click

from stepscope.cli.profile.logged_settings import logged_beside
from stepscope.cli.profile.reading import echo_json, limits_of, profile_options, read_profiles
from stepscope.cli.terminal import COLUMNS, table
from stepscope.model.errors import NotThere

if TYPE_CHECKING:
    from collections.abc import Sequence

    from stepscope.analyses.throughput.epochs import Epoch
    from stepscope.analyses.throughput.throughput import Throughput

_EPOCHS = 100
BATCH_OPTIONS = (
    click.option("--batch-size", type=click.IntRange(1, 1 << 40), metavar="N", help="Examples in one rank's step, if you know it."),
    click.option("--tokens", type=click.IntRange(1, 1 << 40), metavar="N", help="Tokens in one example, if you know it."),
)


@click.command("throughput")
@profile_options
@BATCH_OPTIONS[0]
@BATCH_OPTIONS[1]
def command(
    profile: str, as_json: bool, steps_by: str | None, max_gib: int | None, no_cache: bool, batch_size: int | None, tokens: int | None
) -> None:
    """Say how much the training of PROFILE gets through in a second, and what its epochs consist of.

    Where PROFILE is a log folder, epochs come also from what its runs have logged: epoch_seconds, epoch and step_time/total, as
    Keras' callback and you log them.
    """
    from stepscope.analyses.breakdown import break_down
    from stepscope.analyses.steps import find_steps
    from stepscope.analyses.throughput.epochs import epochs_of_profile
    from stepscope.analyses.throughput.throughput import throughput
    from stepscope.formats.programs import read_programs
    from stepscope.formats.span_attributes import span_attributes

    logged = _logged_epochs(profile)
    try:
        profiles = read_profiles(profile, max_gib, cache=not no_cache)
    except NotThere:
        if not logged:
            raise
        profiles = []
    breakdowns = [break_down(each, find_steps(each, steps_by)) for each in profiles]
    found = None
    if profiles:
        beside, limits = logged_beside(profiles[0].path), limits_of(max_gib)
        found = throughput(
            profiles, breakdowns, span_attributes, batch_size, tokens, beside, lambda place: read_programs(profiles[place], limits)[0]
        )
    epochs = epochs_of_profile(profiles[0], breakdowns[0]) if profiles else []
    if as_json:
        answer = {"throughput": throughput_answer(found) if found else None, "epochs": [epoch_answer(epoch) for epoch in epochs]}
        echo_json(answer | {"logged_epochs": {name: [epoch_answer(epoch) for epoch in of_run] for name, of_run in logged.items()}})
        return
    sections = [throughput_lines(found) if found else [], epoch_lines("Epochs in the recording", epochs)]
    sections += [epoch_lines(f"Epochs that {name} has logged", of_run) for name, of_run in logged.items()]
    if found and not epochs and not logged:
        sections.append(["Epochs cannot be told: the recording marks none, and no run here has logged any."])
    click.echo("\n\n".join("\n".join(lines) for lines in sections if lines))


def throughput_answer(found: Throughput) -> dict[str, Any]:
    """The object of --json; unknown is null."""
    return {
        "steps_per_second": found.steps_per_second,
        "ranks": found.ranks,
        "batch_size": found.batch,
        "batch_size_from": found.batch_source or None,
        "batch_sizes_told": [{"size": source.size, "from": source.origin} for source in found.batch_sources],
        "examples_per_second": found.examples_per_second,
        "tokens_per_second": found.tokens_per_second,
        "input_bytes_per_second": found.input_bytes_per_second,
        "copied_to_devices_bytes_per_second": found.copied_bytes_per_second,
        "unknown": found.unknown or None,
    }


def throughput_lines(found: Throughput) -> list[str]:
    """One line of rates, and why others are missing."""
    ranks = f", {found.ranks} ranks together" if found.ranks > 1 else ""
    source = f" ({found.batch:,} in a batch, {found.batch_source})" if found.batch is not None else ""
    lines = click.wrap_text(f"{', '.join(found.facts)}{source}{ranks}.", width=78).splitlines()
    return [*lines, *click.wrap_text(f"{found.unknown} Give --batch-size.", width=78).splitlines()] if found.unknown else lines


def epoch_answer(epoch: Epoch) -> dict[str, Any]:
    """One epoch of --json; unknown is null."""
    return {
        "epoch": epoch.number,
        "steps": epoch.steps,
        "seconds": epoch.seconds,
        "first_step_seconds": epoch.first_step,
        "train_seconds": epoch.train,
        "validation_seconds": epoch.validation,
        "checkpoint_seconds": epoch.checkpoint,
        "between_seconds": epoch.between,
        "examples_per_second": epoch.examples_per_second,
    }


def epoch_lines(title: str, epochs: Sequence[Epoch]) -> list[str]:
    """A table of epochs in seconds; nothing without any."""
    if not epochs:
        return []
    rows = [
        (str(epoch.number), f"{epoch.steps:,}" if epoch.steps else "–", *map(_seconds, _times(epoch)), _rate(epoch.examples_per_second))
        for epoch in epochs[:_EPOCHS]
    ]
    head = ("epoch", "steps", "s", "first", "train", "validation", "checkpoint", "between", "examples/s")
    more = len(epochs) - _EPOCHS
    return [title, *table(head, rows, COLUMNS), *([f"and {more:,} more; see --json"] if more > 0 else [])]


def _times(epoch: Epoch) -> tuple[float | None, ...]:
    return (epoch.seconds, epoch.first_step, epoch.train, epoch.validation, epoch.checkpoint, epoch.between)


def _seconds(seconds: float | None) -> str:
    return "–" if seconds is None else f"{seconds:,.3g}"


def _rate(rate: float | None) -> str:
    return "–" if rate is None else f"{rate:,.4g}"


def _logged_epochs(path: str) -> dict[str, list[Epoch]]:
    """Epochs of the runs of a log folder that have logged any, by the run's name."""
    from stepscope.analyses.throughput.epochs import epochs_logged
    from stepscope.logdir import open_folder
    from stepscope.queries.epoch_series import epoch_runs, epoch_series

    path = os.path.expanduser(path)
    if not os.path.isdir(path):
        return {}
    folder = open_folder(path)
    found = {run.name: epochs_logged(epoch_series(folder.library, run)) for run in epoch_runs(folder.library)}
    if folder.repair():
        found = {run.name: epochs_logged(epoch_series(folder.library, run)) for run in epoch_runs(folder.library)}
    return {name: epochs for name, epochs in found.items() if epochs}
