"""The import contract holds, knows every part of the package, and the writer stays light."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import grimp
import pytest

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "src" / "stepscope"
sys.path.insert(0, str(ROOT / "tools"))

from import_contract import breaches, parse_table, part_of, room_cycle  # noqa: E402 (found through the line above)

CONTRACT = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"][0]
TABLE = parse_table(CONTRACT["allowed"])
WEB_PACKAGES = {"starlette", "uvicorn", "anyio", "httptools", "uvloop", "watchfiles", "h11", "msgspec", "click", "psutil"}
HEAVY_PARTS = {"server", "store", "ingest", "queries", "dashboards", "compat", "cli"}


def native_imports() -> list[tuple[str, Path]]:
    """The part and file of every import of the native core, which the import graph cannot see because it is not Python."""
    found: list[tuple[str, Path]] = []
    for path in PACKAGE.rglob("*.py"):
        if re.search(
            r"^ *(from stepscope\._native[\w.]* import|from stepscope import .*\b_native\b|import stepscope\._native)",
            path.read_text(),
            re.MULTILINE,
        ):
            module = ".".join(path.relative_to(ROOT / "src").with_suffix("").parts)
            found.append((part_of(module, "stepscope"), path))
    return found


def test_no_import_breaks_the_contract() -> None:
    graph = grimp.build_graph("stepscope", cache_dir=None)
    broken = breaches(graph, "stepscope", TABLE, CONTRACT["independent"])
    assert [f"{breach.importer} imports {breach.imported}: {breach.why}" for breach in broken] == []


def test_the_native_core_is_imported_only_where_allowed() -> None:
    used = native_imports()
    assert used, "nothing imports the native core: this test looks in the wrong place"
    broken = [str(path) for part, path in used if part != "__init__" and "_native" not in TABLE.get(part, set())]
    assert broken == []


def test_the_contract_knows_every_part() -> None:
    parts = {path.name for path in PACKAGE.iterdir() if (path / "__init__.py").exists()}
    assert parts - TABLE.keys() == set()


def test_the_contract_would_notice() -> None:
    graph = grimp.ImportGraph()
    for module in ("stepscope.store.columns", "stepscope.server.app", "stepscope.dashboards.a.x", "stepscope.dashboards.b.y"):
        graph.add_module(module)
    for parent in ("stepscope.dashboards.a", "stepscope.dashboards.b"):
        graph.add_module(parent)
    graph.add_import(importer="stepscope.store.columns", imported="stepscope.server.app")
    graph.add_import(importer="stepscope.dashboards.a.x", imported="stepscope.dashboards.b.y")
    among, across = (breach.why for breach in breaches(graph, "stepscope", TABLE, CONTRACT["independent"]))
    assert "dashboards" in among
    assert [part in across for part in ("store", "server")] == [True, True]


def test_rooms_inside_a_part_do_not_import_each_other_in_a_circle() -> None:
    graph = grimp.build_graph("stepscope", cache_dir=None)
    assert CONTRACT["acyclic"] == ["analyses"]
    assert room_cycle(graph, "stepscope.analyses") == ()


@pytest.mark.parametrize(
    ("imports", "circle"),
    [
        ((("a.x", "b.y"), ("b.z", "steps")), ()),
        ((("a.x", "b.y"), ("b.z", "a.w")), ("a", "b", "a")),
        ((("a.x", "steps"), ("summary", "a.w")), ("", "a", "")),
        ((("a.x", "b.y"), ("b.y", "c.v"), ("c.u", "a.x")), ("a", "b", "c", "a")),
        ((("steps", "summary"), ("summary", "steps"), ("a.x", "a.w"), ("a.w", "a.x")), ()),
    ],
)
def test_a_circle_of_rooms_is_found(imports: tuple[tuple[str, str], ...], circle: tuple[str, ...]) -> None:
    part = "stepscope.analyses"
    graph = grimp.ImportGraph()
    for module in (part, *(f"{part}.{name}" for name in ("a", "b", "c", "a.x", "a.w", "b.y", "b.z", "c.u", "c.v", "steps", "summary"))):
        graph.add_module(module)
    for importer, imported in imports:
        graph.add_import(importer=f"{part}.{importer}", imported=f"{part}.{imported}")
    assert room_cycle(graph, part) == tuple(f"{part}.{room}".rstrip(".") for room in circle)


@pytest.mark.parametrize("module", ["stepscope", "stepscope.writer"])
def test_training_code_loads_nothing_heavy(module: str) -> None:
    code = f"import sys, {module}; print('\\n'.join(sys.modules))"
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
    result = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
    loaded = set(result.stdout.split())
    assert {name for name in loaded if name.split(".")[0] in WEB_PACKAGES} == set()
    assert {name for name in loaded if name.startswith("stepscope.") and name.split(".")[1] in HEAVY_PARTS} == set()
