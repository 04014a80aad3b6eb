"""`make check` runs the tests that reach what changed, nearest first; what it has no time for, the next one runs."""

from __future__ import annotations

import sys
import time
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))

import due_tests  # noqa: E402
import unchanged  # noqa: E402

CLONE = {
    "pyproject.toml": "",
    "Makefile": "",
    "docs/guards.md": "",
    "docs/index.md": "",
    "web/src/page.ts": "",
    "native/kineto_reader.cpp": "",
    "src/stepscope/__init__.py": '_HOME_OF = {"Row": ("stepscope.model", "Row"), "run": ("stepscope.cli", "run")}',
    "src/stepscope/__main__.py": "from stepscope.cli import main",
    "src/stepscope/_native.pyi": "",
    "src/stepscope/model.py": "",
    "src/stepscope/table/__init__.py": "",
    "src/stepscope/table/read.py": "from stepscope.model import Row\nimport stepscope._native",
    "src/stepscope/table/rows.toml": "",
    "src/stepscope/rules/all_rules.py": "ALL = [member(f'stepscope.rules.{name}') for name in NAMES]",
    "src/stepscope/rules/slow.py": "",
    "src/stepscope/cli.py": "def main():\n    from stepscope.rules.all_rules import ALL",
    "src/stepscope/typed.py": "if TYPE_CHECKING:\n    from stepscope.model import Row",
    "tests/conftest.py": "def verbs():\n    from stepscope.cli import main\ndef other(): pass",
    "tests/drawn.py": "from stepscope.model import Row",
    "tests/architecture/test_files.py": "",
    "tests/model/test_model.py": "from drawn import row",
    "tests/table/test_read.py": "import stepscope.table.read",
    "tests/formats/kineto/test_marks.py": "from stepscope.table.read import read",
    "tests/rules/test_slow.py": "from stepscope.rules.slow import RULE",
    "tests/cli/test_verbs.py": "def test_it(verbs): pass",
    "tests/cli/test_process.py": "[sys.executable, '-m', 'stepscope', 'profile']",
    "tests/cli/test_script.py": "CODE = 'import sys\\nfrom stepscope.model import Row'",
    "tests/writer/test_row.py": "import stepscope\nstepscope.Row()",
    "tests/guide/test_guards.py": "ROOT / 'docs' / 'guards.md'",
    "tests/typed/test_typed.py": "import stepscope.typed",
}
ALL = sorted(path for path in CLONE if "/test_" in path)


FIRST = due_tests.made_due({path: text.encode() for path, text in CLONE.items()}, {})
PASSED = {**FIRST, "hops": {}, "passed": {test: {"tests": [f"{test}::test"], "whole": True} for test in ALL}}


def due_after(*changed: str, all_of_them: bool = False) -> dict[str, int]:
    """Which files of tests are due after a change, and how near it is; those that look at all files always are."""
    after = {path: (f"{text}\n# changed" if path in changed else text).encode() for path, text in CLONE.items()}
    told = due_tests.made_due(after, PASSED)
    assert set(told["passed"]) == set(ALL) - set(told["hops"])
    return {test: hops for test, hops in told["hops"].items() if all_of_them or not test.startswith("tests/architecture/")}


@pytest.mark.parametrize(
    ("changed", "due"),
    [
        ("tests/rules/test_slow.py", {"tests/rules/test_slow.py": 0}),
        ("tests/drawn.py", {"tests/model/test_model.py": 1}),
        (
            "src/stepscope/model.py",
            {
                "tests/model/test_model.py": 0,
                "tests/cli/test_script.py": 1,
                "tests/writer/test_row.py": 1,
                "tests/table/test_read.py": 2,
                "tests/formats/kineto/test_marks.py": 2,
            },
        ),
        ("src/stepscope/table/rows.toml", {"tests/table/test_read.py": 2, "tests/formats/kineto/test_marks.py": 2}),
        ("src/stepscope/rules/slow.py", {"tests/rules/test_slow.py": 0, "tests/cli/test_verbs.py": 3, "tests/cli/test_process.py": 4}),
        ("native/kineto_reader.cpp", {"tests/table/test_read.py": 3, "tests/formats/kineto/test_marks.py": 0}),
        ("docs/guards.md", {"tests/guide/test_guards.py": 0}),
        ("docs/index.md", {"tests/guide/test_guards.py": 1}),
        ("web/src/page.ts", {}),
        ("Makefile", dict.fromkeys([test for test in ALL if "arch" not in test], due_tests.FAR)),
        ("pyproject.toml", dict.fromkeys([test for test in ALL if "arch" not in test], due_tests.FAR)),
    ],
)
def test_what_reaches_a_changed_file_is_due_and_the_nearest_comes_first(changed: str, due: dict[str, int]) -> None:
    assert due_after(changed) == due


