"""TensorBoard 2.21's flags that have no meaning here: accepted, so that scripts keep working, with one line that says why."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

Command = TypeVar("Command", bound=Callable[..., Any])

WITHOUT_MEANING: dict[str, str] = {
    "load_fast": "there is only one loader, the fast one",
    "extra_data_server_flags": "there is no separate data server",
    "grpc_creds_type": "there is no separate data server",
    "grpc_data_provider": "there is no separate data server",
    "purge_orphaned_data": "nothing is purged; choose which restarts to show on the page",
    "db": "there is no database to read from",
    "db_import": "there is no database to import into",
    "max_reload_threads": "files are read with one thread per core",
    "reload_task": "files are always read in the background",
    "reload_multifile": "all files are always watched",
    "reload_multifile_inactive_secs": "all files are always watched",
    "generic_data": "there is only one way to read data",
    "samples_per_plugin": "all points are kept",
    "detect_file_replacement": "replaced files are always detected",
    "master_tpu_unsecure_channel": "TPU profiles cannot be captured from here",
    "reuse_port": "only one server can use a port",
}
"""Flag to the reason; each takes a value, but those of SWITCHES."""

SWITCHES = frozenset({"db_import"})


def accept_tensorboard_flags(command: Command) -> Command:
    """Adds the flags to a command, hidden from its help."""
    for name in WITHOUT_MEANING:
        takes: dict[str, Any] = {"is_flag": True, "default": None} if name in SWITCHES else {"metavar": "VALUE"}
        command = click.option(f"--{name}", *_dashed(name), name, hidden=True, expose_value=False, callback=_say_so, **takes)(command)
    return command


def _dashed(name: str) -> tuple[str, ...]:
    return (f"--{name.replace('_', '-')}",) if "_" in name else ()


def _say_so(_: click.Context, option: click.Parameter, value: object) -> None:
    if value is not None:
        click.echo(f"stepscope: --{option.name} is ignored: {WITHOUT_MEANING[option.name]}.", err=True)
