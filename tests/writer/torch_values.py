"""Logs values of torch, JAX and TensorFlow with our writer; runs with the peers' Python, which also imports Stepscope."""
# pyright: reportMissingImports=false

import sys

import jax.numpy as jnp
import tensorflow as tf
import torch

from stepscope.writer import SummaryWriter

if __name__ == "__main__":
    with SummaryWriter(sys.argv[1]) as writer:
        changing = torch.tensor([0.5], requires_grad=True)
        writer.add_scalar("torch", changing, torch.tensor(1))
        with torch.no_grad():
            changing[0] = 2.0
        writer.add_scalar("torch", changing.sum() * 2, 2)
        writer.add_scalar("torch", torch.tensor(1.5, dtype=torch.bfloat16), 3)
        writer.add_scalar("torch", torch.tensor(1.5).to(torch.float8_e5m2), 4)
        writer.add_scalar("jax", jnp.array(1.5), 1)
        writer.add_scalar("jax", jnp.array([1.5], jnp.bfloat16), jnp.array(2))
        writer.add_scalar("jax", jnp.array(1.5, jnp.float8_e4m3fn), 3)
        writer.add_scalar("jax", jnp.array(float("inf"), jnp.bfloat16), 4)
        writer.add_scalar("tensorflow", tf.constant(1.5), 1)
        writer.add_scalar("tensorflow", tf.constant(1.5, tf.bfloat16), 2)
        writer.add_scalar("tensorflow", tf.constant([1.5]), 3)
        writer.add_scalar("tensorflow", tf.constant(float("-inf")), 4)
        writer.add_scalar("variable", tf.Variable(tf.constant(1.5)), tf.constant(4, tf.int64))
