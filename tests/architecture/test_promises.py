"""Promises of ARCHITECTURE.md on analyses and rules: names are matched in formats alone, rules read no columns, no files."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

PACKAGE = Path(__file__).resolve().parents[2] / "src" / "stepscope"
PATTERNS_OF_OTHER_TEXT = {
    "communication/links.py": "names of devices",
    "communication/sizes.py": "shapes in compiled programs",
    "compare/rows.py": "leaves addresses and lines out of names, so that two recordings have the same",
    "devices/name_pattern.py": "names of devices, as tables of devices write them",
    "host/stack.py": "shortens paths of files",
    "input/batch_hyperparameters.py": "names of hyperparameters",
    "input/batch_parameters.py": "shapes in compiled programs",
    "memory/stacks.py": "frames of an allocator's snapshot",
    "programs/duplicate_instructions.py": "attributes of instructions",
    "programs/text.py": "shapes in compiled programs",
    "ranges/text.py": "what users write",
    "statistics/from_graph.py": "shapes of variables",
    "statistics/options.py": "what users write",
    "texts.py": "names of workers",
    "what_if/levers.py": "what users write",
    "work/aligned_operations.py": "leaves prefixes and numbers out of names, so that two recordings have the same",
    "work/product_units.py": "names of devices",
}
"""Modules of analyses with regular expressions, none of which is held against the name of a span to tell what it is."""
OWN_DATA = {"devices/table.py", "what_if/calibration.py"}
"""Modules of analyses that read a table which comes with the package; what users edit is read in store/user_files.py alone."""
READS_FILES = {"open", "read_text", "read_bytes", "stat", "listdir", "scandir", "walk", "getenv", "environ"}
VALUES_OF_QUERIES = {"stepscope.queries.epoch_series", "stepscope.queries.student"}
"""What analyses may import of queries: types of values that they are given, and arithmetic. Anything else could fetch files itself."""
ROOMS_WITH_FILES = ("stepscope.queries", "stepscope.store", "stepscope.sources", "stepscope.formats", "stepscope.ingest")
TABLES = {"spans", "names", "tracks", "markers", "kernels", "copies", "collectives", "allocations", "flows", "counters", "aggregates"}
MATCHES = {"startswith", "endswith", "search", "match", "fullmatch", "find", "index", "count"}


@cache
def modules(part: str) -> dict[str, ast.Module]:
    """Every module of a part by its path."""
    found = {str(path.relative_to(PACKAGE / part)): ast.parse(path.read_text()) for path in (PACKAGE / part).rglob("*.py")}
    assert len(found) > 30, "this test looks in the wrong place"
    return found


def imports_re(tree: ast.Module) -> bool:
    """Whether a module could match patterns."""
    plain = {name.name for node in ast.walk(tree) if isinstance(node, ast.Import) for name in node.names}
    return bool(plain & {"re", "fnmatch"}) or any(
        isinstance(node, ast.ImportFrom) and node.module in {"re", "fnmatch"} for node in ast.walk(tree)
    )


def columns_read(tree: ast.Module) -> Iterator[str]:
    """Tables of a profile that a module reaches into."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and node.attr in TABLES:
            owner = ast.unparse(node.value)
            if node.attr in {"spans", "names"} or owner.split(".")[-1] == "profile":
                yield f"{owner}.{node.attr}"


def is_name_of_span(node: ast.AST, loops: set[str]) -> bool:
    """Whether an expression is `profile.names[…]`, or a variable of a loop over `profile.names`."""
    if isinstance(node, ast.Subscript):
        return isinstance(node.value, ast.Attribute) and node.value.attr == "names"
    return isinstance(node, ast.Name) and node.id in loops


