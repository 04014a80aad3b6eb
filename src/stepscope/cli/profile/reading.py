"""The argument and options that all verbs of profiles share, and the reading of what they name."""

from __future__ import annotations

import csv
import io
import json
import os
import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, TypeVar, cast

import click

from stepscope.cli.profile.range_options import in_range, range_answer, range_options
from stepscope.cli.terminal import printable
from stepscope.model.errors import NotThere

if TYPE_CHECKING:
    from stepscope.formats.format import Limits
    from stepscope.ingest.own_kinds import OwnKinds
    from stepscope.model.profile import Profile
    from stepscope.model.session import ProfileSession

_Verb = TypeVar("_Verb", bound=Callable[..., Any])
_OTHERS_NAMED = 5
_GIB = 1 << 30
_KINDS, _COLLECTIVES = "stepscope.span_kinds", "stepscope.collectives"
_SESSIONS = "stepscope.sessions"


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


def own_kinds() -> OwnKinds:
    """The user's own kinds of spans, as the options of the verb that runs or the environment say."""
    from stepscope.ingest.own_kinds import OwnKinds

    context = click.get_current_context(silent=True)
    return OwnKinds(context.meta.get(_KINDS), context.meta.get(_COLLECTIVES)) if context else OwnKinds()


def read_profiles(
    path: str, max_gib: int | None = None, *, cache: bool = True, timed: bool = True, chosen: str | None = None
) -> list[Profile]:
    """The profiles of a file, or of the newest session in a folder; the other sessions are named on stderr. Raises BadInput.

    Profiles without a time of anything, such as memory snapshots, are left out unless `timed` is False. Of each only what belongs to
    the range `chosen`, or else to the one that the verb's options choose.
    """
    return in_range(_whole_profiles(path, max_gib, cache=cache, timed=timed), chosen)


def each_session(path: str) -> tuple[str, ...]:
    """What to give read_profiles for each session with steps that a folder has, oldest first; a file alone is itself."""
    from stepscope.formats.open_profile import sessions_at

    place, name = _place_and_name(os.path.expanduser(path))
    sessions = None if name is not None else sessions_at(place)
    if sessions is None:
        return (path,)
    # Runs may have sessions of one name, so each is looked for in its own folder.
    return tuple(f"{os.path.dirname(one.files[0].path)}#{one.name}" for one in reversed(sessions) if one.has_steps)


def _kept_as(key: str) -> Callable[[click.Context, click.Parameter, str | None], None]:
    """A callback that keeps an option's value for whoever reads, so that verbs need not hand it on."""

    def keep(ctx: click.Context, _: click.Parameter, value: str | None) -> None:
        ctx.meta[key] = value

    return keep


def _whole_profiles(path: str, max_gib: int | None, *, cache: bool, timed: bool) -> list[Profile]:
    from stepscope.formats.open_profile import read_session, with_times
    from stepscope.ingest.profile_reading import ProfileReading

    limits, reading = limits_of(max_gib), ProfileReading(cache, own_kinds())
    path, name = _place_and_name(os.path.expanduser(path))
    session = _session(path, name, timed=timed)
    if session is None:
        found = [reading.read(path if name is None else f"{path}#{name}", limits)]
    else:
        found = read_session(session, limits, reading.read_session_file)
    return with_times(found, path) if timed else found


def _session(path: str, name: str | None, *, timed: bool) -> ProfileSession | None:
    """The session that is asked for, looked for once a command; None for a file that is one recording as a whole."""
    context = click.get_current_context(silent=True)
    kept: dict[tuple[str, str | None, bool], ProfileSession | None] = {} if context is None else context.meta.setdefault(_SESSIONS, {})
    asked = (path, name, timed)
    if asked not in kept:
        kept[asked] = _found_session(path, name, timed=timed)
    return kept[asked]


def _found_session(path: str, name: str | None, *, timed: bool) -> ProfileSession | None:
    from stepscope.formats.open_profile import sessions_at

    sessions = sessions_at(path)
    if sessions is None:
        return None
    if timed:
        sessions = [session for session in sessions if session.has_steps] or sessions
    if name is None:
        _name_others(sessions)
    else:
        sessions = _named(sessions, name, path)
    return sessions[0]


def echo_json(answer: dict[str, Any]) -> None:
    """One object, with unknown numbers as null."""
    click.echo(json_text(answer))


def json_text(answer: dict[str, Any]) -> str:
    """What echo_json prints."""
    return json.dumps(answer | range_answer(), indent=2, allow_nan=False)


def csv_option(verb: _Verb) -> _Verb:
    """--csv, for verbs whose answer is one table."""
    return click.option("--csv", "as_csv", is_flag=True, help="Print the rows of --json as CSV.")(verb)


def echo_csv(rows: Sequence[dict[str, Any]]) -> None:
    """A head and one line a row; unknown is empty, and lists are JSON. Files get names as they are, a terminal what it can show."""
    if not rows:
        return
    shown = _shown_cell if sys.stdout.isatty() else _cell
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(rows[0])
    writer.writerows([shown(cell) for cell in row.values()] for row in rows)
    click.echo(text.getvalue(), nl=False)


def _cell(value: object) -> object:
    return json.dumps(cast("list[Any] | tuple[Any, ...]", value)) if isinstance(value, list | tuple) else value


def _shown_cell(value: object) -> object:
    """Names come from disk and could move the cursor or set the window's title."""
    return printable(value) if isinstance(value, str) else _cell(value)


def known(number: float | None) -> float | None:
    """A number for JSON, which has no NaN."""
    return None if number is None or number != number or number in (float("inf"), float("-inf")) else number


def limits_of(max_gib: int | None) -> Limits:
    """How much may be read, by --max-gib."""
    from stepscope.formats.format import Limits

    if max_gib is None:
        return Limits()
    return Limits(bytes=max_gib * _GIB, ratio=1 << 30)


def _place_and_name(path: str) -> tuple[str, str | None]:
    """A path that exists, and the name of the session that is asked for after a #, if any."""
    place, mark, name = path.partition("#")
    while mark and not os.path.lexists(path):
        if os.path.lexists(place):
            return place, name
        more, mark, name = name.partition("#")
        place = f"{place}#{more}"
    return path, None


def _named(sessions: Sequence[ProfileSession], name: str, path: str) -> list[ProfileSession]:
    found = [session for session in sessions if session.name == name]
    if not found:
        names = ", ".join(printable(session.name) for session in sessions[:_OTHERS_NAMED])
        more = " and more" if len(sessions) > _OTHERS_NAMED else ""
        raise NotThere(f"{path} has no session {name}; it has {names}{more}.", "no_profile")
    return found


def _name_others(sessions: Sequence[ProfileSession]) -> None:
    others = [printable(session.name) for session in sessions[1:]]
    if others:
        more = f" and {len(others) - _OTHERS_NAMED} more" if len(others) > _OTHERS_NAMED else ""
        click.echo(
            f"Using the newest session, {printable(sessions[0].name)}; others: {', '.join(others[:_OTHERS_NAMED])}{more}.", err=True
        )
