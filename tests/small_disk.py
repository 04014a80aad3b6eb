"""A disk so small that it is soon full, for tests of what is left behind then."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest


@contextmanager
def small_disk(place: Path, kilobytes: int) -> Iterator[Path]:
    """Mounted at a place that is made for it; skips the test where that is not allowed."""
    place.mkdir(parents=True)
    mount = ["mount", "-t", "tmpfs", "-o", f"size={kilobytes}k", "tmpfs", str(place)]
    if subprocess.run(mount, capture_output=True, check=False).returncode != 0:
        pytest.skip("needs the right to mount a small tmpfs")
    try:
        yield place
    finally:
        subprocess.run(["umount", "--lazy", str(place)], check=True)
