"""Tests of reading event files run over both ways in which the core gets bytes."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from event_reading import ORIGINS, read_from


@pytest.fixture(scope="module", params=list(ORIGINS))
def each_origin(request: pytest.FixtureRequest) -> Iterator[str]:
    """Local files by path, and ranges that Python reads."""
    read_from(request.param)
    yield request.param
    read_from("path")
