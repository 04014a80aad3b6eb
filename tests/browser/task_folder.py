"""The folder in which the guide's comparison with TensorBoard was made: 118 runs of every kind that people have in one place."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from browser.sample_profiles import write_trace
from log_folder import START
from stepscope.writer import SummaryWriter

PROFILES = 37
EVALUATIONS = 35
SWEEP = 30
DIVERGED = 17
EXPERIMENTS = 12
SEEDS = 3
BAD_SEED = 2
NAN_FROM = 150
HOUR = 3600.0

Curve = Callable[[int], float]


def write_task_folder(folder: Path) -> Path:
    """Writes all of it; the same values at every call."""
    noise = np.random.default_rng(0)
    _write_training(folder, noise)
    for place in range(PROFILES):
        write_trace(folder / "profiles" / f"host{place:02}", steps=1, written=int(1000 * (START - HOUR - 60 * place)))
    for place in range(EVALUATIONS):
        curves: dict[str, Curve] = {
            "eval/accuracy": lambda step, place=place: 0.5 + place / 80 + 0.001 * step,
            "eval/f1": lambda _, place=place: 0.4 + place / 80,
        }
        _write(folder / "eval" / f"ckpt-{place:03}", START - 24 * HOUR + 600 * place, 3, curves)
    for place in range(SWEEP):
        _write_of_sweep(folder, place, noise)
    for place in range(EXPERIMENTS):
        for role, above in (("train", 0.0), ("validation", 0.25)):
            curves = {
                "loss": lambda step, place=place, above=above: 1.5 * math.exp(-step / 40) + above + 0.05 * place,
                "epoch": lambda step: step // 20,
            }
            _write(folder / "exp" / f"model{place:02}" / role, START - 5 * HOUR + 120 * place, 120, curves)
    for seed in range(SEEDS):
        settings = {"lr": 3e-4, "model": "gpt", "seed": seed}
        curves = {"loss": lambda step, seed=seed: _seed_loss(seed, step), "grad_norm": lambda step: 1 + step % 7 / 10}
        _write(folder / f"gpt-seed{seed}", START - 2 * HOUR + seed, 300, curves, settings=settings, media=True)
    return folder


def _write_training(folder: Path, noise: np.random.Generator) -> None:
    """Two days before all others, with a profile of its own."""
    curves: dict[str, Curve] = {
        "loss": lambda step: 3 * math.exp(-step / 400) + 0.3 + float(noise.normal(0, 0.02)),
        "accuracy": lambda step: 1 - math.exp(-step / 400),
        "lr": lambda step: 1e-3 * (1 - step / 2000),
    }
    _write(folder / "bert-base", START - 48 * HOUR, 2000, curves, gap=10, media=True)
    write_trace(folder / "bert-base", written=int(1000 * (START - 47 * HOUR)))


def _write_of_sweep(folder: Path, place: int, noise: np.random.Generator) -> None:
    rate = 10 ** (-4 + place / 10)
    model = "resnet50" if place % 2 else "vit"

    def loss(step: int) -> float:
        if place == DIVERGED:
            return 2 + 1e6 * (step / 200) ** 4
        return 2 * math.exp(-step / 60) + 0.1 + 0.01 * place + float(noise.normal(0, 0.02))

    settings = {"lr": rate, "model": model, "batch": 32 * (1 + place % 3), "seed": place % 3}
    curves = {"loss": loss, "train/step_time": lambda step: 0.1 + step % 5 / 100}
    _write(folder / "sweep" / f"lr{rate:.1e}-{model}", START - 10 * HOUR + 300 * place, 200, curves, settings=settings, media=place < 2)


def _seed_loss(seed: int, step: int) -> float:
    return math.nan if seed == BAD_SEED and step >= NAN_FROM else 4 * math.exp(-step / 100) + 0.1 * seed


def _write(
    run: Path,
    start: float,
    steps: int,
    curves: Mapping[str, Curve],
    *,
    gap: float = 1.0,
    settings: Mapping[str, Any] | None = None,
    media: bool = False,
) -> None:
    """One run, which looks as if it had ended long ago."""
    with SummaryWriter(run) as writer:
        if settings is not None:
            writer.log_config(settings)
        for step in range(steps):
            for tag, curve in curves.items():
                writer.add_scalar(tag, curve(step), step, walltime=start + gap * step)
        for step in (0, 50, 100, 150) if media else ():
            writer.add_image("samples/pred", np.full((3, 48, 48), step, np.uint8), step, walltime=start + step)
            writer.add_text("notes/output", f"step {step}: the cat sat on\nline {step % 3}", step, walltime=start + step)
            writer.add_histogram("weights/fc", np.linspace(-1 - step / 100, 1 + step / 100, 1000), step, walltime=start + step)
    for path in run.iterdir():
        os.utime(path, (start + gap * steps, start + gap * steps))
