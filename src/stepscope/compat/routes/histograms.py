"""TensorBoard's histograms plugin: buckets at no more than 51 steps, which its clients draw behind one another."""

from __future__ import annotations

from stepscope.compat.histogram_rows import histogram_rows
from stepscope.compat.json_text import answer
from stepscope.compat.logged import found_one, listed
from stepscope.compat.route import Answer, Question, plugin_route
from stepscope.compat.routes.scalars import described
from stepscope.compat.served import Served

PLUGIN = "histograms"
MOST_STEPS = 51


def _tags(served: Served, _: Question) -> Answer:
    return answer(described(listed(served, PLUGIN)))


def _histograms(served: Served, question: Question) -> Answer:
    one = found_one(served, PLUGIN, *question.run_and_tag())
    return answer([[wall, step, rows.tolist()] for wall, step, rows in histogram_rows(served, one, MOST_STEPS)])


ROUTES = (
    plugin_route(PLUGIN, "tags", "Display name and description of every histogram tag of every run.", _tags),
    plugin_route(PLUGIN, "histograms", "Buckets of a run and tag at up to 51 steps.", _histograms),
)