def test_the_file_of_a_package_counts_for_what_it_holds_but_what_it_may_load_does_not() -> None:
    assert set(due_after("src/stepscope/table/__init__.py")) == {"tests/table/test_read.py", "tests/formats/kineto/test_marks.py"}
    assert "tests/rules/test_slow.py" not in due_after("src/stepscope/cli.py")


def test_nothing_is_due_when_nothing_changed_and_all_that_look_at_files_when_anything_did() -> None:
    assert due_after(all_of_them=True) == {}
    assert due_after("web/src/page.ts", all_of_them=True) == {"tests/architecture/test_files.py": due_tests.FAR}
    assert FIRST["hops"] == dict.fromkeys(ALL, 0)


def test_what_is_left_stays_due_with_its_place_and_elsewhere_everything_is() -> None:
    changed = {path: text.encode() for path, text in CLONE.items()} | {"src/stepscope/model.py": b"new"}
    left = due_tests.made_due(changed, PASSED)
    again = due_tests.made_due(changed | {"tests/rules/test_slow.py": b"new"}, left)
    assert again["hops"] == {**left["hops"], "tests/rules/test_slow.py": 0}
    assert due_tests.made_due(changed, left, "another Python")["passed"] == {}


@pytest.mark.slow
def test_every_module_of_the_package_reaches_tests_and_leaves_most_alone() -> None:
    contents = due_tests.contents()
    mentioned = due_tests.made_due(contents, {})["mentions"]
    graph = due_tests.Graph(contents, {path: due_tests.Mentions(**said) for path, said in mentioned.items()})
    package = [path for path in mentioned if path.startswith("src/stepscope/") and not path.endswith(("_native.pyi", "__main__.py"))][
        ::10
    ]
    tests = [test for test in graph.tests if not test.startswith(("tests/browser/", *due_tests.READS_ALL))]
    reached = {path: [test for test in graph.reached_from([path]) if test in tests] for path in package}
    assert [path for path, found in reached.items() if not found] == []
    assert sum(len(found) for found in reached.values()) < 0.6 * len(package) * len(tests)


def ran(folder: Path, plan: Path, *options: str) -> tuple[int, set[str]]:
    """Runs a small folder of tests under the plan; each test leaves a mark."""
    marks = folder / "marks"
    for mark in marks.iterdir():
        mark.unlink()
    without = ("-p", "no:cacheprovider", "-p", "no:playwright")  # whose soft assertions cannot be nested
    code = pytest.main(["-q", "-p", "only_due", *without, "--rootdir", str(folder), "--due", str(plan), *options, str(folder)])
    return code, {mark.name for mark in marks.iterdir()}


@pytest.fixture
def clone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A clone with two files of tests, of which one reads a number from a module."""
    (tmp_path / "marks").mkdir()
    (tmp_path / "tests").mkdir()
    (tmp_path / "tests" / "number.py").write_text("NUMBER = 1")
    (tmp_path / "tests" / "test_number.py").write_text(
        "import importlib, pathlib, number\n"
        f"MARKS = pathlib.Path({str(tmp_path / 'marks')!r})\n"
        "def test_number():\n    (MARKS / 'number').touch()\n    assert importlib.reload(number).NUMBER\n"
        "def test_same():\n    (MARKS / 'same').touch()\n"
    )
    (tmp_path / "tests" / "test_other.py").write_text(
        f"import pathlib\ndef test_other():\n    pathlib.Path({str(tmp_path / 'marks' / 'other')!r}).touch()\n"
    )
    monkeypatch.setattr(unchanged, "ROOT", tmp_path)
    monkeypatch.setattr(unchanged, "GENERATED", [])
    monkeypatch.setattr(
        unchanged, "sources", lambda endings: sorted(path for path in (tmp_path / "tests").rglob("*.py") if path.name.endswith(endings))
    )
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    monkeypatch.syspath_prepend(str(tmp_path / "tests"))
    return tmp_path


@pytest.mark.slow
def test_a_test_runs_until_it_passed_and_again_when_what_it_reaches_changes(clone: Path) -> None:
    plan, number = clone / "plan.json", clone / "tests" / "number.py"

    def check(*options: str) -> tuple[int, set[str]]:
        due_tests.plan(plan)
        return ran(clone, plan, *options)

    assert check("--until", str(time.time() - 1)) == (0, set())
    assert check() == (0, {"number", "same", "other"})
    assert check() == (0, set())
    number.write_text("NUMBER = 0")
    assert check() == (1, {"number", "same"})
    assert check() == (1, {"number"})
    number.write_text("NUMBER = 1 + 1")
    assert check() == (0, {"number", "same"})
    assert check() == (0, set())
