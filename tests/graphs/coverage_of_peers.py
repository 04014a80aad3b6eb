"""Profiles small programs with the real TensorFlow, torch and JAX, each in a folder; prints what only the frameworks know."""
# pyright: reportMissingImports=false, reportAttributeAccessIssue=false

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

CUSTOM_OP = """
#include "tensorflow/core/framework/op.h"
#include "tensorflow/core/framework/op_kernel.h"
using namespace tensorflow;
REGISTER_OP("StepscopeTwice").Input("x: float").Output("y: float");
class TwiceOp : public OpKernel {
 public:
  explicit TwiceOp(OpKernelConstruction* context) : OpKernel(context) {}
  void Compute(OpKernelContext* context) override {
    const Tensor& x = context->input(0);
    Tensor* y = nullptr;
    OP_REQUIRES_OK(context, context->allocate_output(0, x.shape(), &y));
    for (int64_t i = 0; i < x.NumElements(); ++i) y->flat<float>()(i) = 2 * x.flat<float>()(i);
  }
};
REGISTER_KERNEL_BUILDER(Name("StepscopeTwice").Device(DEVICE_CPU), TwiceOp);
"""


def constant_graph(folder: Path, partitions: bool) -> None:
    """Two constants that are added, as in TensorFlow 1's tutorials, traced with FULL_TRACE."""
    import tensorflow as tf

    v1 = tf.compat.v1
    with tf.Graph().as_default() as graph, v1.Session() as session:
        a = tf.constant([1.0, 2.0, 3.0], name="a")
        b = tf.constant([4.0, 5.0, 6.0], name="b")
        c = a + b
        session.run(c)
        metadata = v1.RunMetadata()
        options = v1.RunOptions(trace_level=v1.RunOptions.FULL_TRACE, output_partition_graphs=partitions)
        session.run(c, options=options, run_metadata=metadata)
        writer = v1.summary.FileWriter(str(folder), graph=graph)
        writer.add_run_metadata(metadata, "run_1")
        writer.close()


def python_and_custom(folder: Path, library: Path | None) -> None:
    """A graph with a Python function and, when it could be compiled, an operator of our own."""
    import tensorflow as tf

    v1 = tf.compat.v1
    with tf.Graph().as_default() as graph, v1.Session() as session:
        x = v1.placeholder(tf.float32, [None], name="given")
        y = v1.py_func(lambda value: value + 1, [x], tf.float32, name="in_python")
        if library is not None:
            y = tf.load_op_library(str(library)).stepscope_twice(x=y, name="own_op")
        z = tf.reduce_sum(y, name="total")
        metadata = v1.RunMetadata()
        options = v1.RunOptions(trace_level=v1.RunOptions.FULL_TRACE, output_partition_graphs=True)
        session.run(z, {x: [1.0] * 1000}, options=options, run_metadata=metadata)
        writer = v1.summary.FileWriter(str(folder), graph=graph)
        writer.add_run_metadata(metadata, "run")
        writer.close()


def compiled_operator(folder: Path) -> Path | None:
    """Our operator as a library; None where TensorFlow's headers or a compiler are missing."""
    import tensorflow as tf

    source, library = folder / "twice.cc", folder / "twice.so"
    source.write_text(CUSTOM_OP)
    flags = [*tf.sysconfig.get_compile_flags(), *tf.sysconfig.get_link_flags()]
    command = ["g++", "-std=c++17", "-O0", "-shared", "-fPIC", str(source), "-o", str(library), *flags]
    made = subprocess.run(command, capture_output=True, text=True, check=False)
    return library if made.returncode == 0 else None


def eager(folder: Path) -> None:
    """Eager code whose only addition ran before the profiler was started."""
    import tensorflow as tf

    a, b = tf.constant([1.0, 2.0, 3.0]), tf.constant([4.0, 5.0, 6.0])
    c = a + b
    tf.profiler.experimental.start(str(folder / "before"))
    c.numpy()
    tf.profiler.experimental.stop()
    tf.profiler.experimental.start(str(folder / "inside"))
    (a + b).numpy()
    tf.profiler.experimental.stop()


def function(folder: Path, compiled: bool) -> None:
    """A tf.function that doubles its input, run by the executor or compiled by XLA."""
    import tensorflow as tf

    @tf.function(jit_compile=compiled)
    def doubled(x: Any) -> Any:
        return tf.reduce_sum(x * 2.0 + 1.0)

    x = tf.random.uniform((512, 512))
    doubled(x)
    tf.profiler.experimental.start(str(folder))
    doubled(x).numpy()
    tf.profiler.experimental.stop()


