"""Every source file says its job first, stays small, and has a name that means something."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SUFFIXES = {".py", ".pyi", ".cpp", ".hpp", ".ts", ".svelte", ".css", ".js"}
MOST_LINES = 800
MEDIAN_LINES = 150
EMPTY_NAMES = {"utils", "util", "helpers", "helper", "common", "misc", "manager", "base"}
OPENINGS = {".ts": ("//", "/*"), ".js": ("//", "/*"), ".cpp": ("//", "/*"), ".hpp": ("//", "/*"), ".css": ("/*",), ".svelte": ("<!--",)}


def source_files() -> dict[Path, str]:
    """Every source file of the repository and its text, also those not committed yet."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout.splitlines()
    paths = [ROOT / name for name in listed if Path(name).suffix in SUFFIXES]
    return {path: path.read_text() for path in paths if path.exists()}


def opens_with_a_sentence(path: Path, text: str) -> bool:
    """Whether the first thing in the file says what it is for."""
    if path.suffix in {".py", ".pyi"}:
        return re.match(r'(#.*\n|\s)*r?"""\s*\S', text) is not None
    return text.lstrip().startswith(OPENINGS[path.suffix])


FILES = source_files() if (ROOT / ".git").exists() else {}
pytestmark = pytest.mark.skipif(not FILES, reason="not a git clone")


def test_there_are_sources() -> None:
    assert len(FILES) > 50


def test_every_file_says_its_job_first() -> None:
    assert [str(path.relative_to(ROOT)) for path, text in FILES.items() if not opens_with_a_sentence(path, text)] == []


def test_no_file_is_too_long() -> None:
    lengths = {str(path.relative_to(ROOT)): len(text.splitlines()) for path, text in FILES.items()}
    assert {name: lines for name, lines in lengths.items() if lines > MOST_LINES} == {}
    assert sorted(lengths.values())[len(lengths) // 2] <= MEDIAN_LINES


def test_no_name_is_empty_of_meaning() -> None:
    named = [path.relative_to(ROOT) for path in FILES]
    assert [str(path) for path in named if EMPTY_NAMES & {part.split(".")[0].lower() for part in path.parts}] == []
