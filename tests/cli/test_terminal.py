"""Text for terminals: what does not fit is shortened so that names can still be told apart."""

from __future__ import annotations

import io

import pytest

from stepscope.cli.terminal import COLUMNS, per_step, shortened, shortened_apart, table, terminal_width, wrapped


def test_names_lose_their_middle() -> None:
    assert shortened("abcdefghij", 5) == "ab…ij"
    assert shortened("abc", 5) == "abc"


def test_names_that_would_read_alike_lose_what_they_begin_with_alike() -> None:
    one = "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__"
    other = "enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__"
    assert shortened(one, 20) == shortened(other, 20)
    assert shortened_apart([one, other, "short"], 20) == ["…SinglePro….__next__", "…MultiProc….__next__", "short"]
    assert shortened_apart([f"  {one}", f"  {other}"], 20)[0] == "  …SinglePr…__next__"
    assert shortened_apart([one, one], 20) == [shortened(one, 20)] * 2


def test_a_table_fits_and_its_rows_differ() -> None:
    rows = [(f"a_name_that_is_far_too_long_for_its_column_{kind}_and_ends_as_others_do_always_and_ever", "1") for kind in ("x", "y")]
    lines = table(("name", "count"), rows, 40)
    assert {len(line) for line in lines} == {40}
    assert lines[1] != lines[2]


class Screen(io.StringIO):
    """A stream that is a terminal."""

    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(("columns", "width"), [("120", 120), ("40", 80), ("1000", 140)])
def test_text_is_as_wide_as_the_terminal(monkeypatch: pytest.MonkeyPatch, columns: str, width: int) -> None:
    monkeypatch.setenv("COLUMNS", columns)
    assert terminal_width(Screen()) == width
    assert terminal_width(io.StringIO()) == 80, "not in a file"


def test_a_paragraph_fits() -> None:
    assert max(map(len, wrapped("word " * 40).splitlines())) < COLUMNS


def test_a_mean_over_steps() -> None:
    shown = {
        53: "53",
        0.7: "0.7",
        499.2: "499",
        1234: "1,234",
        0.5: "1 in 2",
        1 / 3: "1 in 3",
        0.0625: "1 in 16",
        0.0626: "0.0626",
        0: "0",
    }
    assert {mean: per_step(mean) for mean in shown} == shown
