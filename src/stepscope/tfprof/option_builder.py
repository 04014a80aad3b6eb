"""Options of tf.profiler: presets, methods that change them, and the plain keys they are made of."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import deepcopy
from typing import Any, Self

from stepscope.analyses.statistics.options import SELECTED, ViewOptions
from stepscope.model.errors import BadInput
from stepscope.model.node_costs import TRAINABLE

_LEAST = {
    "min_bytes": "requested_bytes",
    "min_peak_bytes": "peak_bytes",
    "min_residual_bytes": "residual_bytes",
    "min_output_bytes": "output_bytes",
    "min_micros": "us",
    "min_accelerator_micros": "accelerator_us",
    "min_cpu_micros": "cpu_us",
    "min_params": "parameters",
    "min_float_ops": "flops",
    "min_occurrence": "nodes",
}
_PLAIN: dict[str, Any] = {
    "max_depth": 100,
    **dict.fromkeys(_LEAST, 0),
    "order_by": "name",
    "account_type_regexes": [".*"],
    "start_name_regexes": [".*"],
    "trim_name_regexes": [],
    "show_name_regexes": [".*"],
    "hide_name_regexes": [],
    "account_displayed_op_only": False,
    "select": ["micros"],
    "step": -1,
    "output": "stdout",
}
"""Every key with its default."""
_ALL = 10_000


class ProfileOptionBuilder:
    """Builds the options of a view. Every method but `build` returns the builder."""

    def __init__(self, options: Mapping[str, Any] | None = None) -> None:
        """Starts with the defaults, or with options such as those of a preset."""
        self._options = {**_PLAIN, **deepcopy(dict(options or {}))}

    @staticmethod
    def trainable_variables_parameter() -> dict[str, Any]:
        """A preset that counts the parameters of trainable variables, for the view by name scope."""
        return {
            **deepcopy(_PLAIN),
            "max_depth": _ALL,
            "account_type_regexes": [TRAINABLE],
            "account_displayed_op_only": True,
            "select": ["params"],
        }

    @staticmethod
    def float_operation() -> dict[str, Any]:
        """A preset that counts floating-point operations."""
        return {
            **deepcopy(_PLAIN),
            "max_depth": _ALL,
            "min_float_ops": 1,
            "order_by": "float_ops",
            "account_displayed_op_only": True,
            "select": ["float_ops"],
        }

    @staticmethod
    def time_and_memory(
        min_micros: int = 1,
        min_bytes: int = 1,
        min_accelerator_micros: int = 0,
        min_cpu_micros: int = 0,
        min_peak_bytes: int = 0,
        min_residual_bytes: int = 0,
        min_output_bytes: int = 0,
    ) -> dict[str, Any]:
        """A preset that shows time and memory, longest first, of rows with at least as much as given."""
        return {
            **deepcopy(_PLAIN),
            "max_depth": _ALL,
            "min_micros": min_micros,
            "min_bytes": min_bytes,
            "min_accelerator_micros": min_accelerator_micros,
            "min_cpu_micros": min_cpu_micros,
            "min_peak_bytes": min_peak_bytes,
            "min_residual_bytes": min_residual_bytes,
            "min_output_bytes": min_output_bytes,
            "order_by": "micros",
            "account_displayed_op_only": True,
            "select": ["micros", "bytes"],
        }

    def build(self) -> dict[str, Any]:
        """The options as a dictionary."""
        return deepcopy(self._options)

    def with_max_depth(self, max_depth: int) -> Self:
        """Rows deeper than this are hidden; in the view by operation, rows after this many."""
        return self._set(max_depth=max_depth)

    def with_min_memory(
        self, min_bytes: int = 0, min_peak_bytes: int = 0, min_residual_bytes: int = 0, min_output_bytes: int = 0
    ) -> Self:
        """Rows with less memory are hidden."""
        return self._set(
            min_bytes=min_bytes,
            min_peak_bytes=min_peak_bytes,
            min_residual_bytes=min_residual_bytes,
            min_output_bytes=min_output_bytes,
        )

    def with_min_execution_time(self, min_micros: int = 0, min_accelerator_micros: int = 0, min_cpu_micros: int = 0) -> Self:
        """Rows with less time are hidden."""
        return self._set(min_micros=min_micros, min_accelerator_micros=min_accelerator_micros, min_cpu_micros=min_cpu_micros)

    def with_min_parameters(self, min_params: int) -> Self:
        """Rows with fewer parameters are hidden."""
        return self._set(min_params=min_params)

    def with_min_occurrence(self, min_occurrence: int) -> Self:
        """Rows with fewer nodes, or of one node with fewer executions, are hidden."""
        return self._set(min_occurrence=min_occurrence)

    def with_min_float_operations(self, min_float_ops: int) -> Self:
        """Rows with fewer floating-point operations are hidden."""
        return self._set(min_float_ops=min_float_ops)

    def with_accounted_types(self, account_type_regexes: Sequence[str]) -> Self:
        """Only nodes whose operation, device or type fits one of these are counted."""
        return self._set(account_type_regexes=list(account_type_regexes))

    def with_node_names(
        self,
        start_name_regexes: Sequence[str] | None = None,
        show_name_regexes: Sequence[str] | None = None,
        hide_name_regexes: Sequence[str] | None = None,
        trim_name_regexes: Sequence[str] | None = None,
    ) -> Self:
        """Which rows the view starts at, shows, hides, and shows nothing below of."""
        given = {
            "start_name_regexes": start_name_regexes,
            "show_name_regexes": show_name_regexes,
            "hide_name_regexes": hide_name_regexes,
            "trim_name_regexes": trim_name_regexes,
        }
        return self._set(**{key: list(value) for key, value in given.items() if value is not None})

    def account_displayed_op_only(self, is_true: bool) -> Self:
        """Whether totals count only rows that are shown."""
        return self._set(account_displayed_op_only=is_true)

    def with_step(self, step: int) -> Self:
        """Only this step is counted; -1: the average of all steps."""
        return self._set(step=step)

    def order_by(self, attribute: str) -> Self:
        """What rows are sorted by, such as `micros`, `bytes`, `params` or `name`."""
        return self._set(order_by=attribute)

    def select(self, attributes: Sequence[str]) -> Self:
        """What is printed of rows, such as `micros`, `bytes`, `params`, `float_ops`, `occurrence` or `device`."""
        return self._set(select=list(attributes))

    def with_empty_output(self) -> Self:
        """Prints nothing."""
        return self._set(output="none")

    def with_stdout_output(self) -> Self:
        """Prints the view."""
        return self._set(output="stdout")

    def with_file_output(self, outfile: str) -> Self:
        """Writes the view as text."""
        return self._set(output=f"file:outfile={outfile}")

    def with_timeline_output(self, timeline_file: str) -> Self:
        """Writes the executions of a step as a trace for Chrome, Perfetto and Stepscope."""
        return self._set(output=f"timeline:outfile={timeline_file}")

    def _set(self, **options: Any) -> Self:  # noqa: ANN401 - as various as the options
        self._options.update(options)
        return self


def view_options(options: Mapping[str, Any]) -> ViewOptions:
    """The options of a view from plain keys. Raises BadInput for what no view has."""
    unknown = options.keys() - _PLAIN.keys()
    if unknown:
        raise BadInput(f"There is no option {min(unknown)!r}; see ProfileOptionBuilder.", "bad_option")
    known = {**_PLAIN, **options}
    for word in known["select"]:
        if word not in SELECTED:
            raise BadInput(f"{word!r} cannot be selected; use some of {', '.join(SELECTED)}.", "bad_option")
    return ViewOptions(
        max_depth=int(known["max_depth"]),
        least={name: known[key] for key, name in _LEAST.items() if known[key]},
        order_by=known["order_by"],
        types=tuple(known["account_type_regexes"]),
        start=tuple(known["start_name_regexes"]),
        trim=tuple(known["trim_name_regexes"]),
        show=tuple(known["show_name_regexes"]),
        hide=tuple(known["hide_name_regexes"]),
        displayed_only=bool(known["account_displayed_op_only"]),
        step=None if known["step"] < 0 else int(known["step"]),
    )
