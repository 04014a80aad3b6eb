"""A module's test is found by name: it is called after the module or the first word of its name, imports it or mentions it."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TESTS = ROOT / "tests"


@cache
def python_tests() -> dict[Path, str]:
    """Every file below tests, and its text."""
    return {path: path.read_text(encoding="utf-8") for path in TESTS.rglob("*.py") if path != Path(__file__).resolve()}


@cache
def imported() -> set[str]:
    """Full names of everything that tests import."""
    found: set[str] = set()
    for text in python_tests().values():
        for module, names in re.findall(r"^ *from (stepscope[\w.]*) import (\([^)]*\)|[^\n]*)", text, re.MULTILINE):
            found |= {module, *(f"{module}.{name}" for name in re.findall(r"\w+", names))}
        found.update(re.findall(r"^ *import (stepscope[\w.]*)", text, re.MULTILINE))
    return found


@cache
def words() -> set[str]:
    """Every word of the tests, and their paths; only those of several parts say which module is meant."""
    found: set[str] = set()
    for path, text in python_tests().items():
        found.update(re.findall(r"\w+(?:[-.]\w+)*", text.replace("/", " ")), path.stem.removeprefix("test_").split())
    return {word.replace("-", "_") for word in found}


@cache
def names_of_tests() -> set[str]:
    return {path.stem.removeprefix("test_") for path in python_tests() if path.stem.startswith("test_")}


def in_its_part(path: Path) -> bool:
    """Whether the part of the package has a test of the first word, as watching/test_keras.py for watching's `keras_probe`."""
    part = path.relative_to(ROOT / "src" / "stepscope").parts[0]
    return (TESTS / part / f"test_{path.stem.split('_')[0]}.py").exists()


def has_python_test(path: Path) -> bool:
    module = ".".join(path.relative_to(ROOT / "src").with_suffix("").parts)
    folder, stem = path.parent.name, path.stem
    called = {stem, f"{folder}_{stem}", *([folder] if stem in {"dashboard", "messages"} else [])}
    mentioned = module in imported() | words() or ("_" in stem and stem in words())
    return mentioned or bool(called & names_of_tests()) or in_its_part(path)


def has_native_test(path: Path) -> bool:
    drivers = {each.stem for each in (ROOT / "native" / "fuzz").glob("*.cpp")}
    first = path.stem.split("_")[0]
    in_folder = (TESTS / "formats" / first).is_dir() or (TESTS / "native" / f"test_{first}.py").exists()
    return in_folder or bool({path.stem, first} & (drivers | names_of_tests())) or ("_" in path.stem and path.stem in words())


@cache
def page_tests() -> dict[str, str]:
    """Names and texts of the page's own tests."""
    found = [path for top in ("web/src", "src/stepscope") for path in (ROOT / top).rglob("*.test.ts")]
    return {path.name.split(".")[0]: path.read_text(encoding="utf-8") for path in found}


def has_page_test(path: Path) -> bool:
    plain = path.name.split(".")[0]
    return plain in page_tests() or any(re.search(rf"/{re.escape(path.stem)}(\.ts)?'", text) for text in page_tests().values())


def untested() -> set[str]:
    """Paths of all modules that no test is found for."""
    python = [path for path in (ROOT / "src" / "stepscope").rglob("*.py") if path.name not in {"__init__.py", "__main__.py"}]
    native = [path for path in (ROOT / "native").rglob("*.cpp") if "fuzz" not in path.parts]
    page = [path for top in ("web/src", "src/stepscope") for path in (ROOT / top).rglob("*.ts")]
    page = [path for path in page if not path.name.endswith((".test.ts", ".d.ts")) and path.name != "main.ts"]
    without = [
        *(path for path in python if not has_python_test(path)),
        *(path for path in native if not has_native_test(path)),
        *(path for path in page if not has_page_test(path)),
    ]
    return {path.relative_to(ROOT).as_posix() for path in without}


def test_every_module_has_a_test_that_is_found_by_name() -> None:
    assert untested() == set(), "these modules need a test of their name, or one that imports them"
