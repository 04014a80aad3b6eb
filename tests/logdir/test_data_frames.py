"""Columns as frames of the packages that are installed, and a sentence for those that are not."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from stepscope import data_frames
from stepscope.model.errors import NeedsExtra

COLUMNS: dict[str, Any] = {"step": np.array([1, 2]), "name": ["a", "b"]}


def test_every_package_has_the_same_columns() -> None:
    pandas, polars, arrow = data_frames.pandas_frame(COLUMNS), data_frames.polars_frame(COLUMNS), data_frames.arrow_table(COLUMNS)
    assert pandas.to_dict("list") == polars.to_dict(as_series=False) == arrow.to_pydict() == {"step": [1, 2], "name": ["a", "b"]}


@pytest.mark.parametrize(
    ("make", "package"),
    [(data_frames.pandas_frame, "pandas"), (data_frames.polars_frame, "polars"), (data_frames.arrow_table, "stepscope[sql]")],
)
def test_a_missing_package_is_named(monkeypatch: pytest.MonkeyPatch, make: Callable[..., Any], package: str) -> None:
    def gone(name: str) -> Any:
        raise ImportError(name)

    monkeypatch.setattr(data_frames.importlib, "import_module", gone)
    with pytest.raises(NeedsExtra) as missing:
        make(COLUMNS)
    assert (missing.value.code, package in missing.value.message) == ("needs_extra", True)
