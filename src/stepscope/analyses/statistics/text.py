"""Views as the text that tf.profiler prints, so that scripts that read it go on working."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence

from stepscope.analyses.statistics.views import ViewRow
from stepscope.model.node_costs import Measures

_BYTES = (("bytes", "requested_bytes"), ("peak_bytes",) * 2, ("residual_bytes",) * 2, ("output_bytes",) * 2)
_TIMES = (("micros", "us"), ("accelerator_micros", "accelerator_us"), ("cpu_micros", "cpu_us"))
_LEGEND = {
    "requested_bytes": "requested bytes",
    "peak_bytes": "peak bytes",
    "residual_bytes": "residual bytes",
    "output_bytes": "output bytes",
    "us": "total execution time",
    "accelerator_us": "accelerator execution time",
    "cpu_us": "cpu execution time",
}
_NAME = 25
_CELL = 30


def time_text(us: float) -> str:
    """Such as 3.06ms."""
    if us < 1_000:
        return f"{int(us)}us"
    return f"{us / 1e3:.2f}ms" if us < 1_000_000 else f"{us / 1e6:.2f}sec"


def size_text(size: float) -> str:
    """Such as 13.58MB, in decimal units as tf.profiler prints them."""
    if size < 1_000:
        return f"{int(size)}B"
    if size < 1_000_000:
        return f"{size / 1e3:.2f}KB"
    return f"{size / 1e6:.2f}MB" if size < 1_000_000_000 else f"{size / 1e9:.2f}GB"


def count_text(count: float) -> str:
    """Such as 31.79k."""
    if count < 1_000:
        return f"{int(count)}"
    if count < 1_000_000:
        return f"{count / 1e3:.2f}k"
    return f"{count / 1e6:.2f}m" if count < 1_000_000_000 else f"{count / 1e9:.2f}b"


def tree_text(root: ViewRow, select: Collection[str], *, of_lines: bool) -> str:
    """The view by scope, graph or code."""
    measures = [*_counts(select), *_cost_names(select)] if not of_lines else [*_cost_names(select), *_counts(select)]
    lines = [_legend(measures), _line(root, measures, select, 0)]
    lines.extend(_line(row, measures, select, 2 * depth + 2) for depth, row in root.rows())
    return "\n".join(lines) + "\n"


def op_text(root: ViewRow, select: Collection[str]) -> str:
    """The view by operation: each value with its cumulative share and its own."""
    measures = [*_cost_names(select), *_counts(select)]
    lines = [_legend(measures)]
    for row in root.children:
        cells = [_op_cell(row.own, row.total, root.total, name) for name in measures]
        if "device" in select:
            cells.append("|".join(sorted({node.device for node in row.nodes})))
        if "op_types" in select:
            cells.append("|".join(sorted({each for node in row.nodes for each in node.all_types()})))
        if "occurrence" in select:
            cells.append(f"{row.own.runs}|{row.own.nodes}".rjust(10))
        lines.append(f"{row.name:<{_NAME}}{', '.join(cells)}")
    return "\n".join(lines) + "\n"


def _cost_names(select: Collection[str]) -> list[str]:
    found = [name for word, name in _BYTES if word in select]
    # Of all time, both of its parts are printed.
    return [*found, *(name for word, name in _TIMES if word in select or "micros" in select)]


def _counts(select: Collection[str]) -> list[str]:
    return [name for word, name in (("params", "parameters"), ("float_ops", "flops")) if word in select]


def _legend(measures: Sequence[str]) -> str:
    named = {**_LEGEND, "parameters": "# parameters", "flops": "# float_ops"}
    return f"node name | {' | '.join(named[name] for name in measures)}"


def _write(name: str) -> Callable[[float], str]:
    return size_text if name.endswith("_bytes") else time_text if name.endswith("us") else count_text


def _line(row: ViewRow, measures: Sequence[str], select: Collection[str], indent: int) -> str:
    cells: list[str] = []
    for name in measures:
        if name == "parameters" and len(row.nodes) == 1 and row.nodes[0].shape:
            cells.append("x".join(map(str, row.nodes[0].shape)))
        own = _write(name)(getattr(row.own, name)) if row.counted else "--"
        unit = {"parameters": " params", "flops": " flops"}.get(name, "")
        cells.append(f"{own}/{_write(name)(getattr(row.total, name))}{unit}")
    devices = sorted({node.device for node in row.nodes if node.device})
    if "device" in select and devices:
        cells.append("|".join(devices))
    if "op_types" in select:
        cells.append("|".join(sorted({each for node in row.nodes for each in node.all_types()})))
    if "occurrence" in select:
        cells.append(
            f"{row.own.runs if row.counted else '--'}/{row.total.runs}|{row.own.nodes if row.counted else '--'}/{row.total.nodes}"
        )
    return f"{' ' * indent}{row.name} ({', '.join(cells)})"


def _op_cell(own: Measures, total: Measures, root: Measures, name: str) -> str:
    value, together, whole = (float(getattr(each, name)) for each in (own, total, root))
    has_any = value > 0 if name.endswith("_bytes") else together > 0
    share, cumulative = (100 * value / whole, 100 * together / whole) if has_any and whole else (0.0, 0.0)
    unit = {"parameters": " params", "flops": " float_ops"}.get(name, "")
    return f"{_write(name)(value)}{unit} ({cumulative:.2f}%, {share:.2f}%)".rjust(_CELL)
