"""The demo's data set: short synthesised tones of six timbres, with noise, and their spectrograms."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from stepscope import span

Array = NDArray[np.float32]
Halves = NDArray[np.float16]
Labels = NDArray[np.int64]

SAMPLE_RATE = 8_000
BANDS, FRAMES = 32, 24
_WINDOW, _HOP, _BINS_PER_BAND = 256, 96, 4
_SAMPLES = _WINDOW + (FRAMES - 1) * _HOP
_TIME = np.arange(_SAMPLES, dtype=np.float32) / SAMPLE_RATE
_FRAME_SAMPLES = np.arange(_WINDOW) + _HOP * np.arange(FRAMES)[:, None]
_TAPER = np.hanning(_WINDOW).astype(np.float32)
_SILENCE = np.float32(1e-3)
_LOWEST_HZ, _HIGHEST_HZ = 200.0, 480.0
_QUIETEST_NOISE, _LOUDEST_NOISE = 0.05, 0.6


@dataclass(frozen=True, slots=True)
class Timbre:
    """Partials of a tone: their frequencies as multiples of the pitch, their loudness, and how fast they fade."""

    name: str
    ratios: tuple[float, ...]
    loudness: tuple[float, ...]
    fading: float
    """Per second and multiple of the pitch: high partials fade first."""


_HARMONICS = (1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0)
_ODD = (1.0, 3.0, 5.0, 7.0)
TIMBRES = (
    Timbre("sine", (1.0,), (1.0,), 0.5),
    Timbre("triangle", _ODD, tuple(1 / ratio**2 for ratio in _ODD), 0.5),
    Timbre("square", _ODD, tuple(1 / ratio for ratio in _ODD), 0.5),
    Timbre("sawtooth", _HARMONICS, tuple(1 / ratio for ratio in _HARMONICS), 0.5),
    Timbre("string", _HARMONICS, tuple(1 / ratio for ratio in _HARMONICS), 4.0),
    Timbre("bell", (1.0, 2.76, 5.4, 8.93), (1.0, 0.6, 0.4, 0.25), 1.5),
)
NAMES = tuple(timbre.name for timbre in TIMBRES)


def named(labels: Labels) -> list[str]:
    """The names of timbres given by index."""
    return [NAMES[int(label)] for label in labels]


@dataclass(frozen=True, slots=True)
class Batch:
    """Spectrograms (n, bands, frames) and the index of each one's timbre (n,).

    In half precision a batch fits into a pipe's buffer, so that a worker need not wait until it is received.
    """

    spectrograms: Halves
    labels: Labels


class Tones:
    """A data set of tones. Each visit to a tone renders it again with new noise, so that no two epochs are the same."""

    def __init__(self, count: int, seed: int) -> None:
        """Chooses timbre and pitch of each tone; the same seed chooses the same."""
        random = np.random.default_rng(seed)
        self.labels: Labels = random.integers(0, len(TIMBRES), count)
        self._pitches = random.uniform(_LOWEST_HZ, _HIGHEST_HZ, count)

    def __len__(self) -> int:
        return len(self.labels)

    def batch(self, indices: Labels, random: np.random.Generator) -> Batch:
        """Renders the tones one after another, as a data set of files decodes them."""
        spectrograms: list[Array] = []
        for index in indices:
            with span("tones.py: decode"):
                samples = self.samples(int(index), random)
            with span("tones.py: transforms/spectrogram"):
                spectrograms.append(spectrogram(samples))
        with span("tones.py: collate"):
            return Batch(np.stack(spectrograms, dtype=np.float16, casting="same_kind"), self.labels[indices])

    def samples(self, index: int, random: np.random.Generator) -> Array:
        """One tone as sound, between -1 and 1."""
        timbre, pitch = TIMBRES[int(self.labels[index])], np.float32(self._pitches[index])
        ratios, loudness = (np.array(values, np.float32)[:, None] for values in (timbre.ratios, timbre.loudness))
        phases = random.uniform(0.0, 2 * np.pi, ratios.shape).astype(np.float32)
        angles = np.float32(2 * np.pi) * pitch * ratios * _TIME + phases
        partials = loudness * np.exp(-np.float32(timbre.fading) * ratios * _TIME) * np.sin(angles)
        noise = np.float32(random.uniform(_QUIETEST_NOISE, _LOUDEST_NOISE)) * random.standard_normal(_SAMPLES, np.float32)
        sound: Array = partials.sum(axis=0) + noise
        return sound / np.abs(sound).max()


def spectrogram(samples: Array) -> Array:
    """Loudness by frequency band, low ones first, and time; on a logarithmic scale around zero."""
    spectra = np.fft.rfft(samples[_FRAME_SAMPLES] * _TAPER)[:, : BANDS * _BINS_PER_BAND]
    power = spectra.real**2 + spectra.imag**2
    bands: Array = np.log(power.reshape(FRAMES, BANDS, _BINS_PER_BAND).sum(axis=2) + _SILENCE).T
    return (bands - bands.mean()) / bands.std()
