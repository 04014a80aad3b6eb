"""How a verb asks a part of the analysis, and how it prints the answer as JSON or CSV."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, cast

import click

from stepscope.cli.profile.options import given_limit, limits_of, own_kinds
from stepscope.cli.profile.range_options import chosen_range
from stepscope.cli.terminal import printable
from stepscope.model.csv_cells import csv_line, shown_text

if TYPE_CHECKING:
    from msgspec import Struct

    from stepscope.session.at_path import ProfileAt
    from stepscope.session.part import A, Part, W

_OTHERS_NAMED = 5
_OPENED = "stepscope.opened"


def ask(part: Part[W, A], path: str, **fields: Any) -> A:  # noqa: ANN401 - the fields of what the part takes
    """What a part says about the profile at a path, with the options that all verbs share. Raises BadInput or NotThere."""
    context = click.get_current_context()
    steps_by: str | None = context.params.get("steps_by")
    if (limit := given_limit()) is not None:
        fields["limit"] = limit
    wanted = part.wanted(steps=steps_by or "", range=chosen_range(), **fields)
    answer = opened(path, timed=part.files.value != "memory").answer(part, wanted)
    say_range(answer.range)
    return answer


def say_range(text: str | None) -> None:
    """Names the range that is used on stderr; nothing when it is the whole profile."""
    if text is not None:
        click.echo(f"Using {text}.", err=True)


def opened(path: str, *, timed: bool = True) -> ProfileAt:
    """The session at a path, found once a command; the other sessions there are named on stderr. Raises BadInput or NotThere."""
    from stepscope.session.at_path import Opening, profile_at

    context = click.get_current_context()
    found: dict[tuple[str, bool], ProfileAt] = context.meta.setdefault(_OPENED, {})
    if (path, timed) not in found:
        params = context.params
        opening = Opening(not params.get("no_cache", False), limits_of(params.get("max_gib")), own_kinds())
        found[path, timed] = profile_at(path, opening, timed=timed)
        _name_others(found[path, timed])
    return found[path, timed]


def echo_answer(answer: Struct | dict[str, Any], **more: object) -> None:
    """One JSON object, as the HTTP API answers it, with what only the terminal knows."""
    import msgspec

    found = msgspec.json.encode({**msgspec.to_builtins(answer), **more} if more else answer)
    click.echo(msgspec.json.format(found, indent=2).decode())


def echo_rows(rows: Sequence[Struct]) -> None:
    """A head and one line a row; unknown is empty, and lists are JSON. A name that a spreadsheet would run gets a quote before it."""
    from stepscope.model.declared import cells

    if not rows:
        return
    shown = _shown_cell if sys.stdout.isatty() else _cell
    lines = [csv_line(cells(rows[0])), *(csv_line(shown(cell) for cell in cells(row).values()) for row in rows)]
    click.echo("\n".join(lines))


def _cell(value: object) -> object:
    if isinstance(value, str):
        return shown_text(value)
    return json.dumps(cast("list[Any] | tuple[Any, ...]", value)) if isinstance(value, list | tuple) else value


def _shown_cell(value: object) -> object:
    """Names come from disk and could move the cursor or set the window's title."""
    return shown_text(printable(value)) if isinstance(value, str) else _cell(value)


def _name_others(found: ProfileAt) -> None:
    others = [printable(name) for name in found.others]
    if others:
        more = f" and {len(others) - _OTHERS_NAMED} more" if len(others) > _OTHERS_NAMED else ""
        named = f"{', '.join(others[:_OTHERS_NAMED])}{more}"
        click.echo(f"Using the newest session, {printable(found.session.name)}; others: {named}.", err=True)
