"""Run with the peers' Python: compiles functions with JAX and prints, as JSON, their programs and JAX's own sums of their memory."""
# pyright: reportMissingImports=false

from __future__ import annotations

import base64
import json
import os

os.environ["JAX_PLATFORMS"] = "cpu"

import jax
import jax.numpy as jnp


def layers(w: jax.Array, x: jax.Array) -> jax.Array:
    for _ in range(3):
        x = jnp.tanh(x @ w)
    return x


SQUARE, ROWS = jnp.ones((256, 256)), jnp.ones((64, 256))
CASES = {
    "layers": (jax.jit(layers), (SQUARE, ROWS)),
    "gradient": (jax.jit(jax.grad(lambda w, x: layers(w, x).sum())), (SQUARE, ROWS)),
    "donated": (jax.jit(lambda w: w + 1, donate_argnums=0), (SQUARE,)),
    "sorted": (jax.jit(lambda x: jnp.sort(x, axis=0)), (ROWS,)),
}

answers = {}
for name, (function, arguments) in CASES.items():
    memory = function.lower(*arguments).compile().memory_analysis()
    answers[name] = {
        "argument": memory.argument_size_in_bytes,
        "output": memory.output_size_in_bytes,
        "alias": memory.alias_size_in_bytes,
        "temp": memory.temp_size_in_bytes,
        "assignment": base64.b64encode(memory.serialized_buffer_assignment_proto).decode(),
    }
print(json.dumps(answers))
