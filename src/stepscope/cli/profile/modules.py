"""`stepscope profile modules`: the tree of the model's modules with the time of both passes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from stepscope.cli.profile.reading import csv_option, echo_csv, echo_json, profile_options, read_profiles
from stepscope.cli.terminal import COLUMNS, table

if TYPE_CHECKING:
    from stepscope.analyses.work.modules import ModuleRow, PassTime
    from stepscope.model.profile import Profile

_SHOWN = 60


@click.command("modules")
@profile_options
@click.option("--depth", type=click.IntRange(1), metavar="N", help="Only N levels of the tree.")
@csv_option
def command(
    profile: str,
    as_json: bool,
    steps_by: str | None,  # noqa: ARG001
    max_gib: int | None,
    no_cache: bool,
    depth: int | None,
    as_csv: bool,
) -> None:
    """Show the tree of modules of PROFILE, over the whole recording.

    PyTorch records modules with with_stack=True, and Lightning's PyTorchProfiler does; without them, and for TensorFlow and JAX, the
    tree is that of the operations' name scopes. A backward operation belongs to the module of its forward operation.
    """
    from stepscope.analyses.work.modules import modules

    found: list[tuple[Profile, ModuleRow]] = []
    for each in read_profiles(profile, max_gib, cache=not no_cache):
        found += [(each, row) for row in modules(each) if depth is None or row.depth < depth]
    if as_json:
        echo_json({"modules": [_answer(each, row) for each, row in found]})
    elif as_csv:
        echo_csv([_cells(each, row) for each, row in found])
    elif not found:
        click.echo("No modules: record with with_stack=True to see them.")
    else:
        rows = [_line(row) for _, row in found[:_SHOWN]]
        lines = table(("module", "calls", "forward ms", "on device", "backward ms", "on device"), rows, COLUMNS)
        more = len(found) - _SHOWN
        click.echo("\n".join([*lines, *([f"and {more:,} more; see --json"] if more > 0 else [])]))


def _line(row: ModuleRow) -> tuple[str, ...]:
    times = (row.forward.host_ns, row.forward.device_ns, row.backward.host_ns, row.backward.device_ns)
    return ("  " * row.depth + row.name, f"{row.calls:,}", *(f"{time / 1e6:,.2f}" for time in times))


def _answer(profile: Profile, row: ModuleRow) -> dict[str, Any]:
    return {
        "path": row.path,
        "name": row.name,
        "depth": row.depth,
        "host": profile.host,
        "rank": profile.rank if profile.rank >= 0 else None,
        "calls": row.calls,
        "share": row.share,
        "forward": _pass(row.forward),
        "backward": _pass(row.backward),
    }


def _cells(profile: Profile, row: ModuleRow) -> dict[str, Any]:
    """The same in one line: the times of both passes stand beside one another."""
    answer = _answer(profile, row)
    passes = [(name, answer.pop(name)) for name in ("forward", "backward")]
    return answer | {f"{name}_{key}": time for name, times in passes for key, time in times.items()}


def _pass(time: PassTime) -> dict[str, float]:
    return {
        "host_us": time.host_ns / 1e3,
        "host_self_us": time.host_self_ns / 1e3,
        "device_us": time.device_ns / 1e3,
        "device_self_us": time.device_self_ns / 1e3,
    }
