"""Builds the web page into src/stepscope/server/page/, when it is missing or older than what it is made from."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tools"))

import node  # noqa: E402 (found through the line above, also when CMake or a build backend runs this file)
from locking import exclusive  # noqa: E402

INDEX = ROOT / "src" / "stepscope" / "server" / "page" / "index.html"
SINGLE_SOURCES = ("package.json", "package-lock.json", "vite.config.ts", "svelte.config.js", "tsconfig.json")


def sources() -> Iterator[Path]:
    """Every file the page is made from."""
    for name in SINGLE_SOURCES:
        if (ROOT / name).exists():
            yield ROOT / name
    for folder in (ROOT / "web", *(ROOT / "src" / "stepscope" / "dashboards").glob("*/ui")):
        yield from (path for path in folder.rglob("*") if path.is_file())


def is_current() -> bool:
    """Whether a page is there and none of its sources is newer; unpacked archives may give all files one time."""
    if not INDEX.exists():
        return False
    built = INDEX.stat().st_mtime
    return all(path.stat().st_mtime <= built for path in sources())


def build() -> None:
    """Builds the page when that is needed."""
    with exclusive(ROOT / "build" / "page.lock"):
        if is_current():
            return
        program = node.install_packages()
        vite = ROOT / "node_modules" / "vite" / "bin" / "vite.js"
        result = subprocess.run(
            [program, vite, "build", "--logLevel", "warn"],
            cwd=ROOT,
            env=node.with_node(program),
            stdout=sys.stderr,
            check=False,
        )
        if result.returncode or not INDEX.exists():
            raise SystemExit("The page could not be built: see Vite's messages above.")
        INDEX.touch()
        print(f"page: {INDEX.parent.relative_to(ROOT)}", file=sys.stderr)


if __name__ == "__main__":
    build()
