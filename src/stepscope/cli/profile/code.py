"""`stepscope profile code`: what a model costs by line of code."""

from __future__ import annotations

from typing import Any

import click

from stepscope.cli.profile.cost_trees import cost_options, show_costs


@click.command("code")
@cost_options
def command(profile: str, **given: Any) -> None:  # noqa: ANN401 - the options of cost_trees
    """Show time, memory, parameters and FLOPs of PROFILE by the line of Python that created each operation.

    TensorFlow's gradients count for the line of their forward operation, marked (gradient).
    """
    from stepscope.session.parts.costs import CODE

    show_costs(CODE, profile, given, "No lines of code are recorded in this profile, or none match.")
