"""Run with the peers' Python: compiles functions with JAX and prints, as JSON, their HLO and JAX's own count of what they do."""
# pyright: reportMissingImports=false

from __future__ import annotations

import base64
import json
import os

os.environ["JAX_PLATFORMS"] = "cpu"

import jax
import jax.numpy as jnp
from jax import lax


def ones(*shape: int, dtype: object = jnp.float32) -> jax.Array:
    return jnp.ones(shape, dtype)


def convolve(**options: object):  # noqa: ANN201
    settings = {"window_strides": (1, 1), "padding": "SAME", "dimension_numbers": ("NHWC", "HWIO", "NHWC"), **options}
    return lambda x, k: lax.conv_general_dilated(x, k, **settings)


IMAGES, KERNEL = ones(4, 20, 20, 8), ones(3, 3, 8, 16)
CASES = {
    "dot": (lambda a, b: a @ b, (ones(64, 128), ones(128, 32))),
    "batched dot": (lambda a, b: jnp.einsum("bij,bjk->bik", a, b), (ones(5, 64, 32), ones(5, 32, 16))),
    "convolution": (convolve(), (IMAGES, KERNEL)),
    "strided convolution": (convolve(window_strides=(2, 3), padding="VALID"), (IMAGES, KERNEL)),
    "dilated convolution": (convolve(rhs_dilation=(2, 2)), (IMAGES, KERNEL)),
    "transposed convolution": (convolve(lhs_dilation=(2, 2), padding=((1, 1), (2, 2))), (IMAGES, KERNEL)),
    "grouped convolution": (convolve(feature_group_count=4), (IMAGES, ones(3, 3, 2, 16))),
    "elementwise": (lambda a: jnp.maximum(a * 2 + 1, 0) / 3, (ones(1000, 7),)),
    "transcendental": (lambda a: jnp.tanh(jnp.exp(a)), (ones(500, 3),)),
    "reduction": (lambda a: a.sum(axis=0), (ones(200, 30),)),
    "softmax": (lambda a: jax.nn.softmax(a, axis=-1), (ones(64, 100),)),
    "gradient": (jax.grad(lambda w, x: jnp.mean(jax.nn.relu(x @ w) ** 2)), (ones(32, 16), ones(8, 32))),
}


def counted(function: object, arguments: tuple[object, ...]) -> dict[str, object]:
    compiled = jax.jit(function).lower(*arguments).compile()
    module = compiled.runtime_executable().hlo_modules()[0].as_serialized_hlo_module_proto()
    cost = compiled.cost_analysis()
    cost = cost[0] if isinstance(cost, list) else cost
    return {
        "module": base64.b64encode(module).decode(),
        "text": compiled.as_text(),
        "flops": cost.get("flops", 0.0),
        "transcendentals": cost.get("transcendentals", 0.0),
        "bytes": cost.get("bytes accessed", 0.0),
    }


def loop(x: jax.Array) -> jax.Array:
    return lax.fori_loop(0, 7, lambda _, y: y @ y, x)


found = {name: counted(function, arguments) for name, (function, arguments) in CASES.items()}
found["loop"] = counted(loop, (ones(16, 16),))
print(json.dumps(found))
