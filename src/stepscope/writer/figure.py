"""Figures of matplotlib, drawn at the call, because they may change or be closed right after it."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from numpy.typing import NDArray


def figure_pixels(figure: object, close: bool) -> tuple[NDArray[Any], str]:
    """The pixels of a figure or a list of figures of one size, and their dataformats."""
    import numpy as np

    if isinstance(figure, list | tuple):
        figures: list[object] = list(figure)  # pyright: ignore[reportUnknownArgumentType]
        if not figures:
            raise ValueError("Give at least one figure; the list is empty.")
        pictures = [_drawn(each, close) for each in figures]
        if len({picture.shape for picture in pictures}) != 1:
            raise ValueError("Give figures of one size, or log each under a tag of its own.")
        return _frozen(np.stack(pictures)), "NHWC"
    return _frozen(_drawn(figure, close)), "HWC"


def _drawn(figure: Any, close: bool) -> NDArray[Any]:  # noqa: ANN401 (matplotlib is optional)
    import numpy as np

    try:
        agg: Any = import_module("matplotlib.backends.backend_agg")
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError("Figures are drawn by matplotlib, which is not installed: `pip install matplotlib`.") from error
    if not hasattr(figure, "savefig"):
        raise TypeError(f"Give a matplotlib figure, not {type(figure).__name__}.")
    canvas = agg.FigureCanvasAgg(figure)
    canvas.draw()
    pixels = np.asarray(canvas.buffer_rgba())[:, :, :3].copy()
    if close:
        import_module("matplotlib.pyplot").close(figure)
    return pixels


def _frozen(pixels: NDArray[Any]) -> NDArray[Any]:
    """Read-only, so that it need not be copied again."""
    pixels.flags.writeable = False
    return pixels
