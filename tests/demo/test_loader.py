"""The demo's data loader: the same batches with and without a worker, and a worker that ends."""

from __future__ import annotations

import multiprocessing

import numpy as np

from stepscope.demo.loader import DataLoader
from stepscope.demo.tones import Tones


def test_a_worker_makes_the_same_batches() -> None:
    with (
        DataLoader(Tones(20, 1), 4, 2, workers=0) as inside,
        DataLoader(Tones(20, 1), 4, 2, workers=1) as beside,
    ):
        for _ in range(3):
            mine, other = next(inside), next(beside)
            np.testing.assert_array_equal(mine.spectrograms, other.spectrograms)
            np.testing.assert_array_equal(mine.labels, other.labels)
        assert len(multiprocessing.active_children()) == 1
    assert multiprocessing.active_children() == []
