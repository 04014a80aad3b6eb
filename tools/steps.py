"""Runs named steps two at a time, shows one line for each, and the whole output of those that fail."""

from __future__ import annotations

import math
import os
import signal
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import unchanged

ROOT = Path(__file__).resolve().parent.parent
AT_ONCE = 2


@dataclass(frozen=True, slots=True)
class Step:
    """A command with a name."""

    name: str
    command: Sequence[str | Path]
    alone: bool = False
    """Has the machine to itself."""

    shown: bool = False
    """Its output is shown as it comes, not only when it fails."""

    reads: tuple[str, ...] = ()
    """Endings of the files that alone decide how it ends; without them it may end differently on the same files."""

    again: Sequence[str | Path] = ()
    """What runs the failed part once more, alone. When it passes, the step has passed, and is listed as unstable."""

    environment: Mapping[str, str] = field(default_factory=dict[str, str])


def passed(step: Step) -> bool:
    """Whether a step passed on exactly the files that are there."""
    state = unchanged.fingerprint(step.command, step.reads) if step.reads else None
    return state is not None and unchanged.passed_before(step.name, state)


LEFT = "left"
"""What `run` returns for a step that there was no time for."""


def run(step: Step, repeat: bool = True, until: float = math.inf) -> bool | str:
    """Runs one step and says how it went.

    Unless it is to repeat, a step that passed on the same files is left out. One that cannot end until then, on the clock of
    `time.monotonic`, is left for the next time, which waits for it: also a busy machine gets through.
    """
    began = time.monotonic()
    state = None if repeat or not step.reads else unchanged.fingerprint(step.command, step.reads)
    if state is not None and unchanged.passed_before(step.name, state):
        print(f"same   {step.name:<28} passed on these files before", flush=True)
        return True
    until = math.inf if unchanged.was_left(step.name) else until
    code, output = (None, "") if began + unchanged.noted_seconds(step.name) > until else _ended(step, until - began)
    unchanged.note_left(step.name, code is None)
    if code is None:
        print(f"LEFT   {step.name:<28} no time for it", flush=True)
        return LEFT
    good = code == 0
    if not good and output:
        sys.stdout.write(f"\n--- {step.name}\n{output}\n")
    if good and state is not None:
        unchanged.remember(step.name, state)
        unchanged.note_seconds(step.name, time.monotonic() - began)
    unstable = not good and bool(step.again) and _passes_again(step)
    outcome = "ok    " if good else "again " if unstable else "FAILED"
    print(f"{outcome} {step.name:<28} {time.monotonic() - began:6.1f} s", flush=True)
    if unstable:
        print(f"UNSTABLE: the tests that failed in {step.name} passed when run once more, alone; see their failures above.", flush=True)
    return good or unstable


def _ended(step: Step, seconds: float) -> tuple[int | None, str]:
    """The exit code of a step and what it printed; no code when it had to be ended, with all processes that it started."""
    process = subprocess.Popen(
        [str(part) for part in step.command],
        cwd=ROOT,
        env={**os.environ, **step.environment},
        stdout=None if step.shown else subprocess.PIPE,
        stderr=None if step.shown else subprocess.STDOUT,
        text=True,
        start_new_session=math.isfinite(seconds),
    )
    try:
        output, _ = process.communicate(timeout=seconds if math.isfinite(seconds) else None)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        return None, ""
    return process.returncode, output or ""


def _passes_again(step: Step) -> bool:
    print(f"once more, alone: what failed in {step.name}", flush=True)
    command = [str(part) for part in step.again]
    return subprocess.run(command, cwd=ROOT, env={**os.environ, **step.environment}, check=False).returncode == 0


def run_all(steps: Sequence[Step], repeat: bool = True, at_once: int = AT_ONCE, until: float = math.inf) -> tuple[list[str], list[str]]:
    """Runs every step, those that may share the machine first; the names of those that failed, and of those there was no time for."""
    shared = [step for step in steps if not step.alone]
    with ThreadPoolExecutor(at_once) as pool:
        outcomes = dict(zip((step.name for step in shared), pool.map(partial(run, repeat=repeat, until=until), shared), strict=True))
    outcomes |= {step.name: run(step, repeat, until) for step in steps if step.alone}
    return [name for name, good in outcomes.items() if not good], [name for name, good in outcomes.items() if good == LEFT]
