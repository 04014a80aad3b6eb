"""Runs named steps two at a time, shows one line for each, and the whole output of those that fail."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
AT_ONCE = 2


@dataclass(frozen=True, slots=True)
class Step:
    """A command with a name; `alone` steps have the machine to themselves and their output is shown as it comes."""

    name: str
    command: Sequence[str | Path]
    alone: bool = False
    environment: Mapping[str, str] = field(default_factory=dict[str, str])


def run(step: Step) -> bool:
    """Runs one step and says how it went."""
    began = time.monotonic()
    result = subprocess.run(
        [str(part) for part in step.command],
        cwd=ROOT,
        env={**os.environ, **step.environment},
        stdout=None if step.alone else subprocess.PIPE,
        stderr=None if step.alone else subprocess.STDOUT,
        text=True,
        check=False,
    )
    good = result.returncode == 0
    if not good and result.stdout:
        sys.stdout.write(f"\n--- {step.name}\n{result.stdout}\n")
    print(f"{'ok    ' if good else 'FAILED'} {step.name:<28} {time.monotonic() - began:6.1f} s", flush=True)
    return good


def run_all(steps: Sequence[Step]) -> list[str]:
    """Runs every step, those that may share the machine first, and returns the names of those that failed."""
    shared = [step for step in steps if not step.alone]
    with ThreadPoolExecutor(AT_ONCE) as pool:
        outcomes = dict(zip((step.name for step in shared), pool.map(run, shared), strict=True))
    outcomes |= {step.name: run(step) for step in steps if step.alone}
    return [name for name, good in outcomes.items() if not good]
