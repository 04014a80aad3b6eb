"""What the demo shows of its network besides numbers: pictures, tables and a point cloud."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from stepscope.demo.network import KERNEL
from stepscope.demo.tones import NAMES, Array, Halves, Labels

Pixels = NDArray[np.uint8]

_HEAT = np.array([(13, 8, 75), (126, 3, 168), (225, 100, 98), (252, 206, 37)], np.float32)
_COLOURS = np.array([(36, 92, 254), (239, 106, 0), (11, 138, 103), (200, 40, 120), (120, 80, 200), (140, 110, 20)], np.uint8)
_CELL_PIXELS = 28
_FILTERS = 16
_FILTER_SCALE = 8
_WHITE = 255


def heat(values: Array) -> Pixels:
    """Numbers as colours from dark blue (lowest) to yellow (highest), in a new last dimension."""
    low, high = float(values.min()), float(values.max())
    place = (values - low) / max(high - low, 1e-9) * (len(_HEAT) - 1)
    steps = np.arange(len(_HEAT))
    return np.stack([np.interp(place, steps, _HEAT[:, channel]) for channel in range(3)], axis=-1).astype(np.uint8)


def spectrogram_pictures(spectrograms: Halves) -> Pixels:
    """Spectrograms as pictures (n, height, width, 3), with high frequencies at the top."""
    return heat(spectrograms[:, ::-1].astype(np.float32))


def filter_pictures(weight: Array) -> Pixels:
    """The convolution's first filters, each on a colour scale of its own and with a white edge."""
    filters = weight.T[:_FILTERS].reshape(-1, KERNEL, KERNEL)[:, ::-1]
    pictures = np.stack([heat(each) for each in filters]).repeat(_FILTER_SCALE, axis=1).repeat(_FILTER_SCALE, axis=2)
    return np.pad(pictures, ((0, 0), (2, 2), (2, 2), (0, 0)), constant_values=_WHITE)


def confusion(predicted: Labels, labels: Labels) -> NDArray[np.int64]:
    """How many tones of each timbre (row) were taken for each (column)."""
    counts = np.zeros((len(NAMES), len(NAMES)), np.int64)
    np.add.at(counts, (labels, predicted), 1)
    return counts


def confusion_picture(counts: NDArray[np.int64]) -> Pixels:
    """The confusion matrix, a cell for each pair of timbres."""
    shares = counts / np.maximum(counts.sum(axis=1, keepdims=True), 1)
    return heat(shares.astype(np.float32)).repeat(_CELL_PIXELS, axis=0).repeat(_CELL_PIXELS, axis=1)


def cell_boxes(counts: NDArray[np.int64]) -> NDArray[np.int64]:
    """Left, upper, right and lower edge of each cell of the confusion matrix that is not zero, row by row."""
    rows, columns = np.array(counts.nonzero()) * _CELL_PIXELS
    return np.stack([columns, rows, columns + _CELL_PIXELS - 1, rows + _CELL_PIXELS - 1], axis=1)


def confusion_table(counts: NDArray[np.int64]) -> str:
    """The confusion matrix as a Markdown table."""
    rows = [f"| **{name}** | {' | '.join(str(count) for count in row)} |" for name, row in zip(NAMES, counts, strict=True)]
    return "\n".join([f"| true \\ predicted | {' | '.join(NAMES)} |", "|---|" + "---:|" * len(NAMES), *rows])


def prediction_table(probabilities: Array, labels: Labels) -> str:
    """Predictions as a Markdown table, one row a tone."""
    rows = [
        f"| {NAMES[label]} | {NAMES[guess]} | {shares[guess]:.0%} | {'yes' if guess == label else '**no**'} |"
        for shares, label, guess in zip(probabilities, labels, probabilities.argmax(axis=1), strict=True)
    ]
    return "\n".join(["| timbre | prediction | confidence | correct |", "|---|---|---:|---|", *rows])


def point_cloud(embedding: Array, labels: Labels) -> tuple[Array, Pixels]:
    """The embedding's three principal components, and a colour for each timbre."""
    centred = embedding - embedding.mean(axis=0)
    _, _, directions = np.linalg.svd(centred, full_matrices=False)
    return (centred @ directions[:3].T)[None], _COLOURS[labels][None]
