"""Trains with Flax and logs with JaxLogger; prints, as JSON, what was read back and how long the calls took."""
# pyright: reportMissingImports=false

import json
import sys
import time
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))

import flax.linen as nn
import jax
import jax.numpy as jnp
import numpy as np
import optax
from event_values import values_of
from flax import nnx
from flax.training.train_state import TrainState

from stepscope import SummaryWriter, SystemMonitor
from stepscope.integrations.jax import JaxLogger

TOP = Path(sys.argv[1])


def flax_training() -> Any:
    model = nn.Dense(3, name="top")
    x = jnp.ones((8, 4))
    state = TrainState.create(apply_fn=model.apply, params=model.init(jax.random.key(0), x), tx=optax.sgd(0.1))

    def step(state: Any, x: Any) -> Any:
        loss, gradients = jax.value_and_grad(lambda params: jnp.mean((state.apply_fn(params, x) - 1) ** 2))(state.params)
        return state.apply_gradients(grads=gradients), {"loss": loss, "half": {"loss": loss.astype(jnp.bfloat16)}}

    compiled = jax.jit(step, donate_argnums=0)  # the state's memory is used again, so that what was logged is gone from it
    kept: list[Any] = []
    loss_zero = jnp.float32(0)
    with SummaryWriter(TOP / "flax") as writer:
        logger = JaxLogger(writer)
        SystemMonitor(writer, step=lambda: logger.step)
        for number in range(3):
            logger.log_params(state, number)
            kept.append([float(jnp.min(state.params["params"]["kernel"])), float(jnp.max(state.params["params"]["kernel"]))])
            state, metrics = compiled(state, x)
            logger.log_metrics({**metrics, "lr": 0.1, "count": np.int64(number), "zero": loss_zero}, step=number)
            kept[-1].append(float(metrics["loss"]))
    return {"read": values_of(TOP / "flax"), "kept": kept, "step": logger.step}


def dispatch() -> Any:
    """A step of about half a second: logging its result must not wait for it."""
    slow = jax.jit(lambda x: jax.lax.fori_loop(0, 60, lambda _, y: jnp.sin(y @ y / 700 + 1), x).sum())
    x = jnp.ones((700, 700))
    slow(x).block_until_ready()
    began = time.perf_counter()
    slow(x).block_until_ready()
    whole = time.perf_counter() - began
    with SummaryWriter(TOP / "dispatch") as writer:
        logger = JaxLogger(writer)
        logger.log_metrics({"warm": jnp.float32(1)}, 0)
        result = slow(x)
        began = time.perf_counter()
        logger.log_metrics({"sum": result}, 1)
        called = time.perf_counter() - began
        ready = result.is_ready()
        expected = float(result)
    return {"whole": whole, "called": called, "ready": ready, "read": values_of(TOP / "dispatch"), "expected": expected}


def refused() -> list[str]:
    with SummaryWriter(TOP / "refused") as writer:
        logger = JaxLogger(writer)

        def inside(x: Any) -> Any:
            logger.log_metrics({"x": x}, 0)
            return x

        messages: list[str] = []
        for call in (lambda: jax.jit(inside)(1.0), lambda: logger.log_metrics({"a": {"b": jnp.ones((2, 3))}}, 0)):
            try:
                call()
            except TypeError as error:
                messages.append(str(error))
    return messages


def nnx_names() -> list[str]:
    model = nnx.Linear(2, 3, rngs=nnx.Rngs(0))
    with SummaryWriter(TOP / "nnx") as writer:
        JaxLogger(writer).log_params(nnx.state(model, nnx.Param), 0, prefix="weights")
    return sorted(values_of(TOP / "nnx"))


if __name__ == "__main__":
    print(json.dumps({"flax": flax_training(), "dispatch": dispatch(), "refused": refused(), "nnx": nnx_names()}))
