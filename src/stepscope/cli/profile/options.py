"""The argument and options that all verbs of profiles share, and what they stand for."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import click

from stepscope.cli.profile.range_options import range_options

if TYPE_CHECKING:
    from stepscope.formats.format import Limits
    from stepscope.ingest.own_kinds import OwnKinds

_Verb = TypeVar("_Verb", bound=Callable[..., Any])
_GIB = 1 << 30
_KINDS, _COLLECTIVES, _LIMIT = "stepscope.span_kinds", "stepscope.collectives", "stepscope.limit"


def profile_options(verb: _Verb) -> _Verb:
    """PROFILE, --json, --steps-by, those of a range, --max-gib, --no-cache and those of the user's own kinds of spans."""
    options = (
        click.argument("profile", metavar="PROFILE"),
        click.option("--json", "as_json", is_flag=True, help="Print one JSON object."),
        click.option("--steps-by", metavar="SOURCE", help="Source of the step boundaries (default: the best one available)."),
        range_options,
        click.option(
            "--max-gib",
            type=click.IntRange(1, 1 << 20),
            metavar="N",
            help="Read files up to N GiB, and allow files that unpack to far more than their size.",
        ),
        click.option("--no-cache", is_flag=True, help="Do not use the cache."),
        kind_options,
    )
    for option in reversed(options):
        verb = option(verb)
    return verb


def kind_options(verb: _Verb) -> _Verb:
    """--span-kinds and --collectives, which `own_kinds` reads."""
    verb = click.option(
        "--collectives",
        metavar="FILE",
        expose_value=False,
        callback=_kept_as(_COLLECTIVES),
        help="File with one collective and one name pattern per line.",
    )(verb)
    return click.option(
        "--span-kinds",
        metavar="FILE",
        expose_value=False,
        callback=_kept_as(_KINDS),
        help="TOML file that assigns categories to your own span names; see 'stepscope profile kinds'.",
    )(verb)


def csv_option(verb: _Verb) -> _Verb:
    """--csv, for verbs whose answer is one table."""
    return click.option("--csv", "as_csv", is_flag=True, help="Print the rows of --json as CSV.")(verb)


def limit_option(verb: _Verb) -> _Verb:
    """--limit, for verbs whose answer is one long table; `ask` hands it on, and `rows_of_text` reads it."""
    help_text = "Show at most N rows; 0 shows all. The default is a screenful of text, and all rows of --json and --csv."
    return click.option(
        "--limit", type=click.IntRange(0, 1 << 30), metavar="N", expose_value=False, callback=_kept_as(_LIMIT), help=help_text
    )(verb)


def given_limit() -> int | None:
    """The rows that --limit of the verb that runs asks for, None without it."""
    context = click.get_current_context(silent=True)
    return context.meta.get(_LIMIT) if context else None


def rows_of_text(usual: int) -> int | None:
    """How many rows a text shows: as many as usual, or what --limit has left of them."""
    return usual if given_limit() is None else None


def own_kinds() -> OwnKinds:
    """The user's own kinds of spans, as the options of the verb that runs or the environment say."""
    from stepscope.ingest.own_kinds import OwnKinds

    context = click.get_current_context(silent=True)
    return OwnKinds(context.meta.get(_KINDS), context.meta.get(_COLLECTIVES)) if context else OwnKinds()


def limits_of(max_gib: int | None) -> Limits:
    """How much may be read, by --max-gib."""
    from stepscope.formats.format import Limits

    if max_gib is None:
        return Limits()
    return Limits(bytes=max_gib * _GIB, ratio=1 << 30, names=10_000_000)


def _kept_as(key: str) -> Callable[[click.Context, click.Parameter, str | int | None], None]:
    """A callback that keeps an option's value for whoever reads, so that verbs need not hand it on."""

    def keep(ctx: click.Context, _: click.Parameter, value: str | int | None) -> None:
        ctx.meta[key] = value

    return keep
