"""`stepscope serve`: reads log folders, follows them, and serves the page until Ctrl-C."""

from __future__ import annotations

import os
import re
import socket
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import click

from stepscope import __version__
from stepscope.cli.log_folders import notices, parse_roots
from stepscope.cli.tensorboard_flags import accept_tensorboard_flags
from stepscope.model.errors import BadInput, Refused

if TYPE_CHECKING:
    from stepscope.ingest.loader import Root
    from stepscope.server.settings import Settings


@dataclass(frozen=True, slots=True)
class Serving:
    """How to serve; the defaults are those of the command line."""

    host: str = "localhost"
    """Empty for all interfaces."""
    port: int | None = None
    """None for 6006 or the next free one; 0 for any."""
    path_prefix: str = ""
    reload_interval: float = 5.0
    window_title: str = ""
    cache: bool = True
    max_gib: int | None = None
    """Of a profile; None for the usual limits."""
    allow_hosts: tuple[str, ...] = ()
    insecure_no_auth: bool = False
    allow_delete: bool = False
    """Whether anybody who connects without sign-in from another machine may delete runs."""
    capture_from: tuple[str, ...] = ()
    """Addresses of processes that the page may capture."""
    notes_of: str = ""
    """Where the log folder was when its notes were made; empty for where it is."""


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


def serve_folders(roots: Sequence[Root], serving: Serving, announce: Callable[[str], None] = click.echo) -> None:
    """Loads in the background and serves until told to stop; `announce` gets the page's address once it answers."""
    from stepscope.cli.profile.options import limits_of
    from stepscope.dashboards.context import Project
    from stepscope.ingest.loader import Loader
    from stepscope.jobs.queue import JobQueue
    from stepscope.server.app import Application
    from stepscope.server.serving import is_local, listen, serve
    from stepscope.session.kept_answers import KeptAnswers
    from stepscope.session.reads import Reads
    from stepscope.store.library import Library
    from stepscope.store.user_state import UserState

    local = serving.host not in ("", "0.0.0.0", "::") and is_local(serving.host)  # noqa: S104
    if not serving.insecure_no_auth and not local:
        raise Refused(
            "Other machines cannot connect by default, because there is no sign-in yet and anyone could read all data; "
            "use an SSH tunnel, or add --insecure-no-auth to allow it.",
            "no_auth",
        )
    listening = listen("" if serving.host in ("0.0.0.0", "::") else serving.host, serving.port)  # noqa: S104
    library = Library()
    limits = limits_of(serving.max_gib)
    loader = Loader(library, roots, reload_interval=serving.reload_interval, cache=serving.cache, profile_limits=limits)
    notes = UserState()
    if serving.notes_of:
        notes.attach(roots[0].path, notes.project(os.path.expanduser(serving.notes_of)))
    jobs = JobQueue()
    project = Project(
        reads=Reads(library, jobs, KeptAnswers() if serving.cache else None),
        loader=loader,
        notes=notes,
        roots=tuple(roots),
        title=serving.window_title,
        reload_interval=serving.reload_interval,
        jobs=jobs,
        may_delete=local or serving.allow_delete,
        capture_from=serving.capture_from,
    )
    application = Application(project, server_settings(serving))
    loader.start()
    try:
        announce(address(serving, listening[0].getsockname()[1]))
        serve(application, listening)
    finally:
        application.close()
        loader.stop()
        notes.close()


def server_settings(serving: Serving) -> Settings:
    """What the server needs to know of the command line."""
    from stepscope.server.settings import Settings

    everywhere = serving.host in ("", "0.0.0.0", "::")  # noqa: S104
    names = {"localhost", "127.0.0.1", "[::1]", *(name.lower() for name in serving.allow_hosts)}
    if everywhere:
        names |= {socket.gethostname().lower(), socket.getfqdn().lower()}
    else:
        bound = serving.host.lower()
        names.add(f"[{bound}]" if ":" in bound and not bound.startswith("[") else bound)
    return Settings(
        path_prefix=serving.path_prefix,
        hosts=frozenset(names),
        any_address=everywhere,
    )


def address(serving: Serving, port: int) -> str:
    """The page's address, as printed."""
    host = serving.host
    if host in ("", "0.0.0.0", "::"):  # noqa: S104
        host = socket.gethostname()
    elif ":" in host and not host.startswith("["):
        host = f"[{host}]"
    return f"http://{host}:{port}{serving.path_prefix}/"


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
