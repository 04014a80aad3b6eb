"""Writes `stepscope profile report --html`: the overview of the page as one file."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING

from stepscope.cli.profile.logged_settings import event_files_beside
from stepscope.cli.terminal import printable
from stepscope.model.errors import BadInput

if TYPE_CHECKING:
    from stepscope.dashboards.profile.report import Told
    from stepscope.dashboards.profile.throughput_logged import LoggedEpochs
    from stepscope.formats.format import Limits
    from stepscope.model.profile import Profile
    from stepscope.queries.profiles import Opened


def check_name(target: str) -> None:
    """That a slip of the hand writes over nothing but a report. Raises BadInput."""
    if not target.lower().endswith((".html", ".htm")):
        raise BadInput(f"{printable(target)} must end in .html.", "no_html")


def write_html(target: str, source: str, profiles: Sequence[Profile], steps_by: str | None, told: Told, limits: Limits) -> int:
    """Writes the file, over an older one, and says how many bytes it has. Raises BadInput."""
    from stepscope.dashboards.profile.html_further import further_found, further_sections
    from stepscope.dashboards.profile.html_report import report_page
    from stepscope.dashboards.profile.report import make_report

    opened = _opened(profiles, limits)
    report = make_report(opened, steps_by or "", told)
    further = further_found(opened, steps_by or "", told.batch, told.tokens, "")
    name = os.path.basename(os.path.abspath(os.path.expanduser(source)))
    logged = None if further[0].epochs else _logged_epochs(profiles[0].path)
    text = report_page(report, name, further_sections(report, further, logged)).encode()
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


def _opened(profiles: Sequence[Profile], limits: Limits) -> Opened:
    """The profiles as the page has them, with ranks named as the terminal names them."""
    from stepscope.analyses.summary import rank_name
    from stepscope.formats.span_attributes import span_attributes
    from stepscope.formats.xplane.programs import read_programs
    from stepscope.model.session import ProfileFile
    from stepscope.queries.profiles import Opened

    files = [ProfileFile(profile.path, 0, 0.0, 0, profile.format, rank_name(profile, place)) for place, profile in enumerate(profiles)]
    by_path = {profile.path: profile for profile in profiles}
    return Opened(
        tuple(files),
        tuple(profiles),
        (),
        span_attributes,
        lambda file: read_programs(by_path[file.path], limits),
        event_files=event_files_beside(profiles[0].path),
    )
