"""`stepscope profile modules`: the tree of the model's modules with the time of both passes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from stepscope.cli.profile.asking import ask, echo_answer, echo_rows
from stepscope.cli.profile.options import csv_option, limit_option, profile_options, rows_of_text
from stepscope.cli.profile.rank_column import table_of_workers

if TYPE_CHECKING:
    from stepscope.session.parts.modules import ModuleRow, Modules

_SHOWN = 60


@click.command("modules")
@profile_options
@csv_option
@limit_option
@click.option("--depth", type=click.IntRange(1), metavar="N", help="Show only the first N levels of the tree.")
def command(profile: str, as_json: bool, as_csv: bool, depth: int | None, **_: object) -> None:
    """Show the module tree of PROFILE with forward and backward time.

    PyTorch records modules with with_stack=True, and so does Lightning's PyTorchProfiler. Without them, and for TensorFlow and JAX,
    the tree shows name scopes of operations. A backward operation belongs to the module of its forward operation.
    """
    from stepscope.session.parts.modules import MODULES

    answer = ask(MODULES, profile, depth=depth or 0)
    if as_json:
        echo_answer(answer)
    elif as_csv:
        echo_rows(answer.modules)
    else:
        click.echo(_text(answer))


def _text(answer: Modules) -> str:
    if not answer.modules:
        return "No modules in this profile. Capture with with_stack=True to see them."
    shown = answer.modules[: rows_of_text(_SHOWN)]
    head = ("module", "calls", "forward ms", "on device", "backward ms", "on device")
    lines = table_of_workers(head, [_line(row) for row in shown], shown)
    more = answer.total - len(shown)
    return "\n".join([*(line.rstrip() for line in lines), *([f"and {more:,} more; see --limit"] if more > 0 else [])])


def _line(row: ModuleRow) -> tuple[str, ...]:
    times = (row.forward.host_us, row.forward.device_us, row.backward.host_us, row.backward.device_us)
    return ("  " * row.depth + row.name, f"{row.calls:,}", *(f"{time / 1e3:,.2f}" for time in times))
