"""Sizes as users write them."""

from __future__ import annotations

import pytest

from stepscope.capture.size_text import bytes_of, text_of


@pytest.mark.parametrize(
    ("size", "expected"),
    [("200MB", 200_000_000), ("1.5 GB", 1_500_000_000), ("64KiB", 65_536), ("1000", 1000), (7, 7), ("2mib", 2 << 20)],
)
def test_sizes(size: str | int, expected: int) -> None:
    assert bytes_of(size, "budget") == expected


@pytest.mark.parametrize("size", ["", "much", "0", "-5MB", "5 lightyears", "nan"])
def test_what_is_no_size_is_refused(size: str) -> None:
    with pytest.raises(ValueError, match="budget"):
        bytes_of(size, "budget")


@pytest.mark.parametrize(("size", "text"), [(999, "999 B"), (200_000_000, "200 MB"), (1_500, "1.5 kB"), (2.5e9, "2.5 GB")])
def test_texts(size: float, text: str) -> None:
    assert text_of(size) == text
