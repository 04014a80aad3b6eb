"""Runs the tests as on other machines: another time zone, locale, umask, home and terminal, without Ctrl-C, and under load.

`elsewhere.py` runs them twice: once under everything that can be changed at once, once beside busy loops. What fails under several
changes runs again under each of them alone, so that the one to blame is named. `elsewhere.py umask load` runs those alone.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from checks import SOURCES, WITHOUT_HELP, module
from steps import ROOT

BUSY_LOOPS = 10
LONGEST_SECONDS = 3600


@dataclass(frozen=True)
class Condition:
    """What is different from the machine the tests were written on."""

    variables: dict[str, str] = field(default_factory=dict[str, str])
    umask: int | None = None
    ignores_interrupt: bool = False
    busy_loops: int = 0


CONDITIONS = {
    "east": Condition({"TZ": "IST-5:30"}),
    "west": Condition({"TZ": "NST3:30NDT,M3.2.0,M11.1.0"}),
    "locale": Condition({"LC_ALL": "C", "LANGUAGE": "de"}),
    "umask": Condition(umask=0o077),
    "home": Condition({"HOME": "/dev/null/home", "XDG_CACHE_HOME": "/dev/null/cache", "XDG_DATA_HOME": "/dev/null/data"}),
    "terminal": Condition({"TERM": "dumb", "COLUMNS": "40", "LINES": "5", "FORCE_COLOR": "1"}),
    "interrupt": Condition(ignores_interrupt=True),
    "load": Condition(busy_loops=BUSY_LOOPS),
}
AT_ONCE = [name for name in CONDITIONS if name not in ("east", "load")]


def together(names: list[str]) -> Condition:
    """Several conditions as one."""
    chosen = [CONDITIONS[name] for name in names]
    variables = {name: value for each in chosen for name, value in each.variables.items()}
    umasks = [each.umask for each in chosen if each.umask is not None]
    ignores = any(each.ignores_interrupt for each in chosen)
    return Condition(variables, umasks[0] if umasks else None, ignores, max(each.busy_loops for each in chosen))


@contextlib.contextmanager
def busy(loops: int) -> Iterator[None]:
    """Keeps the processors busy; the loops end by themselves when nobody is left to end them."""
    code = f"import time\nend = time.monotonic() + {LONGEST_SECONDS}\nwhile time.monotonic() < end: pass"
    started = [subprocess.Popen([sys.executable, "-c", code]) for _ in range(loops)]
    try:
        yield
    finally:
        for process in started:
            process.kill()
            process.wait()


def run(condition: Condition, cache: Path, *arguments: str) -> int:
    """The exit code of the tests under a condition; which of them failed is kept in the cache."""

    def prepare() -> None:
        if condition.umask is not None:
            os.umask(condition.umask)
        if condition.ignores_interrupt:
            signal.signal(signal.SIGINT, signal.SIG_IGN)

    command = module("pytest", "-q", "-n", "2", "--dist", "loadgroup", "--hypothesis-profile", "quick", "-m", WITHOUT_HELP)
    command += ["-o", f"cache_dir={cache}", *arguments]
    environment = {**os.environ, **SOURCES, **condition.variables}
    with busy(condition.busy_loops):
        return subprocess.run(command, cwd=ROOT, env=environment, preexec_fn=prepare, check=False).returncode


def blame(names: list[str], cache: Path) -> list[str]:
    """Those conditions of several under which what failed fails also alone."""
    found: list[str] = []
    for name in names:
        own = cache.with_name(name)
        shutil.copytree(cache, own)
        if run(CONDITIONS[name], own, "--last-failed"):
            found.append(name)
    return found


def main() -> None:
    """Runs what was asked for and says under what tests fail."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("conditions", nargs="*", choices=[*CONDITIONS, []], help="only these, each alone")
    parser.add_argument("--rounds", type=int, default=1, help="how often under load")
    given = parser.parse_args()
    groups = [[name] for name in given.conditions] or [AT_ONCE, ["east"], *[["load"]] * given.rounds]
    failed: list[str] = []
    for group in groups:
        began = time.monotonic()
        with tempfile.TemporaryDirectory() as folder:
            cache = Path(folder) / "cache"
            code = run(together(group), cache)
            if code:
                failed += (blame(group, cache) or [" and ".join(group)]) if len(group) > 1 else group
        print(f"elsewhere: {', '.join(group)}: {'failed' if code else 'passed'} in {time.monotonic() - began:.0f} s", flush=True)
    if failed:
        raise SystemExit(f"elsewhere: tests fail under {', '.join(failed)}")


if __name__ == "__main__":
    main()
