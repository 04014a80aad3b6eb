"""Runs the lines that the page advises for epochs and requests, in one framework each; argument: a JSON file of what to run."""
# pyright: reportMissingImports=false

from __future__ import annotations

import json
import sys
import time
from pathlib import Path
from typing import Any


def torch_names(folder: str) -> tuple[dict[str, Any], Any]:
    """The names that the lines use, and what ends the recording."""
    import torch

    model = torch.nn.Linear(64, 64)
    profiler = torch.profiler.profile(
        activities=[torch.profiler.ProfilerActivity.CPU],
        schedule=torch.profiler.schedule(wait=0, warmup=0, active=100),
        on_trace_ready=torch.profiler.tensorboard_trace_handler(folder),
    )
    profiler.start()
    loader = [torch.randn(64, 64) for _ in range(4)]
    work = lambda *_: model(loader[0]).sum()  # noqa: E731 (the stand-in for a training step, a validation and an answer)
    return {"torch": torch, "profiler": profiler, "loader": loader, "train": work, "answer": work}, profiler.stop


def jax_names(folder: str) -> tuple[dict[str, Any], Any]:
    """As above."""
    import jax
    import jax.numpy as jnp

    batch = jnp.ones((64, 64))
    compiled = jax.jit(lambda x: x @ x)
    work = lambda *_: compiled(batch).block_until_ready()  # noqa: E731
    work()
    jax.profiler.start_trace(folder)
    return {"jax": jax, "loader": [batch] * 4, "train": work, "answer": work}, jax.profiler.stop_trace


def tensorflow_names(folder: str) -> tuple[dict[str, Any], Any]:
    """As above."""
    import tensorflow as tf

    batch = tf.ones((64, 64))
    compiled = tf.function(lambda x: x @ x)
    work = lambda *_: compiled(batch).numpy()  # noqa: E731
    work()
    tf.profiler.experimental.start(folder)
    return {"tf": tf, "loader": [batch] * 4, "train": work, "answer": work}, tf.profiler.experimental.stop


FRAMEWORKS = {"PyTorch": torch_names, "JAX": jax_names, "TensorFlow": tensorflow_names}

for framework, folder, lines in json.loads(Path(sys.argv[1]).read_text()):
    names, stop = FRAMEWORKS[framework](folder)
    names |= {"epochs": 2, "step": 0, "validate": lambda: time.sleep(0.005), "question": None}
    exec(lines, names)
    stop()
print(json.dumps("done"))
