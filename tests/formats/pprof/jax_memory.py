"""Run with the peers' Python: holds one large array and saves JAX's memory profile."""
# pyright: reportMissingImports=false

from __future__ import annotations

import json
import sys
from pathlib import Path

import jax
import jax.numpy as jnp


def make_the_large_one() -> jax.Array:
    """4,000,004 bytes, which nothing else in the process has."""
    return jnp.ones(1_000_001, jnp.float32).block_until_ready()


held = make_the_large_one()
jax.profiler.save_device_memory_profile(str(Path(sys.argv[1]) / "memory.prof"))
print(json.dumps({"bytes": held.nbytes, "device": str(next(iter(held.devices())))}))
