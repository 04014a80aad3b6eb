"""Log files are reached through sources, and formats through their registry: nothing else knows where bytes live."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

PACKAGE = Path(__file__).resolve().parents[2] / "src" / "stepscope"
FORMATS = {path.parent.name for path in (PACKAGE / "formats").glob("*/__init__.py")}

READERS = ("formats", "store", "ingest", "queries", "analyses", "rules", "embeddings", "session", "dashboards", "server", "cli")
"""Rooms that read what others have logged; writers, and what runs inside training, write files of their own."""
OWN_FILES = {
    "store/answer_cache.py": "our cache",
    "store/cache_files.py": "our cache",
    "store/checkpoint.py": "our cache",
    "store/folder_lock.py": "our cache",
    "store/private_files.py": "our cache, and what users typed on the page",
    "store/profile_cache.py": "our cache",
    "store/trash.py": "moves what the user deletes, and never opens a log file",
    "store/user_files.py": "tables that users edit",
    "store/user_state.py": "what users typed on the page",
    "store/program_stamp.py": "the program's own files",
    "store/processes.py": "what the system says of processes",
    "dashboards/perfetto_copy.py": "files of an installed package",
    "session/kept_answers.py": "the program's own files",
    "session/reader.py": "tables that users edit",
    "ingest/profile_reading.py": "the program's own files",
    "ingest/profile_answers.py": "the program's own files",
    "ingest/own_kinds.py": "tables that users edit",
    "formats/span_kinds.py": "tables that users edit",
    "analyses/devices/table.py": "tables that users edit",
    "analyses/what_if/calibration.py": "a table of the package",
    "embeddings/uploads.py": "a file that the user uploads",
    "jobs/made_file.py": "a file that the user asks for",
    "server/page_files.py": "the page",
    "dashboards/one_file.py": "pages that are saved as files",
    "cli/demo.py": "the folder that the demo makes",
    "cli/profile/export.py": "a file that the user asks for",
    "cli/written_file.py": "a file that the user asks for",
}
FUNCTIONS = {"open", "io.open", "os.open", "os.stat", "os.lstat", "os.scandir", "os.listdir", "os.walk", "os.fstat"}
FUNCTIONS |= {"os.path.getsize", "os.path.getmtime"}
METHODS = {"read_bytes", "read_text", "iterdir", "rglob", "glob", "stat", "lstat"}
LOOKS_AT_FILES = re.compile(rf"\b(?:{'|'.join(METHODS | {name.rsplit('.', 1)[-1] for name in FUNCTIONS})})\s*\(")
"""In every module with such a call, and in few others: parsing them all takes long."""


def modules(*rooms: str) -> Iterator[Path]:
    """The Python files of some rooms."""
    for room in rooms:
        yield from sorted((PACKAGE / room).rglob("*.py"))


@cache
def parsed(text: str) -> ast.Module:
    """Most modules are asked twice, and parsing takes longest."""
    return ast.parse(text)


def file_calls(text: str) -> list[str]:
    """Calls in a module that look at files or folders of the local file system."""
    found: list[str] = []
    for node in ast.walk(parsed(text if LOOKS_AT_FILES.search(text) else "")):
        if not isinstance(node, ast.Call):
            continue
        name = ast.unparse(node.func)
        if name in FUNCTIONS or (isinstance(node.func, ast.Attribute) and node.func.attr in METHODS):
            found.append(name)
    return found


def imported(text: str) -> set[str]:
    """The modules that a module imports, also inside functions."""
    found: set[str] = set()
    for node in ast.walk(parsed(text)):
        if isinstance(node, ast.Import):
            found |= {name.name for name in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found |= {node.module} | {f"{node.module}.{name.name}" for name in node.names}
    return found


def formats_named(text: str) -> set[str]:
    """The formats that a module imports by name."""
    if "stepscope.formats" not in text:
        return set()  # spares parsing most modules
    parts = [name.split(".") for name in imported(text)]
    return {part[2] for part in parts if part[:2] == ["stepscope", "formats"] and len(part) > 2} & FORMATS


def test_files_are_read_through_sources_alone() -> None:
    found = {path.relative_to(PACKAGE).as_posix(): file_calls(path.read_text()) for path in modules(*READERS)}
    found |= {path.name: file_calls(path.read_text()) for path in (PACKAGE / "logdir.py", PACKAGE / "loaded_profile.py")}
    assert {name: calls for name, calls in found.items() if calls and name not in OWN_FILES} == {}


def test_formats_are_found_through_their_registry_alone() -> None:
    found: dict[str, set[str]] = {}
    for path in PACKAGE.rglob("*.py"):
        name = path.relative_to(PACKAGE)
        own = {name.parts[1]} if name.parts[0] == "formats" else set[str]()
        if named := formats_named(path.read_text()) - own:
            found[name.as_posix()] = named
    assert found == {}


@pytest.mark.parametrize(
    ("text", "calls"),
    [
        ("with open(path) as file: pass", ["open"]),
        ("def f():\n    return os.path.getsize(p), Path(p).read_bytes()", ["os.path.getsize", "Path(p).read_bytes"]),
        ("read_range(path, 0, 4); stat(path)", []),
    ],
)
def test_calls_would_be_noticed(text: str, calls: list[str]) -> None:
    assert file_calls(text) == calls


@pytest.mark.parametrize(
    "text",
    [
        "from stepscope.formats.xplane.programs import read_programs",
        "from stepscope.formats import xplane",
        "import stepscope.formats.xplane",
    ],
)
def test_imports_would_be_noticed(text: str) -> None:
    assert formats_named(text) == {"xplane"}
