"""The demo's data set: what is drawn is reproducible, and has the frequencies that its names promise."""

from __future__ import annotations

import numpy as np
import pytest

from stepscope.demo.tones import BANDS, FRAMES, NAMES, SAMPLE_RATE, Tones, spectrogram


def test_the_same_seed_makes_the_same_batch() -> None:
    first, again = (Tones(50, 3).batch(np.arange(50), np.random.default_rng(4)) for _ in range(2))
    np.testing.assert_array_equal(first.spectrograms, again.spectrograms)
    np.testing.assert_array_equal(first.labels, again.labels)
    assert set(first.labels.tolist()) == set(range(len(NAMES)))
    assert first.spectrograms.shape == (50, BANDS, FRAMES)


def test_each_visit_has_new_noise() -> None:
    tones, random = Tones(1, 3), np.random.default_rng(4)
    assert not np.array_equal(tones.samples(0, random), tones.samples(0, random))


@pytest.mark.parametrize("hertz", [250.0, 1_000.0, 3_000.0])
def test_a_spectrogram_is_loudest_at_the_frequency(hertz: float) -> None:
    time = np.arange(int(0.4 * SAMPLE_RATE)) / SAMPLE_RATE
    found = spectrogram(np.sin(2 * np.pi * hertz * time).astype(np.float32))
    width = SAMPLE_RATE / 2 / BANDS
    assert abs(found.mean(axis=1).argmax() - hertz / width) <= 1
    assert (found.mean(), found.std()) == pytest.approx((0, 1), abs=1e-3)
