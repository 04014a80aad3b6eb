"""Options that choose rows by patterns of names and least values, and columns of the text, as tf.profiler does."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any, TypeVar

import click

_Verb = TypeVar("_Verb", bound=Callable[..., Any])
_SELECT = "stepscope.select"


def row_options(orders: Sequence[str], default: str, *, of_tree: bool = False, parameters: bool = True) -> Callable[[_Verb], _Verb]:
    """--start to --depth: of a tree of rows, or of a list; with --min-params where rows can have parameters."""
    start = (
        "Start the tree at names that match PATTERN as a whole, such as 'net/.*'."
        if of_tree
        else "Show only names that match PATTERN as a whole, such as 'net', and names in such a scope."
    )
    hide = "Hide names that match PATTERN; what is below them moves up." if of_tree else "Hide names that match PATTERN as a whole."
    types = (
        "Count only operations whose type or device matches PATTERN." if of_tree else "Show only types or devices that match PATTERN."
    )
    depth = "Show N levels of the tree; 0 shows all." if of_tree else "Show names of at most N levels ('net/dense' has 2); 0 shows all."
    options = [
        click.option("--start", metavar="PATTERN", default="", help=start),
        click.option("--show", metavar="PATTERN", default="", help="Show only names that match PATTERN as a whole."),
        click.option("--hide", metavar="PATTERN", default="", help=hide),
        click.option("--types", metavar="PATTERN", default="", help=types),
        click.option(
            "--min-time", "min_us", type=click.FloatRange(0), default=0, metavar="US", help="Hide rows below this total duration (µs)."
        ),
        click.option("--min-bytes", type=click.IntRange(0), default=0, metavar="BYTES", help=_bytes_help(of_tree)),
        click.option("--min-flops", type=click.FloatRange(0), default=0, metavar="N", help="Hide rows with fewer FLOPs."),
        click.option("--depth", type=click.IntRange(0), default=0, metavar="N", help=depth),
        click.option("--order", type=click.Choice(orders), default=default, show_default=True, help="Sort rows by this."),
    ]
    if parameters:
        least = click.option(
            "--min-params", "min_parameters", type=click.IntRange(0), default=0, metavar="N", help="Hide rows with fewer parameters."
        )
        options.insert(6, least)

    def add(verb: _Verb) -> _Verb:
        for option in reversed(options):
            verb = option(verb)
        return verb

    return add


def _bytes_help(of_tree: bool) -> str:
    return "Hide rows that allocate less than this." if of_tree else "Hide rows that allocate or access fewer bytes."


def select_option(columns: Sequence[str]) -> Callable[[_Verb], _Verb]:
    """--select, which `selected` reads; JSON and CSV have all columns."""

    def keep(ctx: click.Context, _: click.Parameter, value: str | None) -> None:
        words = [word.strip() for word in (value or "").split(",") if word.strip()]
        unknown = [word for word in words if word not in columns]
        if unknown:
            raise click.BadParameter(f"There is no column {unknown[0]!r}; there are {', '.join(columns)}.")
        ctx.meta[_SELECT] = words

    help_text = f"Columns of the text, separated by commas: {', '.join(columns)}."
    return click.option("--select", metavar="COLUMNS", expose_value=False, callback=keep, help=help_text)


def selected(
    heads: Mapping[str, str], rows: Sequence[Sequence[str]], *, unasked: Collection[str] = ()
) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
    """Head and rows of a text's table with the columns that --select asks for, in its order; `heads` by the words of the option.

    The first column of rows, the name, comes before those and always stays. Without the option, columns without values and
    `unasked` ones are left out.
    """
    context = click.get_current_context(silent=True)
    place_of = {word: place for place, word in enumerate(heads, start=1)}
    filled = [word for word, place in place_of.items() if word not in unasked and any(row[place] for row in rows)]
    words: list[str] = (context.meta.get(_SELECT) if context else None) or filled
    places = [place_of[word] for word in words]
    return tuple(heads[word] for word in words), [(row[0], *(row[place] for place in places)) for row in rows]
