"""Remembers on which sources a check passed, so that `make check` need not repeat it on the same ones."""

from __future__ import annotations

import hashlib
import subprocess
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PASSED = ROOT / "build" / "passed"
GENERATED = [ROOT / "build" / "types" / "api.d.ts"]
"""What checks read although git ignores it."""


def sources(endings: Sequence[str]) -> list[Path] | None:
    """Every file of this clone with one of these endings, also those not added yet; None where git cannot list them."""
    command = ["git", "-C", str(ROOT), "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    try:
        listed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    except (OSError, subprocess.CalledProcessError):
        return None
    named = {ROOT / name for name in listed.split("\0") if name.endswith(tuple(endings))}
    return sorted(path for path in [*named, *GENERATED] if path.is_file())


def fingerprint(command: Sequence[str | Path], endings: Sequence[str]) -> str | None:
    """One word for a command and all that it reads; None where that is not known."""
    paths = sources(endings)
    if paths is None:
        return None
    found = hashlib.sha256(repr([str(part) for part in command]).encode())
    for path in paths:
        content = path.read_bytes()
        found.update(f"\0{path.relative_to(ROOT)}\0{len(content)}\0".encode())
        found.update(content)
    return found.hexdigest()


def stamp(name: str) -> Path:
    """Where the fingerprint of a check's last success is."""
    return PASSED / name.replace(" ", "-")


def passed_before(name: str, state: str) -> bool:
    """Whether a check passed on exactly this."""
    path = stamp(name)
    return path.is_file() and path.read_text(encoding="utf-8") == state


def remember(name: str, state: str) -> None:
    """Notes that a check passed on this."""
    PASSED.mkdir(parents=True, exist_ok=True)
    stamp(name).write_text(state, encoding="utf-8")


def passed_at(name: str) -> float:
    """When a check passed last; 0 for never."""
    path = stamp(name)
    return path.stat().st_mtime if path.is_file() else 0.0


def noted_seconds(name: str) -> float:
    """How long a check took the last time; 0 where that is not known."""
    path = stamp(name).with_suffix(".seconds")
    return float(path.read_text(encoding="utf-8")) if path.is_file() else 0.0


def note_seconds(name: str, seconds: float) -> None:
    """Notes how long a check took."""
    PASSED.mkdir(parents=True, exist_ok=True)
    stamp(name).with_suffix(".seconds").write_text(f"{seconds:.1f}", encoding="utf-8")


def was_left(name: str) -> bool:
    """Whether the last time there was no time for a check."""
    return stamp(name).with_suffix(".left").exists()


def note_left(name: str, left: bool) -> None:
    """Notes whether there was time for a check."""
    mark = stamp(name).with_suffix(".left")
    if left:
        PASSED.mkdir(parents=True, exist_ok=True)
        mark.touch()
    else:
        mark.unlink(missing_ok=True)
