"""What a row achieves of its roof, in a cell."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from stepscope.cli.profile.roof_text import roof_text


@dataclass(frozen=True)
class Row:
    """A position under the roofline."""

    share_of_roof: float | None = None
    flops_share_of_peak: float | None = None
    bandwidth_share_of_peak: float | None = None
    bound_by: str = ""


@pytest.mark.parametrize(
    ("row", "text"),
    [
        (Row(share_of_roof=0.424, bound_by="memory"), "42% mem"),
        (Row(share_of_roof=0.5, flops_share_of_peak=0.5, bound_by="compute"), "50% comp"),
        (Row(flops_share_of_peak=0.1, bandwidth_share_of_peak=0.9), "(10% comp)"),
        (Row(bandwidth_share_of_peak=0.9), "(90% mem)"),
        (Row(), ""),
    ],
)
def test_a_share_and_which_roof_it_is_of(row: Row, text: str) -> None:
    assert roof_text(row) == text


def test_a_mark_stands_behind_the_number() -> None:
    assert roof_text(Row(share_of_roof=1.2, bound_by="memory"), "!") == "120%! mem"
    assert roof_text(Row(flops_share_of_peak=1.2), "!") == "(120%! comp)"
