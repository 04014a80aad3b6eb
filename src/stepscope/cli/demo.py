"""`stepscope demo`: trains a small network in this process, and serves the page that shows it learn."""

from __future__ import annotations

import os
import sys
import threading
import webbrowser
from datetime import datetime

import click

from stepscope.cli.log_folders import parse_roots
from stepscope.cli.serve import Serving, parse_port, serve_folders
from stepscope.model.errors import BadInput

_PARENT = "stepscope-demo"


@click.command("demo")
@click.argument("logdir", required=False, metavar="[LOGDIR]")
@click.option(
    "--seconds",
    metavar="SECONDS",
    type=click.FloatRange(0.1, 86_400),
    default=120.0,
    show_default=True,
    help="Train for this long.",
)
@click.option("--port", metavar="PORT", default="default", help="6006 or the next free one when not given; 0 for any free one.")
@click.option("--no-browser", is_flag=True, help="Do not open a browser; none is opened anyway when output is not a terminal.")
@click.option("--train-only", is_flag=True, help="Train, print the folder and stop, without a page.")
def command(logdir: str | None, seconds: float, port: str, no_browser: bool, train_only: bool) -> None:
    """Train a small network for two minutes and watch it on the page.

    Two runs with different learning rates are trained into LOGDIR, which must be new or empty; when it is not given, into
    a new folder below ./stepscope-demo. Prints the page's address and serves until Ctrl-C.
    """
    listening_port = parse_port(port)
    folder = _fresh_folder(logdir)
    stop = threading.Event()
    if train_only:
        from stepscope.demo.training import train

        train(folder, seconds, stop)
        click.echo(folder)
        return
    training = threading.Thread(target=_train, args=(folder, seconds, stop), name="stepscope-demo")
    training.start()
    try:
        click.echo(f"Training two runs for {seconds:g} s into {folder}; Ctrl-C ends it.")
        _serve(folder, listening_port, browser=not no_browser and sys.stdout.isatty())
    finally:
        stop.set()
        training.join()


def _train(folder: str, seconds: float, stop: threading.Event) -> None:
    from stepscope.demo.training import train  # NumPy loads while the server starts.

    train(folder, seconds, stop)


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
            raise BadInput(f"{folder} is not empty; give the demo a new folder.", "folder_in_use")
    except OSError as error:
        raise BadInput(f"Cannot make {error.filename} ({error.strerror}); give a folder you may write to.", "no_folder") from error
    return folder
