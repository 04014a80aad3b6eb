"""The list of the modules with TensorBoard's routes, and the routes by path."""

from __future__ import annotations

import importlib
from functools import cache

from stepscope.compat.route import CompatRoute

MODULES = (
    "core",
    "scalars",
    "timeseries",
    "images",
    "audio",
    "histograms",
    "distributions",
    "text",
    "pr_curves",
    "mesh",
    "custom_scalars",
    "hparams",
    "graphs",
    "projector",
)


@cache
def all_routes() -> dict[str, CompatRoute]:
    """Every route by its path."""
    modules = [importlib.import_module(f"stepscope.compat.routes.{name}") for name in MODULES]
    routes: list[CompatRoute] = [route for module in modules for route in module.ROUTES]
    return {route.path: route for route in routes}
