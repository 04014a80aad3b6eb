"""`stepscope profile`: the analyses of a profile in the terminal; only the verb that runs is imported."""

from __future__ import annotations

import importlib

import click

from stepscope.cli.profile.all_profile_commands import ALL_PROFILE_COMMANDS


class ProfileVerbs(click.Group):
    """The verbs of profiles, filled from their list on demand."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        """The verbs in the list's order."""
        return list(ALL_PROFILE_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        """Imports the verb."""
        if cmd_name not in ALL_PROFILE_COMMANDS:
            return None
        found = importlib.import_module(f"stepscope.cli.profile.{cmd_name}").command
        assert isinstance(found, click.Command)
        return found

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        """The verbs and their lines, without importing them."""
        with formatter.section("Commands"):
            formatter.write_dl(list(ALL_PROFILE_COMMANDS.items()))


@click.command("profile", cls=ProfileVerbs)
def command() -> None:
    """Summarize where step time goes.

    PROFILE is a file written by the profiler of PyTorch, TensorFlow or JAX, a folder with the files of one session, or a log
    folder or event file. Of several sessions, the newest is used; append #NAME to choose another.
    """
