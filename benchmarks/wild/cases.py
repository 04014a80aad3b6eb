"""The table: what each drawn file is, and what is to be said of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from wild import cause_files, device_files, rank_files, step_files, timeline_files, tpu_files


@dataclass(frozen=True)
class Case:
    """One drawn file and the truth about it; its sentence is that of the function that draws it."""

    draw: Callable[[Path], Path]
    family: str  # what marks its steps, as MarkerFamily calls it
    steps: int
    step_ms: float | None  # the median; None when it is not to be told
    device: str  # what computes
    cause: str  # what the headline names: a group of the breakdown, a cause of idle time, or "compute"
    first: str | None = None  # the rule of the first recommendation
    unknown: tuple[str, ...] = ()  # rules that must say that they cannot tell
    never: tuple[str, ...] = ()  # rules that must not fire

    @property
    def name(self) -> str:
        """As tests and the page call it."""
        return self.draw.__name__

    @property
    def truth(self) -> str:
        """What was drawn."""
        return (self.draw.__doc__ or "").strip()


CASES = (
    Case(step_files.graph_replay, "kernel_period", 8, 4.2, "GPU", "compute", unknown=("memory_growth",)),
    Case(step_files.one_replay, "window", 1, 12.9, "GPU", "compute"),
    Case(step_files.optimizer_marks, "loop_mark", 40, 10.0, "GPU", "input_wait", "input_bound"),
    Case(step_files.served_steps, "step_annotation", 10, 5.0, "GPU", "compute"),
    Case(step_files.vllm_steps, "step_annotation", 9, 8.0, "GPU", "host", "python_between_ops"),
    Case(step_files.annotated_iterations, "step_annotation", 6, 20.0, "GPU", "compute"),
    Case(step_files.ranges_of_nvtx, "step_annotation", 6, 12.0, "CPU", "nothing"),
    Case(step_files.numbered_spans, "step_num", 5, 30.0, "CPU", "nothing"),
    Case(
        step_files.layers_of_one_pass,
        "window",
        1,
        49.8,
        "GPU",
        "compute",
        "python_between_ops",
        unknown=("memory_growth", "slow_steps"),
    ),
    Case(step_files.periods_without_marks, "kernel_period", 5, 4.2, "GPU", "compute", unknown=("memory_growth", "slow_steps")),
    Case(
        device_files.launches_without_kernels,
        "profiler_step",
        6,
        20.0,
        "GPU",
        "unrecorded",
        unknown=("input_bound", "host_bound", "slow_operator", "device_idle"),
    ),
    Case(device_files.ascend, "profiler_step", 5, 30.0, "NPU", "compute", never=("input_bound",)),
    Case(device_files.mtia, "profiler_step", 4, 10.0, "MTIA", "stream_wait", "device_idle"),
    Case(device_files.unknown_accelerator, "step_annotation", 4, 25.0, "ZPU", "compute"),
    Case(tpu_files.tpu_server, "device_step", 100, 800.0, "TPU", "copy", "host_to_device_exposed"),
    Case(
        cause_files.one_off_start,
        "window",
        1,
        2065.0,
        "GPU",
        "startup",
        never=("allocator_churn", "host_bound", "device_idle", "slow_operator"),
    ),
    Case(
        cause_files.start_of_many_steps,
        "profiler_step",
        8,
        20.0,
        "GPU",
        "compute",
        never=("allocator_churn", "host_bound", "device_idle", "slow_operator", "slow_steps"),
    ),
    Case(cause_files.slow_first_launches, "profiler_step", 2, 272.5, "GPU", "startup", never=("host_bound", "device_idle")),
    Case(cause_files.waits_for_a_stream, "profiler_step", 6, 20.0, "GPU", "stream_wait", "device_idle", never=("host_bound",)),
    Case(rank_files.truncated_rank, "profiler_step", 6, 20.0, "GPU", "communication", unknown=("straggler",)),
    Case(rank_files.empty_rank, "profiler_step", 6, 20.0, "GPU", "communication", unknown=("straggler",)),
    Case(rank_files.slow_rank_of_a_stage, "profiler_step", 6, 53.0, "GPU", "communication", "straggler"),
    Case(rank_files.slow_last_stage, "profiler_step", 6, 58.0, "GPU", "untraced", "straggler"),
    Case(rank_files.long_sequences, "profiler_step", 6, 20.0, "GPU", "communication", never=("straggler",)),
    Case(rank_files.all_ranks_in_one_file, "profiler_step", 6, 53.0, "GPU", "communication", "straggler"),
    Case(rank_files.sends_in_one_group, "profiler_step", 6, 58.0, "GPU", "untraced", "straggler"),
    Case(rank_files.slow_expert_rank, "profiler_step", 6, 20.0, "GPU", "communication", "straggler"),
    Case(timeline_files.timeline_slow_rank, "step_num", 6, 39.0, "CPU", "untraced", "straggler"),
    Case(timeline_files.timeline_slow_stage, "step_num", 6, 39.0, "CPU", "untraced", "straggler"),
    Case(device_files.legacy_autograd, "window", 1, 100.1, "GPU", "compute"),
)
"""In the order of the page."""