def eager_graph(folder: Path) -> None:
    """A run that has logged the graph of a tf.function, with a profile of eager code that computes the same."""
    import tensorflow as tf

    def summed(x: Any) -> Any:
        return tf.reduce_sum(tf.nn.relu(tf.matmul(x, x)))

    x = tf.random.uniform((64, 64))
    writer = tf.summary.create_file_writer(str(folder))
    with writer.as_default():
        tf.summary.graph(tf.function(summed).get_concrete_function(x).graph)
    writer.close()
    summed(x)
    tf.profiler.experimental.start(str(folder))
    summed(x).numpy()
    summed(x).numpy()
    tf.profiler.experimental.stop()


def torch_profiles(folder: Path) -> None:
    """Eager torch with and without memory."""
    import torch

    model, given = torch.nn.Linear(64, 64), torch.zeros(8, 64)
    for name, memory in {"memory": True, "plain": False}.items():
        with torch.profiler.profile(profile_memory=memory) as profiler:
            model(given).sum().backward()
        (folder / name).mkdir(parents=True)
        profiler.export_chrome_trace(str(folder / name / "trace.pt.trace.json"))


def torch_compiled(folder: Path) -> None:
    """A model that torch.compile has compiled."""
    import torch

    model, given = torch.nn.Sequential(torch.nn.Linear(64, 64), torch.nn.ReLU()), torch.zeros(8, 64)
    compiled = torch.compile(model)
    compiled(given).sum().backward()
    with torch.profiler.profile() as profiler:
        compiled(given).sum().backward()
    folder.mkdir(parents=True)
    profiler.export_chrome_trace(str(folder / "trace.pt.trace.json"))


TWO_RANKS = """
import os, sys, torch, torch.distributed as distributed
rank, folder = int(os.environ["RANK"]), sys.argv[1]
distributed.init_process_group("gloo")
model = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(64, 64))
given = torch.ones(8, 64)
model(given).sum().backward()
write = torch.profiler.tensorboard_trace_handler(folder, worker_name=f"rank{rank}")
with torch.profiler.profile(profile_memory=True, on_trace_ready=write):
    model(given).sum().backward()
distributed.destroy_process_group()
"""


def two_processes(folder: Path) -> None:
    """Data-parallel training of two processes, and a second folder that has the profile of the first alone."""
    both, alone = folder / "both", folder / "alone"
    both.mkdir(parents=True)
    alone.mkdir()
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    shared = {**os.environ, "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(port), "WORLD_SIZE": "2"}
    command = [sys.executable, "-c", TWO_RANKS, str(both)]
    ranks = [subprocess.Popen(command, env={**shared, "RANK": str(rank)}) for rank in range(2)]
    if any(rank.wait(timeout=300) for rank in ranks):
        raise RuntimeError("a rank has failed")
    shutil.copy(next(both.glob("rank0.*")), alone)


def jax_profile(folder: Path, level: int | None = None) -> None:
    """A jitted function."""
    import jax
    import jax.numpy as jnp

    @jax.jit
    def step(x: Any) -> Any:
        return jnp.tanh(x @ x).sum()

    x = jnp.ones((64, 64))
    step(x).block_until_ready()
    options = jax.profiler.ProfileOptions()
    if level is not None:
        options.host_tracer_level = level
    with jax.profiler.trace(str(folder), profiler_options=options):
        step(x).block_until_ready()


def main() -> None:
    """Everything below the folder that is given."""
    folder = Path(sys.argv[1])
    library = compiled_operator(folder)
    constant_graph(folder / "constants", partitions=False)
    constant_graph(folder / "constants_partitions", partitions=True)
    python_and_custom(folder / "python_and_custom", library)
    eager(folder / "eager")
    function(folder / "function", compiled=False)
    function(folder / "xla", compiled=True)
    eager_graph(folder / "eager_graph")
    torch_profiles(folder / "torch")
    torch_compiled(folder / "torch_compiled")
    two_processes(folder / "two_processes")
    jax_profile(folder / "jax")
    jax_profile(folder / "jax_low", level=0)
    print(json.dumps({"custom_operator": library is not None}))


main()
