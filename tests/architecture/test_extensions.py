"""A rule, a format, a dashboard, a verb and a source are each one file or folder and one line in a list, and then they work.

The five stand in `extensions/`, laid out as in the package. They are put into a copy of it, so that nothing else can know of them.
"""

from __future__ import annotations

import difflib
import json
import os
import shutil
import subprocess
import sys
import zipfile
from dataclasses import dataclass
from pathlib import Path

import pytest

import stepscope
from log_folder import LogFolder

pytestmark = pytest.mark.slow  # each starts processes on a copy of the package

PACKAGE = Path(stepscope.__file__).parent
EXTENSIONS = Path(__file__).parent / "extensions"

LINES = {
    "rules/all_rules.py": ("_NAMES = (\n", '    "one_kernel",\n'),
    "formats/all_formats.py": ("_NAMES = (\n", '    "lines",\n'),
    "dashboards/all_dashboards.py": ("_NAMES = (\n", '    "greeting",\n'),
    "cli/all_commands.py": ("ALL_COMMANDS: dict[str, str] = {\n", '    "count": "Count the runs of a log folder.",\n'),
    "sources/all_sources.py": ("SOURCES: dict[str, str] = {", '"zip": "zipped"'),
}
"""List to the place in it, and what is added there."""


@dataclass(frozen=True)
class Extended:
    """A copy of the package with the five extensions."""

    sources: Path
    home: Path

    def run(self, *command: str) -> str:
        """What a program prints that imports the copy."""
        environment = {**os.environ, "PYTHONPATH": str(self.sources), "STEPSCOPE_DATA_DIR": str(self.home)}
        done = subprocess.run([sys.executable, *command], env=environment, capture_output=True, text=True, timeout=120)
        assert done.returncode == 0, done.stderr
        return done.stdout

    def stepscope(self, *arguments: str) -> str:
        """What a verb prints."""
        return self.run("-m", "stepscope", *arguments)


@pytest.fixture(scope="module")
def extended(tmp_path_factory: pytest.TempPathFactory) -> Extended:
    """The copy, with the extensions' files in their rooms and a line for each."""
    folder = tmp_path_factory.mktemp("extended")
    copy = folder / "stepscope"
    shutil.copytree(PACKAGE, copy, ignore=shutil.ignore_patterns("__pycache__", "ui", "page"))
    shutil.copytree(EXTENSIONS, copy, dirs_exist_ok=True, ignore=shutil.ignore_patterns("__pycache__"))
    for name, (place, line) in LINES.items():
        text = (copy / name).read_text()
        assert text.count(place) == 1, name
        (copy / name).write_text(text.replace(place, place + line))
    return Extended(folder, folder / "home")


@pytest.fixture(scope="module")
def profile(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three steps of 10 ms, of which one operation takes nine and a half."""
    lines = ["#lines"]
    for step in range(3):
        start = 100 * step
        lines += [f"step {step} {start} {start + 100}", f"MatMul {start} {start + 95}"]
    path = tmp_path_factory.mktemp("profile") / "trace.lines"
    path.write_text("\n".join(lines) + "\n")
    return path


def test_each_is_one_line_in_one_list(extended: Extended) -> None:
    for name in LINES:
        before, after = (PACKAGE / name).read_text().splitlines(), (extended.sources / "stepscope" / name).read_text().splitlines()
        changed = [line for line in difflib.ndiff(before, after) if line.startswith(("+ ", "- "))]
        assert len([line for line in changed if line.startswith("+ ")]) == 1, changed


def test_a_format_is_read_and_a_rule_is_judged(extended: Extended, profile: Path) -> None:
    report = json.loads(extended.stepscope("profile", "report", str(profile), "--json", "--no-cache"))
    assert report["step_ms"]["median"] == 100
    assert report["breakdown"]["compute"] == pytest.approx(0.95)
    assert [row["verdict"] for row in report["findings"] if row["rule"] == "one_kernel"] == ["fires"]


def test_a_source_is_read_and_a_verb_runs(extended: Extended, tmp_path: Path) -> None:
    logs = LogFolder(tmp_path / "logs")
    for run in ("a", "b"):
        logs.write(run, {"loss": [3.0, 2.0, 1.0]})
    archive = tmp_path / "logs.zip"
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as out:
        for file in sorted((tmp_path / "logs").rglob("events*")):
            out.write(file, file.relative_to(tmp_path / "logs"))
    assert extended.stepscope("count", f"zip://{archive}") == "2\n"
    read = json.loads(extended.stepscope("inspect", f"zip://{archive}", "--json", "--no-cache"))
    assert (read["runs"], read["series"], read["points"]) == (2, 2, 6)
    assert "count" in [line.split()[0] for line in extended.stepscope("--help").splitlines() if line.strip()]


def test_a_dashboard_has_its_tab_and_its_route(extended: Extended) -> None:
    script = (
        "import json\n"
        "from stepscope.server.app import all_routes\n"
        "from stepscope.server.openapi import openapi\n"
        "from stepscope.dashboards.all_dashboards import ALL_DASHBOARDS\n"
        "print(json.dumps([ALL_DASHBOARDS[0].label, sorted(openapi(all_routes(), '')['paths'])]))\n"
    )
    label, paths = json.loads(extended.run("-c", script))
    assert label == "Greeting"
    assert [path for path in paths if path.endswith("/greeting")]
