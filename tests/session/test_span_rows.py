"""Rows of spans are those of the whole file, also where a range of it is looked at."""

from __future__ import annotations

import pytest

from session.drawn_sessions import analysed, drawn
from stepscope.model.errors import NotThere
from stepscope.session.span_rows import row_here


def test_rows_of_a_range_are_named_by_the_file() -> None:
    whole = drawn().profiles[0]
    part = analysed(whole, chosen="3").profiles[0]
    assert row_here(whole, 5) == 5
    assert part.part is not None
    for row in range(len(part.spans)):
        assert row_here(part, part.row_in_file(row)) == row


def test_what_is_not_in_the_range_is_refused() -> None:
    whole = drawn().profiles[0]
    part = analysed(whole, chosen="3").profiles[0]
    assert part.part is not None
    outside = next(row for row in range(len(whole.spans)) if row not in part.part.rows.tolist())
    for profile, row in ((part, outside), (part, 1 << 30), (whole, len(whole.spans)), (whole, -1)):
        with pytest.raises(NotThere):
            row_here(profile, row)
