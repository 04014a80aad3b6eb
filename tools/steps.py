"""Runs named steps two at a time, shows one line for each, and the whole output of those that fail."""

from __future__ import annotations

import os
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


def run(step: Step, repeat: bool = True) -> bool:
    """Runs one step and says how it went; unless it is to repeat, a step that passed on the same files is left out."""
    began = time.monotonic()
    state = None if repeat or not step.reads else unchanged.fingerprint(step.command, step.reads)
    if state is not None and unchanged.passed_before(step.name, state):
        print(f"same   {step.name:<28} passed on these files before", flush=True)
        return True
    result = subprocess.run(
        [str(part) for part in step.command],
        cwd=ROOT,
        env={**os.environ, **step.environment},
        stdout=None if step.shown else subprocess.PIPE,
        stderr=None if step.shown else subprocess.STDOUT,
        text=True,
        check=False,
    )
    good = result.returncode == 0
    if not good and result.stdout:
        sys.stdout.write(f"\n--- {step.name}\n{result.stdout}\n")
    if good and state is not None:
        unchanged.remember(step.name, state)
    unstable = not good and bool(step.again) and _passes_again(step)
    outcome = "ok    " if good else "again " if unstable else "FAILED"
    print(f"{outcome} {step.name:<28} {time.monotonic() - began:6.1f} s", flush=True)
    if unstable:
        print(f"UNSTABLE: the tests that failed in {step.name} passed when run once more, alone; see their failures above.", flush=True)
    return good or unstable


def _passes_again(step: Step) -> bool:
    print(f"once more, alone: what failed in {step.name}", flush=True)
    command = [str(part) for part in step.again]
    return subprocess.run(command, cwd=ROOT, env={**os.environ, **step.environment}, check=False).returncode == 0


def run_all(steps: Sequence[Step], repeat: bool = True) -> list[str]:
    """Runs every step, those that may share the machine first, and returns the names of those that failed."""
    shared = [step for step in steps if not step.alone]
    with ThreadPoolExecutor(AT_ONCE) as pool:
        outcomes = dict(zip((step.name for step in shared), pool.map(partial(run, repeat=repeat), shared), strict=True))
    outcomes |= {step.name: run(step, repeat) for step in steps if step.alone}
    return [name for name, good in outcomes.items() if not good]
