"""The table of session groups as a file: CSV, JSON or LaTeX."""

from __future__ import annotations

import csv
import io
import math

from stepscope.compat.hparams.groups import Group
from stepscope.compat.hparams.records import Experiment, Value
from stepscope.compat.json_text import answer
from stepscope.compat.route import CSV, Answer, Body
from stepscope.model.errors import BadInput

Row = list[Value | None]


def download(found: Experiment, groups: list[Group], form: str | None, visible: list[bool]) -> Answer:
    """The visible columns of all groups. Raises BadInput for another format."""
    names = [info.display_name or info.name for info in found.hparams] + [info.display_name or info.tag for info in found.metrics]
    header = [name for name, shown in zip(names, visible, strict=False) if shown]
    rows = [[value for value, shown in zip(_row(found, group), visible, strict=False) if shown] for group in groups]
    if form == "json":
        return answer({"header": header, "rows": rows})
    if form == "csv":
        out = io.StringIO()
        writer = csv.writer(out)
        writer.writerow(header)
        writer.writerows(rows)
        return Body(out.getvalue().encode(), CSV)
    if form == "latex":
        return Body(_latex(header, rows).encode(), "application/x-latex")
    raise BadInput("The format must be csv, json or latex.", "bad_format")


def _row(found: Experiment, group: Group) -> Row:
    metrics = {(metric.group, metric.tag): metric.value for metric in group.metrics}
    values: Row = [group.values.get(info.name, "") for info in found.hparams]
    return values + [metrics.get((info.group, info.tag)) for info in found.metrics]


def _latex(header: list[str], rows: list[Row]) -> str:
    lines = ["\\begin{table}[tbp]", f"\\begin{{tabular}}{{{'l' * len(header)}}}"]
    lines.append(" & ".join(_latex_cell(name) for name in header) + " \\\\ \\hline")
    lines += [" & ".join(_latex_cell(value) for value in row) + " \\\\" for row in rows]
    return "\n".join([*lines, "\\hline", "\\end{tabular}", "\\end{table}", ""])


def _latex_cell(value: Value | None) -> str:
    if value is None:
        return "-"
    if isinstance(value, str):
        return value.replace("_", "\\_").replace("%", "\\%")
    if isinstance(value, bool):
        return f"${value:d}$"
    if math.isnan(value):
        return "$\\mathrm{NaN}$"
    if math.isinf(value):
        return f"${'-' if value < 0 else '+'}\\infty$"
    number, _, exponent = f"{value:.3g}".partition("e")
    return f"${number}\\cdot 10^{{{int(exponent)}}}$" if exponent else f"${number}$"
