"""The packages of the extra `sql`, imported when SQL or a file of columns is asked for."""

from __future__ import annotations

import importlib
from typing import Any

from stepscope.model.errors import NeedsExtra


def pyarrow(part: str = "") -> Any:  # noqa: ANN401 - pyarrow carries no types
    """pyarrow, or a module of it. Raises NeedsExtra."""
    return _import("pyarrow" + part)


def duckdb() -> Any:  # noqa: ANN401 - optional, so not there for every type checker
    """DuckDB. Raises NeedsExtra."""
    return _import("duckdb")


def _import(name: str) -> Any:  # noqa: ANN401 - a module chosen by name has no type
    try:
        return importlib.import_module(name)
    except ImportError:
        raise NeedsExtra("Tables and SQL need DuckDB and pyarrow; run pip install 'stepscope[sql]'.", "needs_extra") from None
