"""`stepscope profile scope`: what a model costs by name scope."""

from __future__ import annotations

from typing import Any

import click

from stepscope.cli.profile.cost_trees import cost_options, show_costs


@click.command("scope")
@cost_options
def command(profile: str, **given: Any) -> None:  # noqa: ANN401 - the options of cost_trees
    """Show time, memory, parameters and FLOPs of PROFILE as a tree of name scopes.

    Of a profile of tf.profiler or a RunMetadata, numbers are those that tf.profiler gives: averages of the steps that were
    added. Of other profiles, they are sums over the whole profile.
    """
    from stepscope.session.parts.costs import SCOPE

    show_costs(SCOPE, profile, given, "No scopes match.")
