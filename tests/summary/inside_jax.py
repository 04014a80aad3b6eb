"""Logs from inside jax.jit and JAX's other transformations, and prints, as JSON, what is read back; runs with the peers' Python."""
# pyright: reportMissingImports=false

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

import stepscope
from stepscope import SummaryWriter, summary
from stepscope._native import EventFile, NamePool

traces: list[str] = []


@jax.jit
def train_step(x: Any, step: Any) -> Any:
    traces.append("train_step")
    total = x.sum()
    summary.scalar("loss", total, step)
    summary.scalar("constant", 1.5, step)
    summary.scalar("constant step", 1.5, 7)
    summary.scalar("bfloat16", total.astype(jnp.bfloat16), step)
    summary.histogram("values", x, step)
    summary.text("text", "said", step)
    summary.image("image", x.reshape(1, 1, 3, 1) / 10, step)
    summary.log({"log": {"sum": total, "values": x}, "number": 2}, step)
    with stepscope.record_if(stepscope.every(2)):
        summary.scalar("every second", total, step)
    with stepscope.record_if(lambda: total > 10.0):
        summary.scalar("above ten", total, step)
    with stepscope.record_if(False):
        summary.scalar("never", total, step)
    return x * 2


def transformed() -> None:
    """Every transformation, with and without jit."""

    def body(carry: Any, index: Any) -> Any:
        summary.scalar("scan", carry, index)
        return carry + 1.0, carry

    jax.lax.scan(body, 0.0, jnp.arange(4))
    jax.jit(lambda: jax.lax.scan(body, 10.0, jnp.arange(4)))()

    def square(x: Any) -> Any:
        summary.scalar("differentiated", x, 1)
        return x * x

    slopes = [jax.grad(square)(3.0), jax.jit(jax.grad(square))(4.0), jax.jit(jax.value_and_grad(square))(5.0)[1]]
    assert [float(slope) for slope in slopes] == [6.0, 8.0, 10.0]

    def member(x: Any) -> Any:
        with stepscope.record_if(x > 1.0):
            summary.scalar("batch above one", x, 2)
        summary.scalar("batch", x, 1)
        return x

    jax.vmap(member)(jnp.arange(3.0))
    jax.jit(jax.vmap(member))(jnp.arange(3.0))

    def forward(index: Any) -> Any:
        summary.scalar("while", index * 1.0, index)
        return index + 1

    jax.jit(lambda: jax.lax.while_loop(lambda index: index < 3, forward, 0))()

    def branch(x: Any) -> Any:
        summary.scalar("branch", x, 1)
        return x

    for value in (1.0, -1.0):
        jax.jit(lambda x: jax.lax.cond(x > 0, branch, lambda x: x, x))(value)


def refused() -> list[str]:
    said: list[str] = []
    for wrong in (lambda x: summary.scalar("a", x, 1), lambda x: summary.image("a", x, 1), lambda x: summary.scalar("a", x[0])):
        try:
            jax.jit(wrong)(jnp.ones(3))
        except ValueError as error:
            said.append(str(error))
    return said


def known_when_traced(folder: Path) -> list[float]:
    """The sums of an array that is no part of the compiled code, and changes after it was traced."""
    mutable = np.array([1.0, 2.0])
    with SummaryWriter(folder) as writer:
        function = jax.jit(lambda step: writer.add_histogram("known", mutable, step))
        function(0)
        mutable[:] = 100.0
        function(1)
    accumulator = EventAccumulator(str(folder), size_guidance={"histograms": 0})
    accumulator.Reload()
    return [event.histogram_value.sum for event in accumulator.Histograms("known")]


def of_the_writer(folder: Path) -> None:
    """SummaryWriter's methods inside jit."""
    with SummaryWriter(folder) as writer:

        @jax.jit
        def step_of(x: Any, step: Any) -> Any:
            writer.add_scalar("loss", x.sum(), step)
            writer.add_scalar("constant", 1.5, 3)
            writer.add_histogram("values", x, step)
            writer.add_scalars("parts", {"sum": x.sum(), "first": x[0]}, step)
            with stepscope.record_if(stepscope.every(2)):
                writer.add_scalar("every second", x.sum(), global_step=step)
            return x

        for step in range(4):
            step_of(jnp.full(3, float(step)), step)


def read(folder: Path) -> dict[str, Any]:
    """Of every tag: step and value of scalars, and only the step of anything else."""
    names, found = NamePool(), {}
    for path in sorted(folder.glob("*tfevents*")):
        events = EventFile(str(path), names)
        events.scan()
        for index, (tag, kind) in enumerate(zip(events.tag_ids(), events.kinds(), strict=True)):
            columns = events.scalars(index) if kind == 0 else events.blobs(index)
            steps = columns[0].tolist()
            found[names.name(int(tag)).decode()] = list(zip(steps, columns[2].tolist(), strict=True)) if kind == 0 else steps
    return found


if __name__ == "__main__":
    top = Path(sys.argv[1])
    if len(sys.argv) > 2:  # A process that ends without closing or flushing anything.
        summary.create_file_writer(top).set_as_default()
        for step in range(30):
            train_step(jnp.array([1.0, 2.0, float(step)]), step)
        sys.exit()
    writer = summary.create_file_writer(top / "run")
    with writer.as_default():
        for step in range(12):
            train_step(jnp.array([1.0, 2.0, float(step)]), step)
        transformed()
        jax.jit(lambda x: summary.histogram("large", x, 0))(jnp.ones((2000, 1000)))
        said = refused()
    writer.flush()
    flushed = read(top / "run")
    writer.close()
    of_the_writer(top / "writer")
    subprocess.run([sys.executable, __file__, str(top / "ended"), "end"], check=True)
    report = {"run": flushed, "writer": read(top / "writer"), "line": read(top / "writer" / "parts_first")}
    print(
        json.dumps(
            {**report, "ended": read(top / "ended"), "known": known_when_traced(top / "known"), "traces": len(traces), "said": said}
        )
    )
