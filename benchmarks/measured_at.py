"""Says when, where and on which code a figure was measured, and whether that code has changed since."""

from __future__ import annotations

import datetime as dt
import hashlib
import json
import os
import platform
import subprocess
from collections.abc import Iterable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
PEERS = ("tensorboard", "tensorboard-data-server", "xprof", "torch", "tensorflow-cpu", "tensorflow", "keras", "jax", "tensorboardX")
_BUILT = (
    "src/stepscope/server/page/",
    "src/stepscope/dashboards/profile/report_file/",
    "src/stepscope/dashboards/scalars/curves_file/",
    "src/stepscope/analyses/what_if/calibration.json",
    "src/stepscope/rules/proven_on.py",
)
"""Made from other files, or written by a measurement: else its own result would make its figures stale."""
_SUFFIXES = {".py", ".cpp", ".hpp", ".ts", ".svelte", ".css", ".json"}


def commit() -> str:
    """The commit that is checked out, with a mark when files differ from it."""
    head = _git("rev-parse", "--short=12", "HEAD")
    changed = _git("status", "--porcelain", "--untracked-files=no", "--", "src", "native", "web", "benchmarks")
    return f"{head or 'unknown'}{'+changes' if changed else ''}"


def _git(*words: str) -> str:
    return subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True, check=False).stdout.strip()


def processor() -> str:
    """The processor's name, where the system tells it."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    return next((line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")), platform.machine())


def machine() -> dict[str, Any]:
    """What figures depend on, beside the code."""
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return {
        "cores": os.cpu_count(),
        "processor": processor(),
        "memory_gb": memory / 1e9,
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
    }


def libraries(peers: str) -> dict[str, str]:
    """Versions of what is measured against, of those that are installed."""
    code = (
        "import json, sys\nfrom importlib.metadata import PackageNotFoundError, version\nfound = {}\n"
        "for name in sys.argv[1:]:\n    try: found[name] = version(name)\n    except PackageNotFoundError: pass\n"
        "print(json.dumps(found))"
    )
    return json.loads(subprocess.run([peers, "-c", code, *PEERS], capture_output=True, text=True, check=True).stdout)


def sources_of(folders: Iterable[str]) -> str:
    """A hash of all code below some folders: a figure is stale when its hash is another than today's."""
    found = hashlib.sha256()
    for folder in sorted(folders):
        place = ROOT / folder
        files = [place] if place.is_file() else sorted(path for path in place.rglob("*") if path.suffix in _SUFFIXES)
        for path in files:
            name = path.relative_to(ROOT).as_posix()
            if not name.startswith(_BUILT):
                found.update(name.encode() + b"\0" + path.read_bytes() + b"\0")
    return found.hexdigest()[:16]


def stamp(folders: Iterable[str], peers: str) -> dict[str, Any]:
    """What goes beside a figure."""
    return {
        "date": dt.datetime.now(dt.UTC).date().isoformat(),
        "commit": commit(),
        "sources": sources_of(folders),
        "machine": machine(),
        "libraries": libraries(peers),
    }
