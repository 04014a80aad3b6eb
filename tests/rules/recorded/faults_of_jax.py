"""Records small trainings of JAX with one fault each into folders of the given one. Run with the peers' Python."""

# pyright: reportMissingImports=false, reportArgumentType=false
from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import jax
import jax.numpy as jnp

STEPS = 8


def record(path: Path, step: Callable[[], object]) -> None:
    """Steps after two of warm-up."""
    for _ in range(2):
        step()
    options = jax.profiler.ProfileOptions()
    options.python_tracer_level = 0
    jax.profiler.start_trace(str(path), profiler_options=options)
    for number in range(STEPS):
        with jax.profiler.StepTraceAnnotation("train", step_num=number):
            step()
    jax.profiler.stop_trace()


def chain(values: jax.Array) -> jax.Array:
    for _ in range(60):
        values = values * 0.5 + 1.0
    return values.sum()


def main(folder: Path) -> None:
    ones = jnp.ones((8, 8))
    record(folder / "eager", lambda: float(chain(ones)))
    compiled = jax.jit(chain)
    record(folder / "compiled", lambda: float(compiled(ones)))
    print("{}")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
