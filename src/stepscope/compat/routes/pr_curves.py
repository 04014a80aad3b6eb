"""TensorBoard's PR curves plugin: every curve of a tag in several runs."""

from __future__ import annotations

from typing import Any

import numpy as np

from stepscope.compat.json_text import answer
from stepscope.compat.logged import found_one, listed
from stepscope.compat.route import MAX_REQUESTS, Answer, Question, plugin_route
from stepscope.compat.routes.scalars import described
from stepscope.compat.served import Served
from stepscope.model.errors import BadInput, NotThere, StepscopeError, TooMuch
from stepscope.queries.pr_curves import PrCurve, pr_curve

PLUGIN = "pr_curves"
_COUNTS = ("true_positives", "false_positives", "true_negatives", "false_negatives")


def entry(curve: PrCurve, step: int, wall: float) -> dict[str, Any]:
    """One curve without the thresholds at its end for which nothing is predicted positive; the first one always stays."""
    counts = {name: np.trunc(np.nan_to_num(curve.columns[name])).astype(np.int64) for name in _COUNTS}
    positive = np.flatnonzero(counts["true_positives"] + counts["false_positives"])
    end = int(positive[-1]) + 1 if len(positive) else 1
    return {
        "wall_time": wall,
        "step": step,
        "precision": curve.columns["precision"][:end].tolist(),
        "recall": curve.columns["recall"][:end].tolist(),
        **{name: column[:end].tolist() for name, column in counts.items()},
        "thresholds": curve.threshold[:end].tolist(),
    }


def _tags(served: Served, _: Question) -> Answer:
    return answer(described(listed(served, PLUGIN)))


def _pr_curves(served: Served, question: Question) -> Answer:
    runs = question.args.get("run", [])
    if not runs:
        raise BadInput("The query parameter run is missing.", "missing_parameter")
    if len(runs) > MAX_REQUESTS:
        raise TooMuch(f"At most {MAX_REQUESTS:,} runs can be requested at once.", "too_many_runs")
    tag = question.needed("tag")
    return answer({run: _curves(served, run, tag) for run in runs})


def _curves(served: Served, run: str, tag: str) -> list[dict[str, Any]]:
    try:
        one = found_one(served, PLUGIN, run, tag)
    except NotThere as problem:
        raise BadInput(problem.message, problem.code) from None  # as TensorBoard answers
    series = served.blobs.open(served.view(), one.run_id, one.name, one.kind)
    found: list[dict[str, Any]] = []
    for place, (step, wall) in enumerate(zip(series.step.tolist(), series.wall.tolist(), strict=True)):
        try:
            curve = pr_curve(served.blobs.read_value(series, place), series.tag)
        except StepscopeError:
            continue  # a value that cannot be read costs that value alone
        found.append(entry(curve, step, wall))
    return found


ROUTES = (
    plugin_route(PLUGIN, "tags", "Display name and description of every PR curve of every run.", _tags),
    plugin_route(PLUGIN, "pr_curves", "PR curves of a tag in several runs.", _pr_curves),
)
