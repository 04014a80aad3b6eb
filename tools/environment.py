"""Python environments for work on a clone, kept in a cache folder and shared by all clones with the same requirements.

`python3 tools/environment.py dev` makes the environment of requirements/dev.txt when it is missing and prints its Python;
several can be named.
An environment counts only once its marker is written, so one whose making was interrupted is made again.
"""

from __future__ import annotations

import hashlib
import os
import platform
import shutil
import subprocess
import sys
from pathlib import Path

from locking import exclusive

ROOT = Path(__file__).resolve().parent.parent
MARKER = "complete"


def cache_folder() -> Path:
    """STEPSCOPE_DEV_CACHE, or stepscope-dev in the user's cache folder."""
    if chosen := os.environ.get("STEPSCOPE_DEV_CACHE"):
        return Path(chosen)
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "stepscope-dev"


def key_of(requirements: Path) -> str:
    """Changes with the requirements, the Python they were installed for, and the machine's kind."""
    seed = "\n".join([requirements.read_text(), platform.python_version(), sys.base_prefix, platform.machine(), sys.platform])
    return hashlib.sha256(seed.encode()).hexdigest()[:12]


def python_of(environment: Path) -> Path:
    """The environment's Python."""
    return environment / ("Scripts/python.exe" if os.name == "nt" else "bin/python")


def make(environment: Path, requirements: Path) -> None:
    """Makes the environment from nothing. A venv cannot be renamed, so it is made in place and marked when complete."""
    shutil.rmtree(environment, ignore_errors=True)
    print(f"setting up {environment.name} from {requirements.relative_to(ROOT)}", file=sys.stderr)
    subprocess.run([sys.executable, "-m", "venv", environment], check=True)
    install = [python_of(environment), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    result = subprocess.run([*install, "-r", requirements], check=False, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if result.returncode:
        sys.stderr.write(result.stdout)
        raise SystemExit(f"The packages of {requirements.relative_to(ROOT)} could not be installed: see pip's messages above.")
    (environment / MARKER).touch()


def requirements_of(name: str) -> Path:
    """The file that says what is in the named environment."""
    requirements = ROOT / "requirements" / f"{name}.txt"
    if not requirements.exists():
        raise SystemExit(f"There is no {requirements.relative_to(ROOT)}: name one of the files in requirements/.")
    return requirements


def location(name: str) -> Path:
    """Where the named environment is, or will be."""
    return cache_folder() / f"{name}-{key_of(requirements_of(name))}"


def ensure(name: str) -> Path:
    """The Python of the named environment, made first when it is missing."""
    requirements, environment = requirements_of(name), location(name)
    if not (environment / MARKER).exists():
        with exclusive(environment.with_suffix(".lock")):
            if not (environment / MARKER).exists():
                make(environment, requirements)
    return python_of(environment)


def check_python() -> None:
    """Stops at a Python that is too old, in words."""
    if sys.version_info < (3, 11):  # noqa: UP036 (this file is what an older Python meets first)
        raise SystemExit(f"Stepscope needs Python 3.11 or newer; this is {platform.python_version()}. Try `make PYTHON=python3.12 …`.")


if __name__ == "__main__":
    check_python()
    for name in sys.argv[1:] or ["dev"]:
        print(ensure(name))
