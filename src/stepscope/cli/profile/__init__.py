"""`stepscope profile`: the analyses of a profile in the terminal; only the verb that runs is imported."""

from __future__ import annotations

import importlib
from difflib import get_close_matches

import click

from stepscope.cli.profile.all_profile_commands import ALL_PROFILE_COMMANDS
from stepscope.model.errors import BadInput
from stepscope.sources.files import absolute, exists


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

    def resolve_command(self, ctx: click.Context, args: list[str]) -> tuple[str | None, click.Command | None, list[str]]:
        """Says which verb a profile needs in front, or which one was misspelt."""
        if args[0] not in ALL_PROFILE_COMMANDS:
            if exists(absolute(args[0])):
                raise BadInput(f"To summarize a profile: stepscope profile report {args[0]}.", "no_verb")
            near = get_close_matches(args[0], ALL_PROFILE_COMMANDS, n=1, cutoff=0.75)
            if near:
                raise BadInput(f"No such command '{args[0]}'; did you mean {near[0]}?", "no_such_verb")
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        """The verbs and their lines, without importing them."""
        with formatter.section("Commands"):
            formatter.write_dl(list(ALL_PROFILE_COMMANDS.items()))


@click.command("profile", cls=ProfileVerbs)
def command() -> None:
    """Analyze profiles: step time, operations, memory, communication.

    PROFILE is a file written by the profiler of PyTorch, TensorFlow or JAX, a folder with the files of one session, or a log
    folder or event file. Of several sessions, the newest is used; append #NAME to choose another.
    """
