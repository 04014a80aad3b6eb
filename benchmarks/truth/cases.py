"""The pairs that are run: which cause was put in, which rules name it, and which lever takes it away."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Case:
    """One pair of trainings."""

    name: str
    framework: str  # the file in_<framework>.py that runs it
    cause: str
    rules: tuple[str, ...]  # any of them names the cause
    lever: str = ""  # as `stepscope profile whatif` takes it, or of rule_levers.py; "" when no time is promised
    refused: str = ""  # a lever that must be refused instead
    untold: bool = False  # no recording of this framework shows the cause: the rules must say so, and none may name another


TF_DATA = ("input_bound", "stage_not_parallel")
"""The second names the stage of which the first speaks in general."""

CASES = (
    Case("torch_busy_input", "torch", "input that computes", ("input_bound",), "input=0"),
    Case("torch_sleeping_input", "torch", "input that waits", ("input_bound",), "input=0"),
    Case("torch_one_worker", "torch", "input that computes, moved to a worker", ("input_bound",), "workers=1"),
    Case("torch_slow_worker", "torch", "input that waits longer than the step, moved to a worker", ("input_bound",), "workers=1"),
    Case("torch_python_loop", "torch", "Python in the loop", ("python_between_ops",), "python=0"),
    Case("torch_small_operations", "torch", "3,000 small operations", ("host_bound", "eager_loop"), "launches=0"),
    Case("torch_optimizer_loop", "torch", "an optimizer that loops", ("unfused_optimizer", "host_bound"), "launches=0"),
    Case("torch_recompilation", "torch", "a shape that changes", ("recompile",), "compile=0"),
    Case("torch_leak", "torch", "a leak of 1 MiB a step", ("memory_growth",)),
    Case("torch_checkpoint", "torch", "a checkpoint in every step", ("checkpoint_blocking",), "io=0"),
    Case("torch_async_checkpoint", "torch", "a checkpoint in every step, written by a thread", ("checkpoint_blocking",), "checkpoint"),
    Case("torch_straggler", "gloo", "one rank of two that sleeps", ("straggler",), "straggler=0"),
    Case("torch_small_messages", "gloo", "60 messages of 4 KiB a step", ("small_messages", "communication_exposed"), "messages"),
    Case("torch_two_workers", "torch", "two workers on two busy cores", ("input_bound",), refused="workers=2"),
    Case("tensorflow_python_input", "tensorflow", "input in Python", TF_DATA, "input=0"),
    Case("tensorflow_busy_input", "tensorflow", "input that computes", TF_DATA, "input=0"),
    Case("tensorflow_sleeping_input", "tensorflow", "input that waits", TF_DATA, "input=0"),
    Case("tensorflow_prefetch", "tensorflow", "input that waits, loaded ahead", TF_DATA, "prefetch"),
    Case("tensorflow_retracing", "tensorflow", "a new Python number each time", ("recompile",), "compile=0"),
    Case("tensorflow_eager", "tensorflow", "400 operations run eagerly", ("host_bound", "eager_loop"), "launches=0"),
    Case("tensorflow_checkpoint", "tensorflow", "a checkpoint in every step", ("checkpoint_blocking",), "io=0"),
    Case(
        "tensorflow_async_checkpoint",
        "tensorflow",
        "a checkpoint in every step, written beside the next",
        ("checkpoint_blocking",),
        "checkpoint",
    ),
    Case("tensorflow_python_loop", "tensorflow", "Python in the loop", ("python_between_ops",), untold=True),
    Case("jax_sync", "jax", "a loss that is read inside the step", ("sync_inside_step",), "sync=0"),
    Case("jax_recompilation", "jax", "a shape that changes", ("recompile",), "compile=0"),
    Case("jax_eager", "jax", "300 operations run one by one", ("host_bound", "eager_loop"), "launches=0"),
    Case("jax_small_calls", "jax", "300 calls of a small compiled function", ("host_bound", "eager_loop"), "launches=0"),
    Case("jax_uncompiled_step", "jax", "a step that is not compiled", ("host_bound", "eager_loop"), "launches=0"),
    Case("jax_python_loop", "jax", "Python in the loop", ("python_between_ops",), "python=0"),
)
"""In the order of the page. What is named first, and what a step would take, is judged by judging.py."""
