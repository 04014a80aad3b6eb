"""Profiles small programs with the real TensorFlow, torch and JAX, each in a folder; prints what only the frameworks know."""
# pyright: reportMissingImports=false, reportAttributeAccessIssue=false

from __future__ import annotations

import json
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


def torch_profiles(folder: Path) -> None:
    """Eager torch with and without memory."""
    import torch

    model, given = torch.nn.Linear(64, 64), torch.zeros(8, 64)
    for name, memory in {"memory": True, "plain": False}.items():
        with torch.profiler.profile(profile_memory=memory) as profiler:
            model(given).sum().backward()
        (folder / name).mkdir(parents=True)
        profiler.export_chrome_trace(str(folder / name / "trace.pt.trace.json"))


def jax_profile(folder: Path) -> None:
    """A jitted function."""
    import jax
    import jax.numpy as jnp

    step = jax.jit(lambda x: jnp.tanh(x @ x).sum())
    x = jnp.ones((64, 64))
    step(x).block_until_ready()
    with jax.profiler.trace(str(folder)):
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
    torch_profiles(folder / "torch")
    jax_profile(folder / "jax")
    print(json.dumps({"custom_operator": library is not None}))


main()
