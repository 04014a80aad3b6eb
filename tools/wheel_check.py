"""Tries an installed package from outside the clone: the page is inside, and what is written is read back whole."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tempfile
from importlib import resources
from pathlib import Path

POINTS = 1_000


def write_events(folder: Path) -> None:
    """Writes one run with the installed core."""
    from stepscope._native import EventEncoder

    encoder = EventEncoder()
    encoder.add_file_version(1_700_000_000.0, b"wheel check")
    encoder.add_scalars([(b"loss", step, 1_700_000_000.0 + step, 1.0 / (step + 1)) for step in range(POINTS)])
    folder.mkdir(parents=True)
    (folder / "events.out.tfevents.1700000000.wheel").write_bytes(encoder.take())


def missing_files(page: Path) -> set[str]:
    """Files that the page's own files name and that are not beside them: a tab that nobody opened could lack its code."""
    assets = {path.name: path for path in (page / "assets").iterdir()}
    texts = [path.read_text() for path in (page / "index.html", *assets.values()) if path.suffix in {".html", ".js", ".css"}]
    named = {name for text in texts for name in re.findall(r"(?<=[/\"'`(])[\w.-]+-[\w-]{8}\.(?:js|css|woff2|svg)\b", text)}
    return named - assets.keys()


def main() -> None:
    """Stops with a sentence at the first thing that is wrong."""
    page = resources.files("stepscope") / "server" / "page" / "index.html"
    if not page.is_file():
        raise SystemExit("The installed package has no page: src/stepscope/server/page was not built into it.")
    for dashboard, folder, name in (("profile", "report_file", "report.html"), ("scalars", "curves_file", "curves.html")):
        if not (resources.files("stepscope") / "dashboards" / dashboard / folder / name).is_file():
            raise SystemExit(f"The installed package cannot save pages: dashboards/{dashboard}/{folder} was not built into it.")
    with resources.as_file(page) as index:
        if missing := missing_files(index.parent):
            raise SystemExit(f"The installed page names files that it came without: {', '.join(sorted(missing))}.")
    with tempfile.TemporaryDirectory() as folder:
        write_events(Path(folder) / "run")
        command = [sys.executable, "-m", "stepscope", "inspect", folder, "--json"]
        report = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    if report["points"] != POINTS or report["skipped_records"] != 0:
        raise SystemExit(f"The installed package read {report['points']} of {POINTS} points back.")
    print(f"the installed package works: {POINTS} points, page included")


if __name__ == "__main__":
    main()
