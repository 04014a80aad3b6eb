"""Every rule, in the order in which they are looked at; of equal gains the earlier comes first."""

from __future__ import annotations

from stepscope.rules import (
    communication_exposed,
    cores_exhausted,
    host_bound,
    host_to_device_exposed,
    input_bound,
    matrix_units_unused,
    memory_growth,
    python_between_ops,
    recompile,
    slow_steps,
    straggler,
    sync_inside_step,
)
from stepscope.rules.rule import Rule

ALL_RULES: tuple[Rule, ...] = (
    input_bound.RULE,
    host_bound.RULE,
    sync_inside_step.RULE,
    communication_exposed.RULE,
    straggler.RULE,
    recompile.RULE,
    host_to_device_exposed.RULE,
    matrix_units_unused.RULE,
    slow_steps.RULE,
    memory_growth.RULE,
    python_between_ops.RULE,
    cores_exhausted.RULE,
)
