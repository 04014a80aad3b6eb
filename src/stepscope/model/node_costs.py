"""Nodes of a graph with what each traced step of them cost, as tf.profiler counts it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields

ROOT = "_TFProfRoot"
"""What tf.profiler calls the root of its views."""
TRAINABLE = "_trainable_variables"
"""The type that nodes of trainable variables have beside their operation."""


@dataclass(frozen=True, slots=True)
class Frame:
    """One call of the Python stack that made a node."""

    file: str
    line: int
    function: str
    first_line: int = 0


@dataclass(frozen=True, slots=True)
class Measures:
    """Everything that is counted. Sums of several nodes are measures as well."""

    runs: int = 0
    us: float = 0
    accelerator_us: float = 0
    cpu_us: float = 0
    requested_bytes: int = 0
    peak_bytes: int = 0
    residual_bytes: int = 0
    output_bytes: int = 0
    parameters: int = 0
    flops: int = 0
    nodes: int = 0

    def __add__(self, other: Measures) -> Measures:
        return Measures(*(getattr(self, name) + getattr(other, name) for name in _NAMES))


_NAMES = tuple(each.name for each in fields(Measures))


@dataclass(frozen=True, slots=True)
class Execution:
    """One execution of a node on a device: start and duration in µs."""

    device: str
    accelerator: bool
    start: int
    us: float


@dataclass(slots=True)
class StepCost:
    """What one step of a node cost."""

    runs: int = 0
    executions: list[Execution] = field(default_factory=list[Execution])
    requested_bytes: int = 0
    peak_bytes: int = 0
    residual_bytes: int = 0
    output_bytes: int = 0

    def us(self, *, accelerator: bool) -> float:
        """Time on accelerators, or on the host."""
        return sum(one.us for one in self.executions if one.accelerator is accelerator)


@dataclass(slots=True)
class CostNode:
    """A node. Without steps, only what the graph itself says is counted."""

    name: str
    op: str
    inputs: tuple[str, ...] = ()
    shape: tuple[int, ...] | None = None
    """Of a variable; unknown dimensions are negative. A number has the shape (1,)."""
    flops: int = 0
    """Of one execution; 0 when unknown."""
    device: str = ""
    types: set[str] = field(default_factory=set[str])
    """Beside its operation and device, such as that of a trainable variable."""
    stack: tuple[Frame, ...] = ()
    """Outermost call first; empty when unknown."""
    steps: dict[int, StepCost] = field(default_factory=dict[int, StepCost])

    @property
    def parameters(self) -> int:
        """Numbers in the variable; 0 when a dimension is unknown, or for other nodes."""
        if self.shape is None or any(size < 0 for size in self.shape):
            return 0
        product = 1
        for size in self.shape:
            product *= size
        return product

    def all_types(self) -> set[str]:
        """What options choose nodes by."""
        return {self.op, *self.types, *((self.device,) if self.device else ())}

    def measures(self, step: int | None = None) -> Measures:
        """Of one step, or the average of all steps that ran it, rounded down as tf.profiler does."""
        found = [cost for number, cost in self.steps.items() if step in {None, number}]
        if not found:
            return Measures(parameters=self.parameters, flops=0 if self.steps else self.flops, nodes=1)
        runs = int(_average([one.runs for one in found]))
        accelerator, cpu = ([one.us(accelerator=each) for one in found] for each in (True, False))
        return Measures(
            runs=runs,
            us=_average([both[0] + both[1] for both in zip(accelerator, cpu, strict=True)]),
            accelerator_us=_average(accelerator),
            cpu_us=_average(cpu),
            requested_bytes=int(_average([one.requested_bytes for one in found])),
            peak_bytes=int(_average([one.peak_bytes for one in found])),
            residual_bytes=int(_average([one.residual_bytes for one in found])),
            output_bytes=int(_average([one.output_bytes for one in found])),
            parameters=self.parameters,
            flops=self.flops * runs,
            nodes=1,
        )


def _average(values: list[float] | list[int]) -> float:
    return values[0] if len(values) == 1 else sum(values) // len(values)


Costs = Mapping[str, CostNode]
"""Nodes by name."""
