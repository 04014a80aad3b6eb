"""Every rule, in the order in which they are looked at; of equal gains the earlier comes first."""

from __future__ import annotations

from stepscope.model.registry import member
from stepscope.rules.rule import Rule

_NAMES = (
    "input_bound",
    "host_bound",
    "sync_inside_step",
    "communication_exposed",
    "straggler",
    "recompile",
    "host_to_device_exposed",
    "matrix_units_unused",
    "slow_steps",
    "memory_growth",
    "python_between_ops",
    "cores_exhausted",
    "allocator_churn",
    "device_to_host_exposed",
    "layout_round_trips",
    "recomputation",
    "duplicate_work",
    "wrong_device",
    "data_parallel",
    "stage_not_parallel",
    "small_messages",
    "host_collectives",
    "memory_fragmented",
    "near_memory_limit",
    "checkpoint_blocking",
    "garbage_collection",
    "shuffle_filling",
    "eager_loop",
    "many_small_kernels",
    "unfused_optimizer",
    "slow_operator",
    "queue_wait",
    "device_idle",
)

ALL_RULES: tuple[Rule, ...] = tuple(member(f"stepscope.rules.{name}", "RULE", Rule) for name in _NAMES)
