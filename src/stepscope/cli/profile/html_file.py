"""Writes `stepscope profile report --html`: the overview of the page as one file."""

from __future__ import annotations

import os
from typing import Any

import click

from stepscope.cli.profile.asking import opened
from stepscope.cli.profile.range_options import chosen_range
from stepscope.cli.written_file import write_file


def write_html(target: str, source: str, **known: Any) -> int:  # noqa: ANN401 - what the report is asked
    """Writes the file, over an older one, and says how many bytes it has. Raises BadInput, or NotThere without the built page."""
    from stepscope.dashboards.profile.html_report import HtmlWanted, report_html

    by: str = click.get_current_context().params.get("steps_by") or ""
    name = os.path.basename(os.path.abspath(os.path.expanduser(source)))
    data = report_html(name, HtmlWanted(steps=by, range=chosen_range(), **known), opened(source).answer)
    return write_file(target, [data])
