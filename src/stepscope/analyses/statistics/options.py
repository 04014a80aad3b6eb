"""What a view of costs counts, shows and sorts by."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import lru_cache

from stepscope.analyses.devices.name_pattern import NamePattern
from stepscope.model.errors import BadInput
from stepscope.model.node_costs import Measures

ORDERS: dict[str, str] = {
    "name": "",
    "bytes": "requested_bytes",
    "peak_bytes": "peak_bytes",
    "residual_bytes": "residual_bytes",
    "output_bytes": "output_bytes",
    "micros": "us",
    "accelerator_micros": "accelerator_us",
    "cpu_micros": "cpu_us",
    "params": "parameters",
    "float_ops": "flops",
    "occurrence": "nodes",
}
"""Words of tf.profiler's order_by, and what they sort by."""
SELECTED = (*(word for word in ORDERS if word != "name"), "device", "op_types", "input_shapes")
"""Words that tf.profiler's select takes."""
_EVERYTHING = (".*",)


Match = Callable[[str], object]
"""Whether a whole name fits."""


@lru_cache(maxsize=256)
def regular_expression(pattern: str) -> Match:
    """Of Python, which a name of forty letters can keep busy for hours: for the user's own programs. Raises BadInput."""
    try:
        return re.compile(pattern).fullmatch
    except re.error as problem:
        raise BadInput(f"{pattern!r} is not a regular expression: {problem}.", "bad_pattern") from None


@lru_cache(maxsize=256)
def simple_pattern(pattern: str) -> Match:
    """The part of regular expressions that takes time in proportion to the name, case-insensitive: for requests. Raises BadInput."""
    try:
        return NamePattern(f"^({pattern})$").search
    except ValueError as problem:
        said = f"The pattern {pattern!r} cannot be used: {problem}."
        raise BadInput(f"{said} Patterns have text with . .* ? (a|b) ^ $ \\b \\d \\w and \\s.", "bad_pattern") from None


@dataclass(frozen=True, slots=True)
class ViewOptions:
    """The options of tf.profiler by its own words. Least values hide rows; regular expressions must fit the whole name."""

    max_depth: int = 10_000
    least: dict[str, float] = field(default_factory=dict[str, float])
    """By the names of measures: of time and memory the total of a row counts."""
    order_by: str = "name"
    types: tuple[str, ...] = _EVERYTHING
    start: tuple[str, ...] = _EVERYTHING
    trim: tuple[str, ...] = ()
    show: tuple[str, ...] = _EVERYTHING
    hide: tuple[str, ...] = ()
    displayed_only: bool = False
    """Whether totals count only rows that are shown."""
    step: int | None = None
    pattern: Callable[[str], Match] = regular_expression

    def __post_init__(self) -> None:
        if self.order_by not in ORDERS:
            raise BadInput(f"Rows cannot be sorted by {self.order_by!r}; use one of {', '.join(ORDERS)}.", "bad_order")
        for pattern in (*self.types, *self.start, *self.trim, *self.show, *self.hide):
            self.pattern(pattern)

    def fits(self, patterns: tuple[str, ...], text: str) -> bool:
        """Whether the whole text fits one of the patterns."""
        return patterns == _EVERYTHING or any(self.pattern(each)(text) for each in patterns)

    def counts(self, types: set[str]) -> bool:
        """Whether nodes of these types are counted."""
        return self.types == _EVERYTHING or any(self.fits(self.types, each) for each in types)

    def is_named(self, name: str) -> bool:
        """Whether rows of this name are shown."""
        return self.fits(self.show, name) and not (self.hide and self.fits(self.hide, name))

    def is_trimmed(self, name: str) -> bool:
        """Whether nothing below this name is shown."""
        return bool(self.trim) and self.fits(self.trim, name)

    def is_enough(self, own: Measures, total: Measures, *, one_node: bool) -> bool:
        """Whether a row has at least what is asked for. Of a row of one node, parameters, FLOPs and executions are its own."""
        return all(_asked(name, own, total, one_node) >= least for name, least in self.least.items())


def _asked(name: str, own: Measures, total: Measures, one_node: bool) -> float:
    if name == "nodes":  # tf.profiler's occurrence
        return own.runs if one_node else own.nodes
    return float(getattr(own if one_node and name in {"parameters", "flops"} else total, name))
