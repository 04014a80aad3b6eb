"""What the README and the docs name exists: paths, modules, make targets, flags, links; and the README starts with two commands."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])
HISTORY = {"CHANGELOG.md"}
"""May name what existed once."""
LIVING = [page for page in PAGES if page.name not in HISTORY]
TOP_FOLDERS = ("src", "native", "web", "tests", "tools", "docs", "benchmarks", "requirements", ".ci", ".github")
PARTS = {path.name for path in (ROOT / "src" / "stepscope").iterdir() if path.is_dir()}
MADE_BY_BUILDING = ("src/stepscope/server/page", "benchmarks/results.json", "docs/benchmarks.md")
CODE = re.compile(r"`([^`\n]+)`")
LINK = re.compile(r"\[[^\]]*\]\(([^)#\s]+)[^)]*\)")
PATH = re.compile(rf"^(?:{'|'.join(map(re.escape, TOP_FOLDERS))}|{'|'.join(PARTS)})/[\w./*-]*$")
MODULE = re.compile(r"^stepscope(?:\.\w+)+$")


def names(pattern: re.Pattern[str]) -> list[tuple[Path, str]]:
    """Every code-styled name of that form and the page it stands on."""
    return [(page, word) for page in LIVING for word in CODE.findall(page.read_text()) if pattern.match(word)]


def exists(path: str) -> bool:
    """Whether a path, seen from the top or from the package, is there; a star stands for any name."""
    if path.startswith(MADE_BY_BUILDING):
        return True
    places = (ROOT, ROOT / "src" / "stepscope")
    return any(next(place.glob(path.rstrip("/")), None) is not None for place in places)


def module_exists(name: str) -> bool:
    """Whether a dotted name is a module, or something inside one."""
    for end in range(len(name.split(".")), 0, -1):
        dotted = ".".join(name.split(".")[:end])
        try:
            found = importlib.util.find_spec(dotted)
        except ModuleNotFoundError:
            continue
        if found is not None:
            rest = name.split(".")[end:]
            module = importlib.import_module(dotted)
            return not rest or (len(rest) == 1 and hasattr(module, rest[0]))
    return False


def test_the_readme_starts_with_the_two_commands() -> None:
    blocks = re.findall(r"```\w*\n(.*?)```", (ROOT / "README.md").read_text(), re.DOTALL)
    commands = [line.split("#")[0].strip() for line in blocks[0].strip().splitlines()]
    assert commands == ["make run", "make test"]


def test_named_paths_exist() -> None:
    assert [f"{page.name}: {path}" for page, path in names(PATH) if not exists(path)] == []


def test_named_modules_exist() -> None:
    assert [f"{page.name}: {name}" for page, name in names(MODULE) if not module_exists(name)] == []


def test_named_make_targets_exist() -> None:
    targets = set(re.findall(r"^(\w+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    mentioned = {word for page in LIVING for word in re.findall(r"`make ([a-z]+)\b", page.read_text())}
    assert mentioned - targets == set()
    assert {"run", "test", "check", "soak", "bench"} <= targets


def test_named_verbs_exist() -> None:
    from stepscope.cli.all_commands import ALL_COMMANDS

    mentioned = {word for page in LIVING for word in re.findall(r"`stepscope ([a-z]+)\b", page.read_text())}
    assert mentioned - ALL_COMMANDS.keys() == set()


@pytest.mark.parametrize("document", LIVING, ids=lambda document: document.name)
def test_links_lead_somewhere(document: Path) -> None:
    local = [link for link in LINK.findall(document.read_text()) if not re.match(r"^[a-z]+:", link)]
    assert [link for link in local if not (document.parent / link).exists()] == []


def test_architecture_names_the_whole_way_of_a_scalar() -> None:
    text = (ROOT / "ARCHITECTURE.md").read_text().replace(".", "/")
    for part in ("writer", "formats/tfevents", "sources", "ingest", "store", "queries", "dashboards/scalars", "server"):
        assert part in text, f"ARCHITECTURE.md does not say where {part} stands on a scalar's way"
