"""One training run of the demo, logged and profiled as a user would do it."""

from __future__ import annotations

import math
import os
import threading
import time
from dataclasses import asdict, dataclass

import numpy as np

from stepscope import SummaryWriter, SystemMonitor, hparams, new_run, profile, span, summary
from stepscope.demo.evaluation import Evaluation
from stepscope.demo.loader import DataLoader
from stepscope.demo.model_graph import write_graph
from stepscope.demo.network import Network, Parameters, accuracy, cross_entropy
from stepscope.demo.tones import NAMES, Tones

_PROFILE_AT = 155  # Until then a new loader process may share a core with the training.
_PROFILED_STEPS = 20
_CHECKPOINT_EVERY = 20
_EVALUATE_EVERY = 50
_TRAINING_TONES = 3_000
_WARM_UP = 0.05
_SEED = 7
_LAYOUT = {
    "Learning": {"Loss": ["Multiline", ["loss"]], "Gradient norm by layer": ["Multiline", ["gradient_norm/.*"]]},
    "Speed": {"Step time and input wait, in seconds": ["Multiline", ["step_time/.*"]]},
}
_ABOUT = """A convolutional network learns to recognise six timbres by the spectrogram of a short, noisy tone.

- **Charts**: the loss of training and validation. A learning rate that is too low learns slowly.
- **Media**: predictions, learned filters, the confusion matrix, and the tone with the worst prediction to listen to.
- **Profile**: `baseline` loads its data in the training loop. Its report estimates what a loader process would save;
  `loader-process` is the same training with one.
"""
_HPARAMS = (
    hparams.HParam("lr", hparams.RealInterval(1e-5, 1.0), "learning rate"),
    hparams.HParam("filters", hparams.IntInterval(1, 256)),
    hparams.HParam("workers", hparams.Discrete([0, 1]), "loader processes"),
)
_METRICS = (hparams.Metric("accuracy", "validation"), hparams.Metric("loss", "validation"))


@dataclass(frozen=True, slots=True)
class Settings:
    """What a run varies, and what it is called."""

    name: str
    lr: float
    filters: int
    workers: int
    """Processes that load data: 0 loads in the training loop."""
    batch_size: int = 32


def train(folder: str, settings: Settings, steps: int, evaluation: Evaluation, stop: threading.Event) -> None:
    """Trains one run in a new folder below `folder`.

    Raises KeyboardInterrupt when it is stopped, so that the run is marked as failed and not as finished.
    """
    network = Network(settings.filters, len(NAMES), _SEED)
    config = {**asdict(settings), "steps": steps, "seed": _SEED}
    with (
        new_run(folder, config, name=settings.name) as run,
        SystemMonitor(run.train, every=1.0),
        DataLoader(Tones(_TRAINING_TONES, _SEED), settings.batch_size, _SEED, workers=settings.workers) as loader,
        profile(os.path.join(run.log_dir, "train"), steps=profiled_steps(steps), framework="python", python=False) as profiled,
    ):
        run.train.add_custom_scalars(_LAYOUT)
        run.train.add_text("about", _ABOUT, 0)
        write_graph(os.path.join(run.log_dir, "train"), network)
        with summary.create_file_writer(run.log_dir).as_default():
            hparams.hparams_config(_HPARAMS, _METRICS)
        for step in range(steps):
            if stop.is_set():
                raise KeyboardInterrupt
            with profiled.step(step):
                gradients = _step(network, loader, scheduled(settings.lr, step / steps), run.train, step)
                if step % _CHECKPOINT_EVERY == 0:
                    with span("save_checkpoint"):
                        network.save(os.path.join(run.log_dir, "checkpoint.npz"))
            if step % _EVALUATE_EVERY == 0 or step == steps - 1:
                evaluation.log(run.validation, network, step)
                _log_histograms(run.train, network.parameters, gradients, step)
        evaluation.log_embedding(run.log_dir, network)


def _step(network: Network, loader: DataLoader, lr: float, writer: SummaryWriter, step: int) -> Parameters:
    """Learns from one batch, logs what that showed, and returns the gradients."""
    started = time.perf_counter()
    batch = next(loader)
    loaded = time.perf_counter()
    with span("forward"):
        seen = network.forward(batch.spectrograms)
    with span("backward"):
        gradients = network.backward(seen, batch.labels)
    with span("Optimizer.step#SGD.step"):
        network.descend(gradients, lr)
    ended = time.perf_counter()
    writer.add_scalar("loss", cross_entropy(seen.probabilities, batch.labels), step)
    writer.add_scalar("accuracy", accuracy(seen.probabilities, batch.labels), step)
    writer.add_scalar("learning_rate", lr, step)
    writer.add_scalar("step_time/total", ended - started, step)
    writer.add_scalar("step_time/input", loaded - started, step)
    for layer in ("conv", "hidden", "output"):
        writer.add_scalar(f"gradient_norm/{layer}", float(np.linalg.norm(gradients[f"{layer}/weight"])), step)
    return gradients


def _log_histograms(writer: SummaryWriter, parameters: Parameters, gradients: Parameters, step: int) -> None:
    for name in parameters:
        writer.add_histogram(f"weights/{name}", parameters[name], step)
        writer.add_histogram(f"gradients/{name}", gradients[name], step)


def profiled_steps(steps: int) -> range:
    """The steps that are profiled, early enough for a short run as well."""
    first = min(_PROFILE_AT, steps // 4)
    return range(first, first + _PROFILED_STEPS)


def scheduled(lr: float, done: float) -> float:
    """The learning rate after a share of the training: up in a line, then down along a cosine to a hundredth."""
    if done < _WARM_UP:
        return lr * (0.1 + 0.9 * done / _WARM_UP)
    return lr * (0.01 + 0.99 * (1 + math.cos(math.pi * (done - _WARM_UP) / (1 - _WARM_UP))) / 2)
