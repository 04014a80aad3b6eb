"""`stepscope count LOGDIR`: the number of runs."""

from __future__ import annotations

import click

from stepscope.logdir import open_folder


@click.command("count")
@click.argument("logdir")
def command(logdir: str) -> None:
    """Count the runs of a log folder."""
    click.echo(len(open_folder(logdir).runs))
