"""Writes `stepscope profile report --html`: the overview of the page as one file."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import click

from stepscope.cli.profile.asking import opened
from stepscope.cli.profile.range_options import chosen_range
from stepscope.cli.terminal import printable
from stepscope.model.errors import BadInput

if TYPE_CHECKING:
    from stepscope.session.parts.report import Report


def check_name(target: str) -> None:
    """That a slip of the hand writes over nothing but a report. Raises BadInput."""
    if not target.lower().endswith((".html", ".htm")):
        raise BadInput(f"{printable(target)} must end in .html.", "no_html")


def write_html(target: str, source: str, report: Report, batch: int | None, tokens: int | None) -> int:
    """Writes the file, over an older one, and says how many bytes it has. Raises BadInput."""
    from stepscope.dashboards.profile.html_further import MOST_EPOCHS, further_sections
    from stepscope.dashboards.profile.html_report import report_page
    from stepscope.session.parts.inference import INFERENCE, InferenceWanted
    from stepscope.session.parts.steps import STEPS, StepsWanted
    from stepscope.session.parts.throughput import THROUGHPUT, ThroughputWanted

    by: str = click.get_current_context().params.get("steps_by") or ""
    at, within = opened(source), chosen_range()
    sizes = ThroughputWanted(steps=by, range=within, batch=batch, tokens=tokens, limit=MOST_EPOCHS)
    requests = at.answer(INFERENCE, InferenceWanted(steps=by, range=within))
    further = further_sections(report, at.answer(THROUGHPUT, sizes), requests)
    name = os.path.basename(os.path.abspath(os.path.expanduser(source)))
    text = report_page(report, at.answer(STEPS, StepsWanted(steps=by, range=within)), name, further).encode()
    try:
        with open(os.path.expanduser(target), "wb") as file:
            return file.write(text)
    except OSError as error:
        reason = error.strerror or "the system says no"
        raise BadInput(f"{printable(target)} cannot be written: {reason}.", "not_written") from error
