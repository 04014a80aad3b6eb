"""Builds the web page and the pages that are saved as files into the package, when one is missing or older than its sources."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tools"))

import node  # noqa: E402 (found through the line above, also when CMake or a build backend runs this file)
from locking import exclusive  # noqa: E402

PACKAGE = ROOT / "src" / "stepscope"
BUILT = {
    "production": PACKAGE / "server" / "page" / "index.html",
    "report": PACKAGE / "dashboards" / "profile" / "report_file" / "report.html",
    "curves": PACKAGE / "dashboards" / "scalars" / "curves_file" / "curves.html",
}
"""What each of Vite's modes builds."""
SINGLE_SOURCES = ("package.json", "package-lock.json", "vite.config.ts", "tools/licences.ts", "svelte.config.js", "tsconfig.json")


def sources() -> Iterator[Path]:
    """Every file the page is made from."""
    for name in SINGLE_SOURCES:
        if (ROOT / name).exists():
            yield ROOT / name
    for folder in (ROOT / "web", *(ROOT / "src" / "stepscope" / "dashboards").glob("*/ui")):
        yield from (path for path in folder.rglob("*") if path.is_file())


def is_current() -> bool:
    """Whether all pages are there and none of their sources is newer; unpacked archives may give all files one time."""
    if not all(page.exists() for page in BUILT.values()):
        return False
    built = min(page.stat().st_mtime for page in BUILT.values())
    return all(path.stat().st_mtime <= built for path in sources())


def build() -> None:
    """Builds all when that is needed."""
    with exclusive(ROOT / "build" / "page.lock"):
        if is_current():
            return
        program = node.install_packages()
        vite = ROOT / "node_modules" / "vite" / "bin" / "vite.js"
        for mode, page in BUILT.items():
            result = subprocess.run(
                [program, vite, "build", "--mode", mode, "--logLevel", "warn"],
                cwd=ROOT,
                env=node.with_node(program),
                stdout=sys.stderr,
                check=False,
            )
            if result.returncode or not page.exists():
                raise SystemExit("The page could not be built: see Vite's messages above.")
            print(f"page: {page.parent.relative_to(ROOT)}", file=sys.stderr)
        for page in BUILT.values():
            page.touch()


if __name__ == "__main__":
    build()
