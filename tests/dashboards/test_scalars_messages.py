"""What the Charts tab may ask: windows that make sense, numbers of series in bounds, and smoothing that changes something."""

from __future__ import annotations

import math
from pathlib import Path

import msgspec
import pytest

from log_folder import LogFolder
from stepscope.dashboards.scalars.messages import (
    MAX_SERIES,
    MAX_WIDTH,
    ColumnsRequest,
    CurvesRequest,
    GroupsRequest,
    TableRequest,
    check_count,
    checked,
    window,
)
from stepscope.model.errors import BadInput, TooMuch
from stepscope.queries.series import NO_TAG, Smoothing, Window
from stepscope.queries.view import Views


@pytest.fixture
def views(tmp_path: Path) -> Views:
    folder = LogFolder(tmp_path)
    folder.write("a", {"loss": [1.0], "epoch": [0.5]})
    return Views(folder.load())


def test_a_window_without_a_range_is_everything(views: Views) -> None:
    assert window(views, "step", None, None) == Window("step", NO_TAG, -math.inf, math.inf, 1, False)
    assert window(views, "wall", "loss", (2.0, 5.0), 640, True) == Window("wall", NO_TAG, 2.0, 5.0, 640, True)


def test_x_may_be_the_value_of_a_tag(views: Views) -> None:
    assert window(views, "tag", "epoch", None).x_tag == views.tag_id("epoch") != NO_TAG


@pytest.mark.parametrize(
    ("wanted", "code"),
    [
        ({"width": 0}, "bad_width"),
        ({"width": MAX_WIDTH + 1}, "too_wide"),
        ({"x": "tag"}, "no_x_tag"),
        ({"span": (5.0, 2.0)}, "bad_range"),
    ],
)
def test_a_window_that_makes_no_sense_is_refused(views: Views, wanted: dict[str, object], code: str) -> None:
    asked = {"x": "step", "x_tag": None, "span": None, "width": MAX_WIDTH, **wanted}
    with pytest.raises((BadInput, TooMuch)) as error:
        window(views, **asked)  # type: ignore[arg-type]
    assert error.value.code == code
    assert window(views, "step", None, (2.0, 2.0), MAX_WIDTH).low == 2.0


def test_only_so_many_may_be_asked_at_once() -> None:
    check_count(MAX_SERIES, "series")
    with pytest.raises(TooMuch) as error:
        check_count(MAX_SERIES + 1, "series")
    assert error.value.code == "too_many"
    with pytest.raises(TooMuch):
        check_count(3, "tags", 2)


def test_an_average_without_weight_is_no_smoothing() -> None:
    assert checked(None) is None
    assert checked(Smoothing("ema", 0.0)) is None
    assert checked(Smoothing("ema", 0.6)) == Smoothing("ema", 0.6)
    with pytest.raises(BadInput):
        checked(Smoothing("ema", 2.0))


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        (CurvesRequest, b'{"series": [], "unknown": 1}'),
        (CurvesRequest, b'{"series": [], "x": "sideways"}'),
        (GroupsRequest, b'{"groups": []}'),
        (GroupsRequest, b'{"groups": [], "tag": "loss", "x": "tag"}'),
        (ColumnsRequest, b'{"tags": ["loss"], "mean_of": 0}'),
        (TableRequest, b'{"series": [], "smoothing": {"method": "guess", "amount": 1}}'),
    ],
)
def test_what_a_route_does_not_take(kind: type, text: bytes) -> None:
    with pytest.raises(msgspec.ValidationError):
        msgspec.json.decode(text, type=kind)


def test_what_is_not_given_is_the_usual() -> None:
    found = msgspec.json.decode(b'{"series": [{"run": "0123456789ab", "tag": "loss"}]}', type=CurvesRequest)
    assert (found.x, found.width, found.segments, found.smoothing, found.fold) == ("step", 640, "latest", None, True)
    assert [(name.run, name.tag) for name in found.series] == [("0123456789ab", "loss")]
