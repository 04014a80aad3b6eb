"""One server on log folders: everything it is made of, run in this thread until it is told to stop or beside the caller's own work."""

from __future__ import annotations

import os
import socket
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from stepscope.model.errors import Refused

if TYPE_CHECKING:
    from stepscope.formats.format import Limits
    from stepscope.ingest.loader import Root
    from stepscope.server.settings import Settings

PROXY_VARIABLE = "TENSORBOARD_PROXY_URL"
"""Where a proxy in front of this machine shows a port, as in TensorBoard: %PORT% in it is the port's number."""
_EVERYWHERE = ("", "0.0.0.0", "::")  # noqa: S104


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
    plugins: bool = True
    """Whether installed plugins of TensorBoard are loaded."""
    plugin_hosts: tuple[str, ...] = ()
    """Other hosts that the frames of plugins may load from."""
    notes_of: str = ""
    """Where the log folder was when its notes were made; empty for where it is."""


class RunningServer:
    """A server that listens: `run` answers until it is told to stop, `start` does that in a thread."""

    def __init__(self, roots: Sequence[Root], serving: Serving, limits: Limits | None = None) -> None:
        from stepscope.dashboards.context import Project
        from stepscope.ingest.loader import Loader
        from stepscope.jobs.queue import JobQueue
        from stepscope.server.app import Application
        from stepscope.server.serving import is_local, listen
        from stepscope.session.kept_answers import KeptAnswers
        from stepscope.session.reads import Reads
        from stepscope.store.library import Library
        from stepscope.store.user_state import UserState

        local = serving.host not in _EVERYWHERE and is_local(serving.host)
        if not serving.insecure_no_auth and not local:
            raise Refused(
                "Other machines cannot connect by default, because there is no sign-in yet and anyone could read all data; "
                "use an SSH tunnel, or add --insecure-no-auth to allow it.",
                "no_auth",
            )
        self._listening = listen("" if serving.host in _EVERYWHERE else serving.host, serving.port)
        library = Library()
        self._loader = Loader(library, roots, reload_interval=serving.reload_interval, cache=serving.cache, profile_limits=limits)
        self._notes = UserState()
        if serving.notes_of:
            self._notes.attach(roots[0].path, self._notes.project(os.path.expanduser(serving.notes_of)))
        jobs = JobQueue()
        project = Project(
            reads=Reads(library, jobs, KeptAnswers() if serving.cache else None),
            loader=self._loader,
            notes=self._notes,
            roots=tuple(roots),
            title=serving.window_title,
            reload_interval=serving.reload_interval,
            jobs=jobs,
            may_delete=local or serving.allow_delete,
            capture_from=serving.capture_from,
        )
        port = int(self._listening[0].getsockname()[1])
        self._application = Application(project, server_settings(serving, port))
        self.address = address(serving, port)
        self._thread: threading.Thread | None = None
        self._loader.start()

    def run(self) -> None:
        """Answers until Ctrl-C or SIGTERM. In the main thread alone."""
        from stepscope.server.serving import serve

        try:
            serve(self._application, self._listening)
        finally:
            self._end()

    def start(self) -> None:
        """Answers in a thread until `close`, or until the process ends."""
        from stepscope.server.serving import Server

        self._server = Server(self._application)
        self._thread = threading.Thread(
            target=self._server.run, kwargs={"sockets": self._listening}, name="stepscope-serve", daemon=True
        )
        self._thread.start()

    def close(self) -> None:
        """Ends what `start` began; safe to call more than once."""
        if self._thread is None:
            return
        self._server.handle_exit(0, None)
        self._thread.join()
        self._thread = None
        self._end()

    def _end(self) -> None:
        self._application.close()
        self._loader.stop()
        self._notes.close()


class ServedAddress(str):
    """The page's address; `close()` ends its server."""

    __slots__ = ("running",)

    running: RunningServer

    def close(self) -> None:
        """Ends the server."""
        self.running.close()


def serve(
    logdir: str | os.PathLike[str], *, port: int | None = None, path_prefix: str = "", reload_interval: float = 5.0, cache: bool = True
) -> ServedAddress:
    """Serves a log folder from this process, beside its own work, and returns the page's address.

    Only this machine can connect. `port` is 6006 or the next free one unless given; 0 is any. The server ends with the process, or
    with `close()` of what is returned. Raises BadInput when the port is taken.
    """
    from stepscope.ingest.loader import Root

    serving = Serving(port=port, path_prefix=path_prefix.rstrip("/"), reload_interval=reload_interval, cache=cache)
    running = RunningServer([Root("", os.fspath(logdir))], serving)
    running.start()
    found = ServedAddress(running.address)
    found.running = running
    return found


def server_settings(serving: Serving, port: int = 0) -> Settings:
    """What the server needs to know of the command line, and of a proxy in front of it."""
    from stepscope.server.settings import Settings

    everywhere = serving.host in _EVERYWHERE
    names = {"localhost", "127.0.0.1", "[::1]", *(name.lower() for name in serving.allow_hosts)}
    if everywhere:
        names |= {socket.gethostname().lower(), socket.getfqdn().lower()}
    else:
        bound = serving.host.lower()
        names.add(f"[{bound}]" if ":" in bound and not bound.startswith("[") else bound)
    proxy = _proxy_host(os.environ.get(PROXY_VARIABLE, "").replace("%PORT%", str(port)))
    return Settings(
        path_prefix=serving.path_prefix,
        hosts=frozenset(names | ({proxy} if proxy else set[str]())),
        any_address=everywhere,
        plugins=serving.plugins,
        plugin_hosts=serving.plugin_hosts,
    )


def address(serving: Serving, port: int) -> str:
    """The page's address, as printed: behind the proxy that the environment names, or else of this machine."""
    proxy = os.environ.get(PROXY_VARIABLE)
    if proxy:
        return proxy.replace("%PORT%", str(port))
    host = serving.host
    if host in _EVERYWHERE:
        host = socket.gethostname()
    elif ":" in host and not host.startswith("["):
        host = f"[{host}]"
    return f"http://{host}:{port}{serving.path_prefix}/"


def _proxy_host(proxy: str) -> str:
    """The host that requests through a proxy name; empty when its address has none, as Jupyter's has."""
    try:
        host = urlsplit(proxy).hostname or ""
    except ValueError:
        return ""
    return f"[{host}]" if ":" in host else host
