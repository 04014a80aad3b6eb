"""`stepscope capture`: profiles running processes over gRPC, and saves what they send as a session of a log folder."""

from __future__ import annotations

import os
import re
import sys
import time

import click

from stepscope.model.errors import BadInput

_DURATION = re.compile(r"^(\d+(?:\.\d+)?)(ms|s|min)?$")
_MS = {"ms": 1, "s": 1_000, "min": 60_000}


@click.command("capture")
@click.argument("addresses", metavar="HOST:PORT[,HOST:PORT…]")
@click.option("--duration", metavar="TIME", default="2s", show_default=True, help="How long to capture, such as 500ms, 2s or 1min.")
@click.option("--to", "logdir", metavar="LOGDIR", help="Folder of the run to save the session in.")
@click.option("--monitor", "only_monitor", is_flag=True, help="Print the process's CPU, memory and GPU usage; capture nothing.")
@click.option("--name", metavar="TEXT", default="", help="Add TEXT to the name of the session.")
@click.option(
    "--host-level",
    type=click.IntRange(0, 3),
    default=2,
    show_default=True,
    help="1: annotations, 2: and operations, 3: all.",
)
@click.option("--device-level", type=click.IntRange(0, 1), default=1, show_default=True, help="Record the device (1) or not (0).")
@click.option("--python", "with_python", is_flag=True, help="Record Python functions, which are most of the events.")
@click.option("--attempts", type=click.IntRange(1, 100), default=3, show_default=True, help="How often to try to connect.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def command(
    addresses: str,
    duration: str,
    logdir: str | None,
    only_monitor: bool,
    name: str,
    host_level: int,
    device_level: int,
    with_python: bool,
    attempts: int,
    as_json: bool,
) -> None:
    """Capture a profile from a running process.

    The process runs tf.profiler.experimental.server.start(PORT), jax.profiler.start_server(PORT) or stepscope.serve_profiler(PORT).
    Several hosts are captured at the same time into one session. A token is read from the variable STEPSCOPE_CAPTURE_TOKEN.
    """
    from stepscope.capture.remote.client import capture, parse_targets, problem_of
    from stepscope.capture.remote.service import TOKEN_VARIABLE, Wanted

    if only_monitor:
        _monitor(addresses, parse_duration(duration), as_json)
        return
    if logdir is None:
        raise BadInput("Give --to LOGDIR, the folder of the run to save the session in.", "no_folder")
    wanted = Wanted(parse_duration(duration), host_level, device_level, int(with_python))
    captured = capture(
        parse_targets(addresses),
        wanted,
        os.path.abspath(os.path.expanduser(logdir)),
        name=name,
        token=os.environ.get(TOKEN_VARIABLE, ""),
        attempts=attempts,
        progress=_Progress(),
    )
    error = problem_of(captured)
    if error is not None:
        raise error
    if as_json:
        import json

        click.echo(json.dumps({"session": captured.folder, "files": captured.files, "problems": captured.problems}, indent=2))
    else:
        click.echo(captured.folder)
    for problem in captured.problems:
        click.echo(problem, err=True)
    if captured.problems:
        click.get_current_context().exit(1)


def _monitor(addresses: str, duration_ms: int, as_json: bool) -> None:
    """Prints what each process says of itself, and a sentence for each that says nothing."""
    from stepscope.capture.remote.client import monitor, parse_targets
    from stepscope.capture.remote.service import LONGEST_MONITOR_MS, TOKEN_VARIABLE

    if duration_ms > LONGEST_MONITOR_MS:
        raise BadInput(f"Give --duration with --monitor as at most {LONGEST_MONITOR_MS // 1000}s.", "bad_duration")
    answers = monitor(parse_targets(addresses), duration_ms, token=os.environ.get(TOKEN_VARIABLE, ""))
    problems = [text for _, text, is_answer in answers if not is_answer]
    if len(problems) == len(answers):
        raise BadInput(" ".join(problems), "nothing_monitored")
    told = {
        target.text: dict(line.split(": ", 1) for line in text.splitlines() if ": " in line) for target, text, good in answers if good
    }
    if as_json:
        import json

        click.echo(json.dumps({"processes": told, "problems": problems}, indent=2))
    else:
        for address, facts in told.items():
            click.echo(address)
            for name, value in facts.items():
                click.echo(f"  {name:<28}{value}")
    for problem in problems:
        click.echo(problem, err=True)
    if problems:
        click.get_current_context().exit(1)


def parse_duration(text: str) -> int:
    """Milliseconds of a time such as 500ms, 2s or 1min; a number alone is seconds. Raises BadInput."""
    from stepscope.capture.remote.service import LONGEST_MS

    match = _DURATION.match(text.strip())
    found = round(float(match[1]) * _MS[match[2] or "s"]) if match else 0
    if not 0 < found <= LONGEST_MS:
        raise BadInput(f"Give --duration as a time up to 60min, such as 500ms or 2s, not as {text!r}.", "bad_duration")
    return found


class _Progress:
    """A line on a terminal that is written over; nothing where stderr is none."""

    def __init__(self) -> None:
        self._shown = sys.stderr.isatty()
        self._last = 0.0

    def __call__(self, words: str) -> None:
        if self._shown and time.monotonic() - self._last > 0.2:
            self._last = time.monotonic()
            click.echo(f"\r\x1b[KCapturing: {words}", nl=False, err=True)
