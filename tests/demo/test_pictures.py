"""What the demo shows of its network: the right way up, with the right counts."""

from __future__ import annotations

import numpy as np

from stepscope.demo import pictures
from stepscope.demo.network import KERNEL
from stepscope.demo.tones import BANDS, FRAMES, NAMES


def test_low_frequencies_are_at_the_bottom() -> None:
    spectrogram = np.zeros((1, BANDS, FRAMES), np.float16)
    spectrogram[0, 0] = 1
    (picture,) = pictures.spectrogram_pictures(spectrogram)
    assert picture.shape == (BANDS, FRAMES, 3)
    assert picture[-1, 0].tolist() == [252, 206, 37]
    assert picture[0, 0].tolist() == [13, 8, 75]


def test_each_filter_is_a_picture() -> None:
    weight = np.arange(KERNEL**2 * 3, dtype=np.float32).reshape(KERNEL**2, 3)
    found = pictures.filter_pictures(weight)
    assert found.shape[0] == 3
    assert (found.min(axis=(1, 2)) == [13, 3, 37]).all()


def test_a_confusion_matrix_counts_truth_by_row_and_prediction_by_column() -> None:
    counts = pictures.confusion(predicted=np.array([1, 1, 0]), labels=np.array([0, 1, 1]))
    assert counts[:2, :2].tolist() == [[0, 1], [1, 1]]
    assert counts.sum() == 3
    rows = pictures.confusion_table(counts).splitlines()
    assert [cell.strip() for cell in rows[2].strip("|").split("|")][:3] == [f"**{NAMES[0]}**", "0", "1"]
    boxes = pictures.cell_boxes(counts)
    cell = pictures.confusion_picture(counts).shape[1] // len(NAMES)
    assert boxes[:, :2].tolist() == [[cell, 0], [0, cell], [cell, cell]]  # left and upper edge of all but the zeros


def test_the_cloud_keeps_the_direction_with_the_most_spread() -> None:
    random = np.random.default_rng(1)
    embedding = random.normal(size=(100, 8)) * np.array([0.1] * 7 + [5.0])
    points, colours = pictures.point_cloud(embedding.astype(np.float32), np.arange(100) % len(NAMES))
    assert (points.shape, colours.shape) == ((1, 100, 3), (1, 100, 3))
    assert abs(np.corrcoef(points[0, :, 0], embedding[:, 7])[0, 1]) > 0.999
    assert len(np.unique(colours[0], axis=0)) == len(NAMES)
