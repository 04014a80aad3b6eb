"""Trains a few steps with one framework and captures them with something recorded beside: marked operations, or Python samples."""
# pyright: reportMissingImports=false

import ctypes
import json
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np

import stepscope

FRAMEWORK, FOLDER, WHAT = sys.argv[1:4]
X = np.random.default_rng(1).normal(size=(64, 64)).astype("float32")


def work() -> Callable[[], object]:
    if FRAMEWORK == "torch":
        import torch

        data = torch.from_numpy(X)
        return lambda: data @ data
    if FRAMEWORK == "tensorflow":
        import tensorflow as tf

        return lambda: tf.matmul(X, X)
    import jax

    product = jax.jit(lambda x: x @ x)
    return lambda: product(X).block_until_ready()


def slow_python() -> None:
    """A tenth of a second that no framework sees."""
    until = time.perf_counter() + 0.1
    while time.perf_counter() < until:
        pass


class Slow:
    """A data set whose items take Python some time."""

    def __len__(self) -> int:
        return 24

    def __getitem__(self, index: int) -> Any:
        return self.slow_item(index)

    def slow_item(self, index: int) -> Any:
        until = time.perf_counter() + 0.02
        while time.perf_counter() < until:
            pass
        return X[index]


def batches(start: str) -> Any:
    """From two worker processes of a real DataLoader."""
    from torch.utils.data import DataLoader

    begins = {} if start == "fork" else {"worker_init_fn": stepscope.sample_worker}
    return DataLoader(Slow(), batch_size=2, num_workers=2, multiprocessing_context=start, **begins)  # pyright: ignore[reportArgumentType]


if __name__ == "__main__":
    step = work()
    step()
    if WHAT == "ops":
        library = ctypes.CDLL(sys.argv[4])
        with stepscope.profile(FOLDER, steps="1-3", framework=FRAMEWORK) as profile:
            for number in range(5):
                with profile.step(number):
                    step()
                    library.outer()
    elif WHAT == "samples":
        with stepscope.profile(FOLDER, steps="1-3", framework=FRAMEWORK, python=True) as profile:
            for number in range(5):
                with profile.step(number):
                    step()
                    slow_python()
    else:
        with stepscope.profile(FOLDER, steps="1-9", framework=FRAMEWORK, python=True) as profile:
            for number, _ in enumerate(batches(WHAT)):
                with profile.step(number):
                    step()
    print(json.dumps(profile.sessions))
