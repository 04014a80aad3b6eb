"""The demo's two runs, trained side by side and logged as a user would log them."""

from __future__ import annotations

import math
import os
import threading
import time
from contextlib import ExitStack

import numpy as np

from stepscope.demo.network import Network
from stepscope.demo.pictures import TONE_RATE, confusion_table, decision_map, share_cloud, tone_of
from stepscope.demo.spirals import ARMS, Points, spirals
from stepscope.writer import SummaryWriter

LEARNING_RATES = (0.1, 0.01)
STEPS_PER_SECOND = 25

_WIDTHS = (2, 48, 48, ARMS)
_TRAINING_POINTS = 800
_VALIDATION_POINTS = 600
_BATCH = 64
_VALIDATE_EVERY = 20
_WARM_UP = 0.05
_SEED = 7
_LAYOUT = {
    "Learning": {"loss and accuracy": ["Multiline", ["loss", "accuracy"]]},
    "Gradients": {"norm of each layer": ["Multiline", ["gradient_norm/layer_.*"]]},
}


class Run:
    """One training with one learning rate: a folder with `train` and `validation` in it."""

    def __init__(self, folder: str, rate: float, steps: int, writers: ExitStack) -> None:
        """Both runs see the same data and begin with the same weights, so the learning rate is all they differ in."""
        random = np.random.default_rng(_SEED)
        self._training = spirals(_TRAINING_POINTS, random)
        self._validation = spirals(_VALIDATION_POINTS, random)
        self._network = Network(_WIDTHS, random)
        self._random = random
        self._rate = rate
        self._steps = steps
        name = os.path.join(folder, f"lr-{rate:g}")
        self._train = writers.enter_context(SummaryWriter(os.path.join(name, "train")))
        self._validate = writers.enter_context(SummaryWriter(os.path.join(name, "validation")))
        self._train.add_custom_scalars(_LAYOUT)

    def step(self, step: int) -> None:
        """Learns from one batch, and logs what that showed."""
        started = time.perf_counter()
        chosen = self._random.integers(0, _TRAINING_POINTS, _BATCH)
        outcome, gradients = self._network.gradients(Points(self._training.places[chosen], self._training.arms[chosen]))
        rate = scheduled(self._rate, step / self._steps)
        self._network.descend(gradients, rate)
        seconds = time.perf_counter() - started

        norms = [gradient.norm() for gradient in gradients]
        self._train.add_scalar("loss", outcome.loss, step)
        self._train.add_scalar("accuracy", outcome.accuracy, step)
        self._train.add_scalar("learning_rate", rate, step)
        self._train.add_scalar("step_time_ms", seconds * 1e3, step)
        self._train.add_scalar("gradient_norm/all_layers", math.hypot(*norms), step)
        for number, norm in enumerate(norms, start=1):
            self._train.add_scalar(f"gradient_norm/layer_{number}", norm, step)
        if step % _VALIDATE_EVERY == 0 or step == self._steps - 1:
            seen = self._network.evaluate(self._validation)
            self._validate.add_scalar("loss", seen.loss, step)
            self._validate.add_scalar("accuracy", seen.accuracy, step)
            shares = self._network.shares(self._validation.places)
            self._validate.add_image("decision", decision_map(self._network), step)
            self._validate.add_text("confusion", confusion_table(shares, self._validation.arms), step)
            self._validate.add_audio("loss_as_tone", tone_of(seen.loss), step, TONE_RATE)
            cloud, colours = share_cloud(self._validation.places, shares, self._validation.arms)
            self._validate.add_mesh("shares", cloud, colors=colours, global_step=step)
            for arm in range(ARMS):
                self._validate.add_pr_curve(f"precision_recall/arm_{arm + 1}", self._validation.arms == arm, shares[:, arm], step)
            for number, (layer, gradient) in enumerate(zip(self._network.layers, gradients, strict=True), start=1):
                self._train.add_histogram(f"weights/layer_{number}", layer.weight, step)
                self._train.add_histogram(f"gradients/layer_{number}", gradient.weight, step)


def scheduled(rate: float, done: float) -> float:
    """The learning rate after a share of the training: up in a line, then down along a cosine to a hundredth."""
    if done < _WARM_UP:
        return rate * (0.1 + 0.9 * done / _WARM_UP)
    return rate * (0.01 + 0.99 * (1 + math.cos(math.pi * (done - _WARM_UP) / (1 - _WARM_UP))) / 2)


def train(folder: str, seconds: float, stop: threading.Event) -> None:
    """Trains both runs in turn, step by step, spread evenly over the seconds; ends early when told to stop.

    The steps are spread because they take a fraction of a millisecond: at full speed there would be nothing to watch.
    """
    steps = max(_VALIDATE_EVERY, round(seconds * STEPS_PER_SECOND))
    with ExitStack() as writers:
        runs = [Run(folder, rate, steps, writers) for rate in LEARNING_RATES]
        began = time.monotonic()
        turns = steps * len(runs)
        for turn in range(turns):
            runs[turn % len(runs)].step(turn // len(runs))
            # A pause after every turn, not every round: else the first run alone would step with cold caches, and its
            # step time would seem to come from its learning rate.
            if stop.wait(max(0.0, began + seconds * (turn + 1) / turns - time.monotonic())):
                return
