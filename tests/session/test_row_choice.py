"""Which names and types patterns, depth and scopes choose."""

from __future__ import annotations

from typing import Any

import pytest

from stepscope.session.row_choice import RowsWanted, is_chosen


@pytest.mark.parametrize(
    ("wanted", "chosen"),
    [
        ({}, True),
        ({"start": "net"}, True),
        ({"start": "net/dense"}, True),
        ({"start": "dense"}, False),
        ({"show": "net"}, False),
        ({"show": "NET/.*"}, True),
        ({"hide": "net"}, True),
        ({"hide": ".*matmul"}, False),
        ({"types": "MatMul"}, True),
        ({"types": "GPU.*"}, True),
        ({"types": "Conv.*"}, False),
        ({"depth": 2}, False),
        ({"depth": 3}, True),
    ],
)
def test_a_row_is_chosen_by_its_name_and_types(wanted: dict[str, Any], chosen: bool) -> None:
    assert is_chosen(RowsWanted(**wanted), "net/dense/MatMul", "MatMul", "GPU 0") is chosen
