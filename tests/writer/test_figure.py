"""Figures become pixels at the call; matplotlib is stood in for, since the writer does not need it."""

from __future__ import annotations

import sys
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from stepscope.writer.figure import figure_pixels


class Figure:
    """Pixels of four channels, the last of which says how much is seen of them."""

    def __init__(self, height: int, width: int, shade: int) -> None:
        self.buffer = np.full((height, width, 4), shade, np.uint8)

    def savefig(self) -> None: ...


class Canvas:
    """Has pixels when it was drawn, and not before."""

    def __init__(self, figure: Figure) -> None:
        self._figure = figure
        self._drawn = False

    def draw(self) -> None:
        self._drawn = True

    def buffer_rgba(self) -> Any:
        assert self._drawn
        return self._figure.buffer


@pytest.fixture
def closed(monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """The figures that were closed."""
    found: list[object] = []
    modules: dict[str, Any] = {
        name: ModuleType(name) for name in ("matplotlib", "matplotlib.backends", "matplotlib.backends.backend_agg", "matplotlib.pyplot")
    }
    modules["matplotlib.backends.backend_agg"].FigureCanvasAgg = Canvas
    modules["matplotlib.pyplot"].close = found.append
    for name, module in modules.items():
        monkeypatch.setitem(sys.modules, name, module)
    return found


def test_one_figure_has_three_channels_and_its_own_pixels(closed: list[object]) -> None:
    figure = Figure(2, 3, 9)
    pixels, order = figure_pixels(figure, close=True)
    figure.buffer[:] = 200
    assert (pixels.shape, order, set(pixels.ravel().tolist())) == ((2, 3, 3), "HWC", {9})
    assert not pixels.flags.writeable
    assert closed == [figure]


def test_several_are_one_after_the_other(closed: list[object]) -> None:
    pixels, order = figure_pixels([Figure(2, 3, 1), Figure(2, 3, 2)], close=False)
    assert (pixels.shape, order, pixels[:, 0, 0, 0].tolist()) == ((2, 2, 3, 3), "NHWC", [1, 2])
    assert closed == []


@pytest.mark.parametrize("figures", [[], [Figure(2, 3, 1), Figure(2, 4, 1)]], ids=["none", "two sizes"])
def test_figures_have_one_size(closed: list[object], figures: list[Figure]) -> None:
    with pytest.raises(ValueError, match="Give"):
        figure_pixels(figures, close=False)
    assert closed == []


@pytest.mark.usefixtures("closed")
def test_what_is_no_figure_is_refused() -> None:
    with pytest.raises(TypeError):
        figure_pixels("figure", close=False)
