"""Writes `stepscope profile report --html`: the overview of the page as one file."""

from __future__ import annotations

import os
from typing import Any

import click

from stepscope.cli.profile.asking import opened
from stepscope.cli.profile.range_options import chosen_range
from stepscope.cli.terminal import printable
from stepscope.model.errors import BadInput


def check_name(target: str) -> None:
    """That a slip of the hand writes over nothing but a report. Raises BadInput."""
    if not target.lower().endswith((".html", ".htm")):
        raise BadInput(f"{printable(target)} must end in .html.", "no_html")


def write_html(target: str, source: str, **known: Any) -> int:  # noqa: ANN401 - what the report is asked
    """Writes the file, over an older one, and says how many bytes it has. Raises BadInput, or NotThere without the built page."""
    from stepscope.dashboards.profile.html_report import HtmlWanted, report_html

    by: str = click.get_current_context().params.get("steps_by") or ""
    name = os.path.basename(os.path.abspath(os.path.expanduser(source)))
    data = report_html(name, HtmlWanted(steps=by, range=chosen_range(), **known), opened(source).answer)
    try:
        with open(os.path.expanduser(target), "wb") as file:
            return file.write(data)
    except OSError as error:
        reason = error.strerror or str(error)
        raise BadInput(f"Cannot write {printable(target)}: {reason}; give another path.", "not_written") from error
