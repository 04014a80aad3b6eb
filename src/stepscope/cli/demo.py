"""`stepscope demo`: trains a small network in a process beside this one, and serves the page that shows it learn."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import webbrowser
from collections.abc import Generator
from contextlib import contextmanager
from datetime import datetime

import click

from stepscope.cli.log_folders import parse_roots
from stepscope.cli.serve import parse_port, serve_folders
from stepscope.model.errors import BadInput
from stepscope.serving import Serving

_PARENT = "stepscope-demo"


@click.command("demo")
@click.argument("logdir", required=False, metavar="[LOGDIR]")
@click.option(
    "--steps",
    metavar="STEPS",
    type=click.IntRange(1, 1_000_000),
    default=1_000,
    show_default=True,
    help="Train each run for STEPS steps.",
)
@click.option(
    "--port", metavar="PORT", default="default", help="Port to listen on (default: 6006 or the next free one; 0: any free one)."
)
@click.option("--no-browser", is_flag=True, help="Do not open a browser. (It opens only if output goes to a terminal.)")
@click.option("--train-only", is_flag=True, help="Train, print the log folder and exit, without serving the page.")
def command(logdir: str | None, steps: int, port: str, no_browser: bool, train_only: bool) -> None:
    """Train a small network for about a minute and watch it on the page.

    Four runs are trained one after the other, with logs for every tab and a profile of each run. They are written to
    LOGDIR, which must be new or empty, or to a new folder below ./stepscope-demo. Prints the page's address and serves
    until Ctrl-C.
    """
    listening_port = parse_port(port)
    folder = _fresh_folder(logdir)
    with _training(folder, steps) as process:
        if train_only:
            if process.wait():
                raise click.ClickException("The demo training failed; see the error above.")
            click.echo(folder)
            return
        click.echo(f"Training into {folder}. Press Ctrl-C to stop.")
        _serve(folder, listening_port, browser=not no_browser and sys.stdout.isatty())


@contextmanager
def _training(folder: str, steps: int) -> Generator[subprocess.Popen[bytes]]:
    """The training, in a process of its own so that it cannot slow down the page; it ends when its standard input is closed."""
    safe_path = ["-P"] if sys.flags.safe_path else []
    command = [sys.executable, *safe_path, "-m", "stepscope.demo", folder, str(steps)]
    # Ctrl-C is for this process alone. In a session of its own the training's low priority would count for nothing on Linux.
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, process_group=0)
    try:
        yield process
    finally:
        if process.stdin is not None:
            process.stdin.close()
        process.wait()


def _serve(folder: str, port: int | None, *, browser: bool) -> None:
    def announce(address: str) -> None:
        click.echo(address)
        if browser:
            # Some desktops only return when the browser is closed again.
            threading.Thread(target=webbrowser.open, args=(address,), daemon=True).start()

    serve_folders(parse_roots([folder]), Serving(port=port), announce)


def _fresh_folder(logdir: str | None) -> str:
    """The folder to train into, made; one that holds anything is refused, since its runs would seem to restart."""
    try:
        if logdir is None:
            parent = os.path.join(os.curdir, _PARENT)
            folder = os.path.join(parent, datetime.now().astimezone().strftime("%Y-%m-%d_%H-%M-%S"))
        else:
            folder = logdir
        os.makedirs(folder, exist_ok=True)
        if os.listdir(folder):
            raise BadInput(f"{folder} is not empty; give a new or empty folder.", "folder_in_use")
    except OSError as error:
        raise BadInput(f"Cannot create {error.filename} ({error.strerror}); give a folder you can write to.", "no_folder") from error
    return folder
