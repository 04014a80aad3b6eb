"""Tables of numbers in text: every separator and number that writers use, thinned out evenly, and bad lines by their number."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from stepscope._native import read_number_table

MANY = 1 << 30


def table(
    folder: Path, text: bytes, rows: int = MANY, values: int = MANY
) -> tuple[list[list[float]], list[int], int, int, list[tuple[int, int, int]], int]:
    path = folder / "vectors.tsv"
    path.write_bytes(text)
    found, kept, lines, columns, bad, bad_total = read_number_table(str(path), rows, values)
    return found.reshape(len(kept), -1).tolist() if len(kept) else [], kept.tolist(), lines, columns, bad, bad_total


@pytest.mark.parametrize("separator", [b"\t", b",", b";", b" ", b"   "])
@pytest.mark.parametrize("end", [b"\n", b"\r\n"])
def test_every_separator(tmp_path: Path, separator: bytes, end: bytes) -> None:
    text = end.join(separator.join(row) for row in ([b"1", b"-2.5", b"3e2"], [b"+4", b".5", b"6."]))
    assert table(tmp_path, text) == ([[1, -2.5, 300], [4, 0.5, 6]], [0, 1], 2, 3, [], 0)


def test_numbers_are_rounded_as_numpy_rounds_them(tmp_path: Path) -> None:
    values = np.random.default_rng(1).normal(size=(50, 7)) * 10.0 ** np.arange(-3, 4)
    text = "\n".join("\t".join(map(repr, row)) for row in values.tolist()).encode()
    assert table(tmp_path, text)[0] == values.astype(np.float32).tolist()


def test_too_small_is_zero_and_too_large_is_not_finite(tmp_path: Path) -> None:
    assert table(tmp_path, b"1e-999\t1e-60\n1e99\t1\n1\t1e999\n") == ([[0, 0]], [0], 3, 2, [(2, 3, 2), (3, 3, 2)], 2)


def test_bad_lines_are_named_and_the_others_kept(tmp_path: Path) -> None:
    text = b"1\t2\n\n3\n4\t5\t6\nx\t1\n7\tnan\n8\t\n9\t10"
    found, rows, lines, columns, bad, bad_total = table(tmp_path, text)
    assert (found, rows, lines, columns) == ([[1, 2], [9, 10]], [0, 6], 7, 2)
    assert bad == [(3, 1, 1), (4, 1, 3), (5, 2, 2), (6, 3, 2), (7, 2, 2)]
    assert bad_total == 5


def test_only_the_first_bad_lines_are_listed(tmp_path: Path) -> None:
    _, rows, _, _, bad, bad_total = table(tmp_path, b"1\t2\n" + b"x\t1\n" * 1000)
    assert (rows, len(bad), bad_total) == ([0], 20, 1000)


@pytest.mark.parametrize(("rows", "values"), [(10, MANY), (MANY, 35)])
def test_a_large_file_is_thinned_out_evenly(tmp_path: Path, rows: int, values: int) -> None:
    text = b"".join(b"%d\t0\t1\n" % row for row in range(1000))
    found, kept, lines, _, _, _ = table(tmp_path, text, rows, values)
    count = min(rows, values // 3)
    assert kept == [place * 1000 // count for place in range(count)]
    assert [row[0] for row in found] == kept
    assert lines == 1000


@pytest.mark.slow
def test_lines_across_windows(tmp_path: Path) -> None:
    values = np.arange(900_000, dtype=np.float32).reshape(-1, 3)
    text = b"\n".join(b"%d.000000\t%d.000000\t%d.000000" % tuple(row) for row in values.astype(int).tolist())
    assert len(text) > 8 << 20
    path = tmp_path / "large.tsv"
    path.write_bytes(text)
    found, rows, _, _, bad, _ = read_number_table(str(path), MANY, MANY)
    assert np.array_equal(found.reshape(-1, 3), values)
    assert (len(rows), bad) == (300_000, [])


@pytest.mark.parametrize("text", [b"", b"\n\n", b" \t \n"])
def test_nothing_in_it(tmp_path: Path, text: bytes) -> None:
    assert table(tmp_path, text) == ([], [], 0, 0, [], 0)


def test_a_first_line_with_more_columns_than_the_limit(tmp_path: Path) -> None:
    found, _, lines, columns, _, _ = table(tmp_path, b"1\t2\t3\n", values=2)
    assert (found, lines, columns) == ([], 1, 3)


def test_a_file_that_is_gone(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        read_number_table(str(tmp_path / "gone"), 1, 1)
