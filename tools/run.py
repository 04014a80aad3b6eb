"""Installs this clone, page included, into build/installed and runs `stepscope` from there; `make run` calls it.

With --check the installed package is tried instead, as a wheel is before it is published.
"""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from pathlib import Path

from environment import check_python, python_of
from locking import exclusive

ROOT = Path(__file__).resolve().parent.parent
INSTALLED = ROOT / "build" / "installed"
INPUTS = ("src", "native", "web", "tools", "CMakeLists.txt", "pyproject.toml", "package-lock.json", "vite.config.ts")
LEFT_OUT = {"__pycache__", "page"}


def state_of_sources() -> str:
    """Changes with any file that goes into the package."""
    digest = hashlib.sha256(sys.version.encode())
    for name in INPUTS:
        top = ROOT / name
        for path in sorted([top] if top.is_file() else top.rglob("*")):
            if path.is_file() and not LEFT_OUT & set(path.parts) and path.suffix not in {".so", ".pyd"}:
                digest.update(str(path.relative_to(ROOT)).encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()


def install() -> Path:
    """The Python of an environment that has this clone installed; installs only when something changed."""
    python, stamp = python_of(INSTALLED), INSTALLED / "sources"
    with exclusive(ROOT / "build" / "installed.lock"):
        wanted = state_of_sources()
        if not stamp.exists() or stamp.read_text() != wanted:
            print("installing Stepscope from this clone; the first time takes a minute or two", file=sys.stderr)
            if not python.exists():
                subprocess.run([sys.executable, "-m", "venv", INSTALLED], check=True)
            command = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", str(ROOT)]
            result = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
            if result.returncode:
                sys.stderr.write(result.stdout)
                raise SystemExit("Stepscope could not be installed: see pip's messages above.")
            stamp.write_text(wanted)
    return python


if __name__ == "__main__":
    check_python()
    program = install()
    checking = sys.argv[1:] == ["--check"]
    work = [str(ROOT / "tools" / "wheel_check.py")] if checking else ["-m", "stepscope", *sys.argv[1:]]
    # Neither the clone's own sources nor a variable that points at them may stand in for the installed package.
    os.environ.pop("PYTHONPATH", None)
    os.execv(program, [str(program), "-P", *work])
