"""Runs the lines that the page advises for a framework, around a small training; arguments: framework, file with the lines."""
# pyright: reportMissingImports=false

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any


def stand_ins(framework: str) -> dict[str, Any]:
    """What the lines take for granted: a loader or batches, and one training step."""
    if framework == "PyTorch":
        import torch

        model = torch.nn.Linear(32, 32)
        batches = [torch.randn(64, 32) for _ in range(16)]
        return {"loader": batches, "batches": batches, "train": lambda batch: model(batch).sum().backward()}
    if framework == "JAX":
        import jax
        import jax.numpy as jnp

        step = jax.jit(lambda state, batch: state + batch @ batch)
        return {"state": jnp.ones((64, 64)), "batches": iter([jnp.ones((64, 64))] * 10), "train": step}
    import tensorflow as tf

    step = tf.function(lambda batch: tf.reduce_sum(batch @ batch))
    return {"batches": iter([tf.ones((64, 64))] * 10), "train": step}


exec(Path(sys.argv[2]).read_text(), stand_ins(sys.argv[1]))
print(json.dumps("done"))
