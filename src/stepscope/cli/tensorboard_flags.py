"""TensorBoard 2.21's flags that have no meaning here: accepted, so that scripts keep working, with one line that says why."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

Command = TypeVar("Command", bound=Callable[..., Any])

WITHOUT_MEANING: dict[str, str] = {
    "load_fast": "there is one loader, and it is the fast one",
    "extra_data_server_flags": "there is no separate data server",
    "grpc_creds_type": "there is no separate data server",
    "grpc_data_provider": "there is no separate data server",
    "purge_orphaned_data": "nothing is purged; choose on the page which restarts are shown",
    "db": "there is no database to read from",
    "db_import": "there is no database to import into",
    "max_reload_threads": "files are read by as many threads as there are cores",
    "reload_task": "files are always read in the background",
    "reload_multifile": "every file is always followed",
    "reload_multifile_inactive_secs": "every file is always followed",
    "generic_data": "there is one way to read data",
    "samples_per_plugin": "every point is kept",
    "detect_file_replacement": "replaced files are always noticed",
    "master_tpu_unsecure_channel": "profiles of TPUs are not captured from here",
    "reuse_port": "a port is used by one server",
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
