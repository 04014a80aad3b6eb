"""The demo's experiment: four runs, one after the other, that differ in data loading, learning rate and width."""

from __future__ import annotations

import threading

from stepscope.demo.evaluation import Evaluation
from stepscope.demo.training import Settings, train

RUNS = (
    Settings("baseline", lr=0.01, filters=64, workers=0),
    Settings("loader-process", lr=0.01, filters=64, workers=1),  # The same training, as its profile recommends it.
    Settings("low-lr", lr=0.0003, filters=64, workers=1),
    Settings("small", lr=0.01, filters=4, workers=1),  # So fast that one loader process is too slow for it.
)
_VALIDATION_TONES = 240
_SEED = 11


def run_experiment(folder: str, steps: int, stop: threading.Event) -> None:
    """Trains all runs below the folder; ends early, without an error, when told to stop."""
    evaluation = Evaluation(_VALIDATION_TONES, _SEED)
    try:
        for settings in RUNS:
            train(folder, settings, steps, evaluation, stop)
    except KeyboardInterrupt:
        return
