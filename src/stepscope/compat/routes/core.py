"""TensorBoard's routes outside of plugins: the environment, the runs and the list of plugins."""

from __future__ import annotations

import math
from typing import Any

from stepscope.compat.json_text import answer
from stepscope.compat.logged import plugins_with_data
from stepscope.compat.route import Answer, CompatRoute, Question
from stepscope.compat.served import Served
from stepscope.queries.view import ShownRun, first_wall

VERSION = "2.21.0"
"""The version of TensorBoard whose routes these are."""

_ELEMENTS: dict[str, tuple[str, tuple[str, ...], str]] = {
    "scalars": ("tf-scalar-dashboard", ("scalars",), "scalars"),
    "custom_scalars": ("tf-custom-scalar-dashboard", ("custom_scalars",), "Custom Scalars"),
    "images": ("tf-image-dashboard", ("images",), "images"),
    "audio": ("tf-audio-dashboard", ("audio",), "audio"),
    "graphs": (
        "tf-graph-dashboard",
        ("graphs", "graph_run_metadata", "graph_run_metadata_graph", "graph_keras_model", "graph_tagged_run_metadata"),
        "graphs",
    ),
    "distributions": ("tf-distribution-dashboard", ("histograms",), "distributions"),
    "histograms": ("tf-histogram-dashboard", ("histograms",), "histograms"),
    "text": ("tf-text-dashboard", ("text",), "text"),
    "pr_curves": ("tf-pr-curve-dashboard", ("pr_curves",), "PR Curves"),
    "hparams": ("tf-hparams-dashboard", ("hparams",), "hparams"),
    "mesh": ("mesh-dashboard", ("mesh",), "mesh"),
}
"""Of each plugin the element that TensorBoard's page draws it with, the plugins whose series it shows, and the name of its tab."""
_TIME_SERIES = ("scalars", "histograms", "images")
_NO_RELOAD = frozenset({"graphs", "projector"})


def _environment(served: Served, _: Question) -> Answer:
    return answer(
        {
            "version": VERSION,
            "data_location": served.location,
            "window_title": served.title,
            "experiment_name": "",
            "experiment_description": "",
            "creation_time": 0,
        }
    )


def _logdir(served: Served, _: Question) -> Answer:
    return answer({"logdir": served.location})


def _window_properties(served: Served, _: Question) -> Answer:
    return answer({"window_title": served.title})


def _runs(served: Served, _: Question) -> Answer:
    return answer(sorted(served.runs(), key=lambda name: (_started(served.runs()[name]), name)))


def _started(run: ShownRun) -> float:
    walls = (first_wall(file.events) for file in run.record.files)
    return next((wall for wall in walls if wall is not None), math.inf)


def _nothing(_: Served, __: Question) -> Answer:
    return answer([])


def _plugins_listing(served: Served, _: Question) -> Answer:
    present = plugins_with_data(served)
    found = {
        name: _entry(name, tab, present & set(shown), {"type": "CUSTOM_ELEMENT", "element_name": element})
        for name, (element, shown, tab) in _ELEMENTS.items()
    }
    found["timeseries"] = _entry("timeseries", "Time Series", present & set(_TIME_SERIES), {"type": "NG_COMPONENT"})
    found["projector"] = _entry("projector", "projector", served.embeddings.has_any(), {"type": "NONE"})
    return answer(found | dict(served.hosted()))


def _entry(name: str, tab: str, shown: object, mechanism: dict[str, str]) -> dict[str, Any]:
    return {
        "disable_reload": name in _NO_RELOAD,
        "enabled": bool(shown),
        "remove_dom": False,
        "tab_name": tab,
        "loading_mechanism": mechanism,
    }


ROUTES = (
    CompatRoute("/data/environment", "Version, log folder and window title.", _environment),
    CompatRoute("/data/logdir", "The log folder.", _logdir),
    CompatRoute("/data/window_properties", "The window title.", _window_properties),
    CompatRoute("/data/runs", "Names of the runs, those that began first in front.", _runs),
    CompatRoute("/data/experiments", "Always empty, as in TensorBoard.", _nothing),
    CompatRoute("/data/experiment_runs", "Always empty, as in TensorBoard.", _nothing),
    CompatRoute("/data/plugins_listing", "TensorBoard's plugins, and whether there is data for each.", _plugins_listing),
)
