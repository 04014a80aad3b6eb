"""Rows of a view by the names that tf.profiler's results have."""

from __future__ import annotations

from stepscope.analyses.statistics.views import ViewRow

_NAMES = {
    "exec_micros": "us",
    "accelerator_exec_micros": "accelerator_us",
    "cpu_exec_micros": "cpu_us",
    "requested_bytes": "requested_bytes",
    "peak_bytes": "peak_bytes",
    "residual_bytes": "residual_bytes",
    "output_bytes": "output_bytes",
    "run_count": "runs",
    "parameters": "parameters",
    "float_ops": "flops",
    "definition_count": "nodes",
}


class ProfileNode:
    """A row: `exec_micros`, `requested_bytes`, `parameters`, `float_ops` and others are its own, with `total_` of all below it too."""

    def __init__(self, row: ViewRow) -> None:
        self._row = row

    @property
    def name(self) -> str:
        """Of the node, scope, type of operation or line of code."""
        return self._row.name

    @property
    def children(self) -> list[ProfileNode]:
        """The rows below it; in the view by operation, all rows are below the root."""
        return [ProfileNode(row) for row in self._row.children]

    @property
    def devices(self) -> list[str]:
        """Where its nodes ran."""
        return sorted({node.device for node in self._row.nodes if node.device})

    def __getattr__(self, name: str) -> float:
        measure = _NAMES.get(name.removeprefix("total_"))
        if measure is None:
            raise AttributeError(f"a row has no {name}; it has {', '.join(_NAMES)}, each also with total_")
        value: float = getattr(self._row.total if name.startswith("total_") else self._row.own, measure)
        return value

    def __repr__(self) -> str:
        return f"ProfileNode({self.name!r}, total_exec_micros={self._row.total.us:g}, children={len(self._row.children)})"
