"""`stepscope profile throughput`: steps, examples, tokens and bytes per second, and the time breakdown of epochs."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from stepscope.cli.profile.asking import ask, echo_answer
from stepscope.cli.profile.options import profile_options
from stepscope.cli.terminal import COLUMNS, printable, table
from stepscope.model.errors import NotThere
from stepscope.model.number_text import digits, three_digits

if TYPE_CHECKING:
    from stepscope.session.epoch_rows import EpochTime, LoggedEpochs
    from stepscope.session.parts.throughput import Throughput
    from stepscope.session.report.columns import Rates

_EPOCHS = 100
BATCH_OPTIONS = (
    click.option(
        "--batch-size",
        type=click.IntRange(1, 1 << 40),
        metavar="N",
        help="Batch size of one rank, if not found in the profile or its logs.",
    ),
    click.option("--tokens", type=click.IntRange(1, 1 << 40), metavar="N", help="Tokens per example, to get tokens per second."),
)


@click.command("throughput")
@profile_options
@BATCH_OPTIONS[0]
@BATCH_OPTIONS[1]
def command(profile: str, as_json: bool, no_cache: bool, batch_size: int | None, tokens: int | None, **_: object) -> None:
    """Show what the training of PROFILE processes per second, and the time breakdown of its epochs.

    Epochs are those that PROFILE marks, and those that its run has logged: epoch_seconds, epoch and step_time/total. A log folder
    without a profile shows the logged epochs of all its runs.
    """
    from stepscope.session.parts.throughput import THROUGHPUT

    try:
        answer = ask(THROUGHPUT, profile, batch=batch_size, tokens=tokens)
    except NotThere:
        logged = _logged_alone(profile, cache=not no_cache)
        if not logged:
            raise
        _show_logged(logged, as_json=as_json)
        return
    if as_json:
        echo_answer(answer)
    else:
        click.echo(_text(answer))


def epoch_lines(title: str, epochs: Sequence[EpochTime]) -> list[str]:
    """A table of epochs in seconds; nothing without any."""
    if not epochs:
        return []
    rows = [
        (str(epoch.epoch), f"{epoch.steps:,}" if epoch.steps else "–", *map(_seconds, _times(epoch)), _rate(epoch.examples_per_second))
        for epoch in epochs[:_EPOCHS]
    ]
    head = ("epoch", "steps", "s", "first", "train", "validation", "checkpoint", "between", "examples/s")
    more = len(epochs) - _EPOCHS
    return [title, *table(head, rows, COLUMNS), *([f"and {more:,} more; see --json"] if more > 0 else [])]


_NO_STEPS = "Rates per second are unknown: no steps were found in this profile, or guessed steps differ too much."


def _text(answer: Throughput) -> str:
    rates = _rate_lines(answer.throughput) if answer.has_steps else _wrapped(_NO_STEPS)
    sections = [rates, epoch_lines("Epochs in the profile", answer.epochs)]
    if answer.logged is not None:
        sections.append(_logged_lines(answer.logged))
    if not answer.epochs and not (answer.logged and answer.logged.epochs):
        sections.append(["No epochs: the profile marks none, and its run has logged none."])
    return "\n\n".join("\n".join(lines) for lines in sections if lines)


def _rate_lines(found: Rates) -> list[str]:
    """One line of rates, and why others are missing."""
    ranks = f", {found.ranks} ranks together" if found.ranks > 1 else ""
    source = f" (batch size {found.batch_size:,}, {found.batch_size_from})" if found.batch_size is not None else ""
    lines = _wrapped(f"{', '.join(found.facts)}{source}{ranks}.")
    return [*lines, *_wrapped(f"{found.unknown} Give --batch-size.")] if found.unknown else lines


def _logged_lines(found: LoggedEpochs) -> list[str]:
    return epoch_lines(f"Epochs logged by {printable(found.run_name)}", found.epochs)


def _times(epoch: EpochTime) -> tuple[float | None, ...]:
    parts = (epoch.first_step_seconds, epoch.train_seconds, epoch.validation_seconds, epoch.checkpoint_seconds, epoch.between_seconds)
    return (epoch.seconds, *parts)


def _seconds(seconds: float | None) -> str:
    return "–" if seconds is None else three_digits(seconds)


def _rate(rate: float | None) -> str:
    return "–" if rate is None else digits(rate, 4)


def _wrapped(text: str) -> list[str]:
    return click.wrap_text(printable(text), width=78).splitlines()


def _logged_alone(path: str, *, cache: bool) -> list[LoggedEpochs]:
    """Epochs that the runs of a log folder have logged; none for what is no folder."""
    from stepscope.logdir import open_folder
    from stepscope.queries.epoch_series import epoch_runs, epoch_series
    from stepscope.session.epoch_rows import logged_epochs

    path = os.path.expanduser(path)
    if not os.path.isdir(path):
        return []
    folder = open_folder(path, cache=cache)

    def read() -> list[LoggedEpochs]:
        return [logged_epochs(run, epoch_series(folder.library, run)) for run in epoch_runs(folder.library)]

    found = read()
    if folder.repair():
        found = read()
    return [each for each in found if each.epochs]


def _show_logged(logged: Sequence[LoggedEpochs], *, as_json: bool) -> None:
    if as_json:
        echo_answer({"throughput": None, "epochs": [], "logged_epochs": {each.run_name: each.epochs for each in logged}})
    else:
        click.echo("\n\n".join("\n".join(_logged_lines(each)) for each in logged))
