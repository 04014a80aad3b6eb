"""`stepscope serve`: reads log folders, follows them, and serves the page until Ctrl-C."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import click

from stepscope import __version__
from stepscope.cli.log_folders import notices, parse_roots
from stepscope.cli.tensorboard_flags import accept_tensorboard_flags
from stepscope.model.errors import BadInput
from stepscope.serving import Serving

if TYPE_CHECKING:
    from stepscope.ingest.loader import Root


@click.command("serve")
@click.argument("logdirs", nargs=-1, metavar="[LOGDIR]…")
@click.option("--logdir", metavar="PATH", help="Log folder, as in TensorBoard.")
@click.option("--logdir_spec", "--logdir-spec", metavar="A:P1,B:P2", help="Several log folders with names.")
@click.option("--host", metavar="HOST", help="Listen on this address (default: localhost).")
@click.option("--bind_all", "--bind-all", is_flag=True, help="Listen on all interfaces.")
@click.option(
    "--port", metavar="PORT", default="default", help="Port to listen on (default: 6006 or the next free one; 0: any free one)."
)
@click.option("--path_prefix", "--path-prefix", metavar="/PATH", default="", help="URL path to serve under, for use behind a proxy.")
@click.option(
    "--reload_interval",
    "--reload-interval",
    metavar="SECONDS",
    type=click.FloatRange(0, 86_400),
    default=5.0,
    show_default=True,
    help="Poll interval for new data where files cannot be watched; 0 loads once.",
)
@click.option("--window_title", "--window-title", metavar="TEXT", default="", help="Title of the browser window.")
@click.option("--allow-host", "allow_hosts", metavar="NAME", multiple=True, help="Also accept requests for this host name; repeatable.")
@click.option(
    "--insecure-no-auth", is_flag=True, help="Allow other machines to connect without sign-in; anyone on the network can read all data."
)
@click.option("--allow-delete", is_flag=True, help="With --insecure-no-auth: allow anyone who connects to delete runs.")
@click.option(
    "--capture-from", metavar="HOST:PORT,…", multiple=True, help="Allow the page to capture profiles from these processes; repeatable."
)
@click.option("--no-plugins", is_flag=True, help="Do not load installed TensorBoard plugins.")
@click.option(
    "--allow-plugin-host",
    "plugin_hosts",
    metavar="URL",
    multiple=True,
    help="Allow plugins to load from this host, for example https://www.gstatic.com; repeatable.",
)
@click.option("--no-cache", is_flag=True, help="Do not use the cache.")
@click.option(
    "--max-gib",
    type=click.IntRange(1, 1 << 20),
    metavar="N",
    help="Read profiles up to N GiB, and allow files that unpack to far more than their size.",
)
@click.option("--notes-of", metavar="PATH", default="", help="Use the notes of the log folder that was at PATH before you moved it.")
@click.option("--inspect", is_flag=True, help="Print a summary of the log folder and exit, like stepscope inspect.")
@click.option("--event_file", "--event-file", metavar="FILE", help="With --inspect: show only this file.")
@click.option("--tag", metavar="TAG", help="With --inspect: show only this tag.")
@click.option("--version_tb", "--version-tb", is_flag=True, help="Print the version and exit.")
@accept_tensorboard_flags
def command(
    logdirs: tuple[str, ...],
    logdir: str | None,
    logdir_spec: str | None,
    host: str | None,
    bind_all: bool,
    port: str,
    path_prefix: str,
    reload_interval: float,
    window_title: str,
    allow_hosts: tuple[str, ...],
    insecure_no_auth: bool,
    allow_delete: bool,
    capture_from: tuple[str, ...],
    no_plugins: bool,
    plugin_hosts: tuple[str, ...],
    no_cache: bool,
    max_gib: int | None,
    notes_of: str,
    inspect: bool,
    event_file: str | None,
    tag: str | None,
    version_tb: bool,
) -> None:
    """Serve the page for one or more log folders.

    Prints the page's address and serves until Ctrl-C. Every flag of TensorBoard 2.21 is accepted.
    """
    if version_tb:
        click.echo(__version__)
        return
    if inspect or event_file:
        from stepscope.cli.inspect import inspect_folders

        roots = parse_roots([event_file], files_too=True) if event_file else parse_roots(logdirs, logdir, logdir_spec)
        inspect_folders(roots, tag=tag, cache=not no_cache)
        return
    if host is not None and bind_all:
        raise BadInput("Give either --host or --bind_all, not both.", "two_hosts")
    serving = Serving(
        host="" if bind_all else (host or "localhost"),
        port=parse_port(port),
        path_prefix=parse_prefix(path_prefix),
        reload_interval=reload_interval,
        window_title=window_title,
        cache=not no_cache,
        max_gib=max_gib,
        allow_hosts=allow_hosts,
        insecure_no_auth=insecure_no_auth,
        allow_delete=allow_delete,
        capture_from=parse_addresses(capture_from),
        plugins=not no_plugins,
        plugin_hosts=parse_plugin_hosts(plugin_hosts),
        notes_of=notes_of,
    )
    roots = parse_roots(logdirs, logdir, logdir_spec, may_come_later=True)
    if notes_of and len(roots) > 1:
        raise BadInput("--notes-of works with one log folder only; serve the moved folder alone once.", "several_folders")
    for line in notices(roots):
        click.echo(line, err=True)
    serve_folders(roots, serving)


def parse_addresses(given: Sequence[str]) -> tuple[str, ...]:
    """The addresses of --capture-from, each as the page shows and names it. Raises BadInput."""
    if not given:
        return ()
    from stepscope.capture.remote.client import parse_targets

    return tuple(target.text for target in parse_targets(",".join(given)))


def parse_plugin_hosts(given: Sequence[str]) -> tuple[str, ...]:
    """The hosts of --allow-plugin-host. Raises BadInput."""
    for host in given:
        if not re.fullmatch(r"https?://(\*\.)?[A-Za-z0-9.-]+(:\d+)?", host):
            raise BadInput(f"{host} is not a host; give scheme and name, for example https://www.gstatic.com.", "bad_host")
    return tuple(given)


def serve_folders(roots: Sequence[Root], serving: Serving, announce: Callable[[str], None] = click.echo) -> None:
    """Loads in the background and serves until told to stop; `announce` gets the page's address once it answers."""
    from stepscope.cli.profile.options import limits_of
    from stepscope.serving import RunningServer

    running = RunningServer(roots, serving, limits_of(serving.max_gib))
    announce(running.address)
    running.run()


def parse_port(text: str) -> int | None:
    """A port number; None for `default`. Raises BadInput."""
    if text == "default":
        return None
    if text.isdecimal() and int(text) < 1 << 16:
        return int(text)
    raise BadInput(f"{text} is not a port; give a number from 0 to 65535.", "bad_port")


def parse_prefix(text: str) -> str:
    """A path prefix without its last slash. Raises BadInput."""
    prefix = text.rstrip("/")
    if not prefix:
        return ""
    if not re.fullmatch(r"(/[\w.~-]+)+", prefix) or ".." in prefix.split("/"):
        raise BadInput(
            "--path_prefix must start with a slash and contain only letters, digits and - . _ ~, for example /stepscope.", "bad_prefix"
        )
    return prefix
