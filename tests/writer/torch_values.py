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
        writer.add_scalar("jax", jnp.array(1.5), 1)
        writer.add_scalar("tensorflow", tf.constant(1.5), 1)
        writer.add_scalar("variable", tf.Variable(tf.constant(1.5)), tf.constant(4, tf.int64))
