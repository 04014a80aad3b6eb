"""The list of dashboards; its order is the order of the tabs."""

from __future__ import annotations

from stepscope.dashboards.route import Dashboard
from stepscope.model.registry import member

_NAMES = (
    "scalars",
    "images",
    "audio",
    "text",
    "histograms",
    "pr_curves",
    "mesh",
    "graphs",
    "profile",
    "hparams",
    "custom_scalars",
    "projector",
    "query",
)

ALL_DASHBOARDS: tuple[Dashboard, ...] = tuple(
    member(f"stepscope.dashboards.{name}.dashboard", name.upper(), Dashboard) for name in _NAMES
)
