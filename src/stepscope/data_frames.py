"""Columns as data frames of the packages that people use; none of them is needed before it is asked for."""

from __future__ import annotations

import importlib
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from stepscope.model.errors import NeedsExtra

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl
    from numpy.typing import NDArray

    Columns = Mapping[str, NDArray[Any] | Sequence[Any]]


def pandas_frame(columns: Columns) -> pd.DataFrame:
    """A pandas data frame. Raises NeedsExtra."""
    return _import("pandas").DataFrame(dict(columns))


def polars_frame(columns: Columns) -> pl.DataFrame:
    """A polars data frame. Raises NeedsExtra."""
    return _import("polars").DataFrame(dict(columns))


def arrow_table(columns: Columns) -> Any:  # noqa: ANN401 - pyarrow carries no types
    """An Arrow table. Raises NeedsExtra."""
    return _import("pyarrow", "stepscope[sql]").table(dict(columns))


def _import(name: str, install: str | None = None) -> Any:  # noqa: ANN401 - a module chosen by name has no type
    try:
        return importlib.import_module(name)
    except ImportError:
        raise NeedsExtra(f"Install {install or name} to get the rows in this format.", "needs_extra") from None
