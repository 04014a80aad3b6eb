"""Finding the verb: only the one that runs is imported, and a log folder in its place means serve."""

from __future__ import annotations

import importlib
import sys

import click

from stepscope import __version__
from stepscope.cli.all_commands import ALL_COMMANDS
from stepscope.model.errors import BadInput, StepscopeError
from stepscope.sources.files import absolute, exists

DEFAULT_VERB = "serve"


class Verbs(click.Group):
    """The command group, filled from the list of verbs on demand."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        """The verbs in the list's order."""
        return list(ALL_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        """Imports the verb."""
        if cmd_name not in ALL_COMMANDS:
            return None
        command = importlib.import_module(f"stepscope.cli.{cmd_name}").command
        assert isinstance(command, click.Command)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        """The verbs and their lines, without importing them."""
        with formatter.section("Commands"):
            formatter.write_dl(list(ALL_COMMANDS.items()))

    def resolve_command(self, ctx: click.Context, args: list[str]) -> tuple[str | None, click.Command | None, list[str]]:
        """What is no verb is an argument of serve: a folder that is there, or it may be a verb misspelt."""
        if args[0] in ALL_COMMANDS:
            return super().resolve_command(ctx, args)
        if not exists(absolute(args[0])):
            raise BadInput(
                f"{args[0]} is neither a command nor an existing folder; see stepscope --help. "
                "To wait for a folder, use stepscope serve.",
                "no_such_verb",
            )
        return super().resolve_command(ctx, [DEFAULT_VERB, *args])


@click.command(
    cls=Verbs,
    context_settings={"help_option_names": ["-h", "--help"], "ignore_unknown_options": True},
    epilog="stepscope LOGDIR is short for stepscope serve LOGDIR.",
)
@click.version_option(__version__, prog_name="stepscope", message="%(prog)s %(version)s")
def stepscope() -> None:
    """Show curves, profiles and recommendations from your training logs."""


def run_verbs(arguments: list[str]) -> int:
    """Runs the verb and returns the exit code; an error is one sentence on stderr."""
    if not arguments:
        click.echo(stepscope.get_help(click.Context(stepscope, info_name="stepscope", **stepscope.context_settings)), err=True)
        return 2
    # An option in front, as in `stepscope --logdir runs`, belongs to serve.
    if arguments and arguments[0].startswith("-") and arguments[0] not in ("-h", "--help", "--version"):
        arguments = [DEFAULT_VERB, *arguments]
    try:
        result = stepscope.main(arguments, prog_name="stepscope", standalone_mode=False)
    except StepscopeError as problem:
        click.echo(f"stepscope: {problem.message}", err=True)
        return problem.exit_code
    except click.exceptions.NoArgsIsHelpError as problem:
        click.echo(problem.format_message(), err=True)
        return 2
    except click.ClickException as problem:
        message = problem.format_message().rstrip(".")
        click.echo(f"stepscope: {message}; see {_path(problem, arguments)} --help.", err=True)
        return 2
    except (click.Abort, KeyboardInterrupt):
        return 130
    except BrokenPipeError:
        # Whoever read our output has gone; nothing is left to say, not even at exit.
        sys.stderr.close()
        return 1
    return result if isinstance(result, int) else 0


def _path(problem: click.ClickException, arguments: list[str]) -> str:
    """The verb whose help tells more, as it is typed."""
    if isinstance(problem, click.UsageError) and problem.ctx is not None:
        return problem.ctx.command_path
    return f"stepscope {arguments[0]}" if arguments and arguments[0] in ALL_COMMANDS else "stepscope"
