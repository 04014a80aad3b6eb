"""`stepscope profile compare` for people and for CI: sentence, table within 80 columns, JSON and exit codes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from cli.profile_terminal import Terminal
from cli.torch_traces import recording


@pytest.fixture
def terminal(capsys: pytest.CaptureFixture[str]) -> Terminal:
    return Terminal(capsys)


def answer(terminal: Terminal, *words: str | Path) -> dict[str, Any]:
    code, printed, said = terminal.run("compare", *words, "--json", "--no-cache")
    assert code == 0, said
    return json.loads(printed)


def test_the_slower_kernel_is_named(terminal: Terminal, tmp_path: Path) -> None:
    before, after = recording(tmp_path, "before"), recording(tmp_path, "after", slow=2.0)
    found = answer(terminal, before, after, "--by", "kernel")
    assert (found["is_slower"], found["failed"]) == (True, None)
    assert found["step"]["change_ms"] == pytest.approx(0.4, abs=0.01)
    assert found["step"]["change"] == pytest.approx(0.4, abs=0.01)
    assert {each["group"]: each["difference"] for each in found["groups"]}["compute"]["change_ms"] == pytest.approx(0.4, abs=0.01)
    (row,) = [row for row in found["rows"] if row["change"] != "none"]
    assert (row["change"], row["on_device"], row["count_before"], row["count_after"]) == ("time", True, 1, 1)
    assert (row["per_call_before_us"], row["per_call_after_us"]) == (pytest.approx(400), pytest.approx(800))
    assert (found["before_ms"], found["after_ms"]) == (pytest.approx(1.0, abs=0.01), pytest.approx(1.4, abs=0.01))
    assert found["change"] == pytest.approx(0.4, abs=0.01)
    assert found["noise"] == pytest.approx(found["step"]["noise_ms"] / found["before_ms"])
    assert (found["slower"], found["faster"]) == ([row], [])
    back = answer(terminal, after, before, "--by", "kernel")
    assert ([each["name"] for each in back["faster"]], back["slower"]) == ([row["name"]], [])


def test_the_text_fits_in_80_columns(terminal: Terminal, tmp_path: Path) -> None:
    before, after = recording(tmp_path, "before"), recording(tmp_path, "after", slow=2.0)
    for by in ("op", "module", "kernel"):
        code, printed, _ = terminal.run("compare", before, after, "--by", by, "--no-cache")
        assert code == 0
        assert all(value in printed for value in ("1.4 ms instead of 1 ms", "40.0% slower"))
        assert max(map(len, printed.splitlines())) <= 80


@pytest.mark.parametrize(
    ("slow", "limit", "code", "said"),
    [
        (2.0, "3%", 1, "Failed: slower by more than 3% and by more than noise."),
        (2.0, "50%", 0, "Passed: slower, but not by more than 50%."),
        (1.0, "0%", 0, "Passed: not slower by more than 0%."),
        (1.02, "0.1%", 0, "Passed: not slower by more than 0.1%."),  # 8 µs of 1 ms are what two recordings differ by
    ],
)
def test_the_exit_code_is_for_ci(terminal: Terminal, tmp_path: Path, slow: float, limit: str, code: int, said: str) -> None:
    before, after = recording(tmp_path, "before"), recording(tmp_path, "after", slow=slow)
    found, printed, _ = terminal.run("compare", before, after, "--fail-over", limit, "--no-cache")
    assert said in printed
    assert found == code
    assert terminal.run("compare", before, after, "--fail-over", limit, "--json", "--no-cache")[0] == code
    assert terminal.run("compare", before, after, "--no-cache")[0] == 0


def test_faster_and_unsure_are_no_failures(terminal: Terminal, tmp_path: Path) -> None:
    before, after = recording(tmp_path, "before", slow=2.0), recording(tmp_path, "after")
    assert terminal.run("compare", before, after, "--fail-over", "0%", "--no-cache")[0] == 0
    short = recording(tmp_path, "short", steps=2), recording(tmp_path, "long", slow=3.0, steps=2)
    code, printed, _ = terminal.run("compare", *short, "--fail-over", "3%", "--no-cache")
    assert code == 0
    assert "Not failed" in printed


def test_two_ranges_of_one_profile(terminal: Terminal, tmp_path: Path) -> None:
    path = recording(tmp_path, "run")
    found = answer(terminal, path, "--before-range", ":4", "--after-range", "4:")
    assert (found["range_before"], found["range_after"]) == ("steps 0 to 3, 4 of 8", "steps 4 to 7, 4 of 8")
    assert found["is_slower"] is False
    assert [row for row in found["rows"] if row["change"] != "none"] == []
    both = answer(terminal, path, path, "--steps", "2:7")
    assert {both["range_before"], both["range_after"]} == {"steps 2 to 6, 5 of 8"}


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ([], "Give a second profile, or --after-range to compare two ranges of one."),
        (["--after-range", "x"], "'x' is not a range;"),
        (["--after-range", "4:", "--fail-over", "much"], "--fail-over 'much'"),
        (["--after-range", "4:", "--fail-over", "nan"], "--fail-over 'nan'"),
        (["--after-range", "4:", "--fail-over", "-3%"], "--fail-over '-3%'"),
    ],
)
def test_what_cannot_be_compared_gets_one_sentence(terminal: Terminal, tmp_path: Path, words: list[str], said: str) -> None:
    code, printed, told = terminal.run("compare", recording(tmp_path, "run"), *words, "--no-cache")
    assert (code, printed) == (2, "")
    assert said in told
