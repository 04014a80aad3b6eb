"""Writes `stepscope profile report --html`: the overview of the page as one file."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import click

from stepscope.cli.profile.asking import opened
from stepscope.cli.profile.logged_settings import event_files_beside
from stepscope.cli.profile.range_options import chosen_range
from stepscope.cli.terminal import printable
from stepscope.model.errors import BadInput

if TYPE_CHECKING:
    from stepscope.dashboards.profile.throughput_logged import LoggedEpochs
    from stepscope.queries.profiles import Opened
    from stepscope.session.analysed import AnalysedSession
    from stepscope.session.parts.report import Report


def check_name(target: str) -> None:
    """That a slip of the hand writes over nothing but a report. Raises BadInput."""
    if not target.lower().endswith((".html", ".htm")):
        raise BadInput(f"{printable(target)} must end in .html.", "no_html")


def write_html(target: str, source: str, report: Report, batch: int | None, tokens: int | None) -> int:
    """Writes the file, over an older one, and says how many bytes it has. Raises BadInput."""
    from stepscope.dashboards.profile.html_further import further_found, further_sections
    from stepscope.dashboards.profile.html_report import report_page
    from stepscope.session.parts.inference import INFERENCE, InferenceWanted
    from stepscope.session.parts.steps import STEPS, StepsWanted

    steps_by: str = click.get_current_context().params.get("steps_by") or ""
    at, wanted = opened(source), StepsWanted(steps=steps_by, range=chosen_range())
    session = at.analysed(STEPS, wanted)
    requests = at.answer(INFERENCE, InferenceWanted(steps=steps_by, range=chosen_range()))
    further = further_found(_opened(session), steps_by, batch, tokens, requests, "")
    name = os.path.basename(os.path.abspath(os.path.expanduser(source)))
    logged = None if further[0].epochs else _logged_epochs(session.profiles[0].path)
    text = report_page(report, at.answer(STEPS, wanted), name, further_sections(report, further, logged)).encode()
    try:
        with open(os.path.expanduser(target), "wb") as file:
            return file.write(text)
    except OSError as error:
        reason = error.strerror or "the system says no"
        raise BadInput(f"{printable(target)} cannot be written: {reason}.", "not_written") from error


def _logged_epochs(profile: str) -> LoggedEpochs | None:
    """What the run that a profile lies in has logged of its epochs."""
    from stepscope.dashboards.profile.throughput_logged import logged_epochs
    from stepscope.logdir import open_folder
    from stepscope.queries.epoch_series import epoch_runs, epoch_series

    files = event_files_beside(profile)
    if not files:
        return None
    library = open_folder(os.path.dirname(files[-1])).library
    own = next((run for run in epoch_runs(library) if run.name == "."), None)
    return None if own is None else logged_epochs(own, epoch_series(library, own))


def _opened(session: AnalysedSession) -> Opened:
    """The session as the sections of throughput and requests read it."""
    from stepscope.model.session import ProfileFile
    from stepscope.queries.profiles import Opened

    named = zip(session.workers, session.profiles, strict=True)
    files = [ProfileFile(profile.path, 0, 0.0, 0, profile.format, worker) for worker, profile in named]
    places = {file.path: place for place, file in enumerate(files)}
    return Opened(
        tuple(files),
        session.profiles,
        (),
        session.attributes,
        lambda file: session.programs(places[file.path]),
        event_files=event_files_beside(session.profiles[0].path),
    )
