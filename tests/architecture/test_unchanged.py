"""`make check` leaves a step out only when it passed on exactly the files that it reads."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))

import steps  # noqa: E402
import unchanged  # noqa: E402


@pytest.fixture
def clone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A clone with one Python file, where checks leave their stamps."""
    subprocess.run(["git", "init", "--quiet", str(tmp_path)], check=True)
    (tmp_path / "one.py").write_text("1")
    (tmp_path / ".gitignore").write_text("build/")
    monkeypatch.setattr(unchanged, "ROOT", tmp_path)
    monkeypatch.setattr(steps, "ROOT", tmp_path)
    monkeypatch.setattr(unchanged, "PASSED", tmp_path / "build" / "passed")
    monkeypatch.setattr(unchanged, "GENERATED", [tmp_path / "build" / "made.ts"])
    return tmp_path


def edit(folder: Path) -> None:
    (folder / "one.py").write_text("2")


def add(folder: Path) -> None:
    (folder / "two.py").write_text("")


def remove(folder: Path) -> None:
    (folder / "one.py").unlink()


def generate(folder: Path) -> None:
    (folder / "build").mkdir()
    (folder / "build" / "made.ts").write_text("")


@pytest.mark.parametrize("change", [edit, add, remove, generate])
def test_every_change_of_a_file_that_is_read_counts(clone: Path, change: Callable[[Path], None]) -> None:
    before = unchanged.fingerprint(["check"], (".py",))
    assert before is not None
    assert unchanged.fingerprint(["check"], (".py",)) == before
    change(clone)
    assert unchanged.fingerprint(["check"], (".py",)) != before


def test_other_files_do_not_count_and_other_commands_do(clone: Path) -> None:
    before = unchanged.fingerprint(["check"], (".py",))
    (clone / "notes.md").write_text("")
    assert unchanged.fingerprint(["check"], (".py",)) == before
    assert unchanged.fingerprint(["check", "--strict"], (".py",)) != before


def test_without_git_nothing_is_known(clone: Path) -> None:
    (clone / ".git").rename(clone / "elsewhere")
    assert unchanged.fingerprint(["check"], (".py",)) is None


def runs(folder: Path, *, good: bool = True, repeat: bool = False, reads: tuple[str, ...] = (".py",)) -> bool:
    """Whether a step runs; it leaves a mark outside of what it reads."""
    mark = folder / "build" / "ran"
    mark.unlink(missing_ok=True)
    mark.parent.mkdir(exist_ok=True)
    code = f"open({str(mark)!r}, 'w'); raise SystemExit({int(not good)})"
    assert steps.run(steps.Step("small step", [sys.executable, "-c", code], reads=reads), repeat=repeat) == good
    return mark.exists()


def test_a_step_is_repeated_until_it_passed_and_after_every_edit(clone: Path) -> None:
    assert runs(clone, good=False)
    assert runs(clone, good=False)
    assert runs(clone)
    assert not runs(clone)
    edit(clone)
    assert runs(clone)


def test_a_step_that_must_repeat_or_reads_more_than_files_always_runs(clone: Path) -> None:
    assert runs(clone)
    assert runs(clone, repeat=True)
    assert runs(clone, reads=())
    assert runs(clone, reads=())
