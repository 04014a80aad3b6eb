"""`stepscope profile scope`: what a model costs by name scope."""

from __future__ import annotations

from typing import Any

import click

from stepscope.cli.profile.cost_trees import cost_options, show_costs


@click.command("scope")
@cost_options
def command(profile: str, **given: Any) -> None:  # noqa: ANN401 - the options of cost_trees
    """Show time, memory, parameters and FLOPs of PROFILE as a tree of name scopes.

    For a profile of tf.profiler or a RunMetadata, the numbers are those of tf.profiler: averages over the added steps. For other
    profiles, they are sums over the whole profile.
    """
    from stepscope.session.parts.costs import SCOPE

    show_costs(SCOPE, profile, given, "No scopes match.")
