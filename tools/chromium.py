"""Finds Chromium for the browser tests; installs Debian's when it is missing and this is root on Debian."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys

NAMES = ("chromium", "chromium-browser", "google-chrome-stable", "google-chrome")
INSTALL = "apt-get update && apt-get install -y --no-install-recommends chromium fonts-dejavu-core fonts-noto-core"


def find() -> str | None:
    """CHROMIUM, or the first known name on the path."""
    chosen = os.environ.get("CHROMIUM")
    return chosen or next((path for name in NAMES if (path := shutil.which(name))), None)


def ensure() -> str | None:
    """Chromium's path. Without root nothing is installed: the one command to run is printed instead."""
    if found := find():
        return found
    if not shutil.which("apt-get"):
        print("The browser tests need Chromium: install it, or set CHROMIUM to its program.", file=sys.stderr)
        return None
    if os.geteuid() != 0:
        print(f"The browser tests need Chromium: run  sudo sh -c '{INSTALL}'", file=sys.stderr)
        return None
    print("installing Chromium with apt-get", file=sys.stderr)
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    result = subprocess.run(["sh", "-c", INSTALL], env=environment, capture_output=True, text=True, check=False)
    if result.returncode:
        sys.stderr.write(result.stdout[-4000:] + result.stderr[-4000:])
    return find()


if __name__ == "__main__":
    program = ensure()
    if program is None and os.environ.get("CI") == "true":
        raise SystemExit("Chromium is missing, and CI must not skip the browser tests.")
    print(program or "")
