"""Files of saved charts in tests: a stand-in for the built page, and what is inside of a file."""

from __future__ import annotations

import base64
import gzip
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from report_files import SMALL_BUNDLE, embedded
from stepscope.dashboards.scalars import html_curves


def use_small_curves_bundle(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Files are written without the page's code."""
    bundle = folder / "curves bundle.html"
    bundle.write_text(SMALL_BUNDLE)
    monkeypatch.setattr(html_curves, "BUNDLE", bundle)


def frame_inside(page: str) -> bytes:
    """The frame of curves of a file, as the HTTP API answers it."""
    return gzip.decompress(base64.b64decode(embedded(page)["curves"]))


def curves_inside(page: str) -> dict[tuple[str, str], dict[str, Any]]:
    """By the name of the run and the tag: what the header says of each curve, and its columns x and y."""
    header, column = _opened(frame_inside(page))
    names = {run["id"]: run["name"] for run in embedded(page)["runs"]}
    return {
        (names[curve["run"]], curve["tag"]): {**curve, **{name: column(curve["columns"][name]) for name in ("x", "y")}}
        for curve in header["series"]
    }


def groups_inside(page: str) -> dict[tuple[str, str], dict[str, Any]]:
    """By the tag and the name of the group: what the header says of it, and its columns."""
    header, column = _opened(gzip.decompress(base64.b64decode(embedded(page)["groups"])))
    return {
        (chart["tag"], group["name"]): {**group, **{name: column(place) for name, place in group["columns"].items()}}
        for chart in header["charts"]
        for group in chart["groups"]
    }


def _opened(frame: bytes) -> tuple[dict[str, Any], Callable[[dict[str, Any]], NDArray[Any]]]:
    """The header of a frame, and how a column of it is read."""
    length = int.from_bytes(frame[:4], "little")
    start = (4 + length + 7) & ~7
    types = {"f64": np.float64, "i32": np.int32, "u8": np.uint8}

    def column(place: dict[str, Any]) -> NDArray[Any]:
        return np.frombuffer(frame, types[place["dtype"]], place["count"], start + place["offset"])

    return json.loads(frame[4 : 4 + length]), column