def name_matches(tree: ast.Module) -> Iterator[str]:
    """Places that compare the text of a span's name with text: methods of strings and patterns, and a text that is asked for in it."""
    for scope in ast.walk(tree):
        if not isinstance(scope, ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp | ast.FunctionDef):
            continue
        loops = {
            name.id
            for each in getattr(scope, "generators", [])
            if ast.unparse(each.iter).endswith((".names", ".names)"))
            for name in ast.walk(each.target)
            if isinstance(name, ast.Name)
        }
        for node in ast.walk(scope):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in MATCHES:
                if any(is_name_of_span(each, loops) for each in (node.func.value, *node.args)):
                    yield ast.unparse(node)
            elif isinstance(node, ast.Compare):
                constant = isinstance(node.left, ast.Constant) and isinstance(node.left.value, str)
                if constant and any(is_name_of_span(each, loops) for each in node.comparators):
                    yield ast.unparse(node)


def files_read(tree: ast.Module) -> set[str]:
    """Ways to reach files or the environment that a module uses."""
    called = {node.func.id for node in ast.walk(tree) if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)}
    reached = {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute) and node.attr in READS_FILES}
    return (called | reached) & READS_FILES


def fetching_imports(tree: ast.Module) -> set[str]:
    """Modules that a module imports, at its top or inside, and that could read files for it."""
    found = {name.name for node in ast.walk(tree) if isinstance(node, ast.Import) for name in node.names}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module in ROOMS_WITH_FILES:
            found |= {f"{node.module}.{name.name}" for name in node.names}
        elif isinstance(node, ast.ImportFrom):
            found.add(node.module or "")
    return {name for name in found if name.startswith(ROOMS_WITH_FILES)} - VALUES_OF_QUERIES


@pytest.mark.parametrize("part", ["analyses", "rules"])
def test_analyses_and_rules_are_given_their_values(part: str) -> None:
    assert {name: found for name, tree in modules(part).items() if (found := fetching_imports(tree))} == {}


@pytest.mark.parametrize("part", ["analyses", "rules"])
def test_analyses_and_rules_open_no_files(part: str) -> None:
    found = {name: ways for name, tree in modules(part).items() if (ways := files_read(tree))}
    assert found == ({name: {"read_text"} for name in OWN_DATA} if part == "analyses" else {})


def test_rules_read_no_columns() -> None:
    assert {name: found for name, tree in modules("rules").items() if (found := list(columns_read(tree)))} == {}


def test_rules_match_no_text() -> None:
    assert [name for name, tree in modules("rules").items() if imports_re(tree)] == []


def test_analyses_match_patterns_of_other_text_alone() -> None:
    assert {name for name, tree in modules("analyses").items() if imports_re(tree)} == set(PATTERNS_OF_OTHER_TEXT)


def test_analyses_ask_for_roles_of_names() -> None:
    assert {name: found for name, tree in modules("analyses").items() if (found := list(name_matches(tree)))} == {}


@pytest.mark.parametrize(
    "code",
    [
        "[name.startswith('aten') for name in profile.names]",
        "{place for place, name in enumerate(profile.names) if PATTERN.search(name)}",
        "def f(profile, row):\n    return 'Iter' in profile.names[row]",
        "def f(profile, row):\n    return PATTERN.match(profile.names[row])",
    ],
)
def test_matching_names_would_be_noticed(code: str) -> None:
    assert list(name_matches(ast.parse(code)))


def test_reading_columns_would_be_noticed() -> None:
    assert list(columns_read(ast.parse("facts.profile.copies.row"))) == ["facts.profile.copies"]
    assert list(columns_read(ast.parse("other.spans"))) == ["other.spans"]
    assert list(columns_read(ast.parse("found.copies"))) == []


@pytest.mark.parametrize(
    "code",
    [
        "from stepscope.queries.device_file import device_file_text",
        "from stepscope.queries import device_file",
        "import stepscope.store.user_files",
        "def f():\n    from stepscope.store.user_files import user_text",
    ],
)
def test_fetching_files_would_be_noticed(code: str) -> None:
    assert fetching_imports(ast.parse(code))


@pytest.mark.parametrize("code", ["open(path)", "Path(path).read_text()", "os.environ['STEPSCOPE_DEVICES']"])
def test_opening_files_would_be_noticed(code: str) -> None:
    assert files_read(ast.parse(code))
