"""Writes what the API takes and answers into docs/, from the declarations alone: parts of a profile, and all other routes."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args, get_origin, get_type_hints

from msgspec import Struct

if TYPE_CHECKING:
    from stepscope.dashboards.route import Route

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "profiles" / "answers.md"
HTTP_PAGE = ROOT / "docs" / "http-answers.md"

_HEAD = """# Columns of every profile table

This page is written from the declarations in `stepscope.session.parts` by `make docs`. The same keys are in
`stepscope profile PART PROFILE --json`, in `GET /api/v1/profile/{session}/PART`, in CSV files and data frames, and in the objects that
`stepscope.load_profile` gives. Shares are fractions from 0 to 1; other numbers carry their unit in the key. What is unknown is null.

Every table accepts `steps` (source of the steps), `range` (steps, time or epochs) and `worker` (a rank), and returns `range`, the
selected range in words.
"""


_HTTP_HEAD = """# Columns of the HTTP API

This page is written from the declarations of the routes by `make docs`. The [HTTP API](http-api.md) explains the routes; parts of a
profile have [a page of their own](profiles/answers.md). All paths are below `/api/v1`.

A column that is "column of f64" is in the binary part of a [frame](http-api.md#post-apiv1scalarsseries): the JSON header says where.
"""


_ANSWERS = {"FrameOf": "Header of the frame", "FileOf": "HTTP headers of the file"}
"""What the table of an answer is of, by how the route declares it; other answers are JSON."""


def structs_in(kind: type[Struct], seen: dict[str, type[Struct]]) -> Iterator[type[Struct]]:
    """A declared answer and the rows in it, each once, in reading order."""
    if kind.__name__ in seen:
        return
    seen[kind.__name__] = kind
    yield kind
    for hint in get_type_hints(kind).values():
        for inner in _structs(hint):
            yield from structs_in(inner, seen)


def _structs(hint: object) -> Iterator[type[Struct]]:
    if isinstance(hint, type) and get_origin(hint) is None:
        if issubclass(hint, Struct):
            yield hint
        return
    for inner in get_args(hint):
        yield from _structs(inner)


def table_of(kind: type[Struct], left_out: frozenset[str]) -> Iterator[str]:
    """The columns of one struct as a Markdown table."""
    from stepscope.model.declared import columns

    yield "| key | type | unit | meaning |"
    yield "| --- | --- | --- | --- |"
    for column in columns(kind):
        if column.key not in left_out:
            yield f"| `{column.key}` | {column.type} | {column.unit} | {column.meaning.replace('|', '&#124;')} |"


def page() -> str:
    """The whole page."""
    from stepscope.session.all_parts import ALL_PARTS, SEVERAL_PARTS
    from stepscope.session.part import Answer, Wanted

    shared = frozenset(Wanted.__struct_fields__)
    lines = [_HEAD]
    for part in (*ALL_PARTS, *SEVERAL_PARTS):
        lines += [f"## {part.title}: `{part.id}`", ""]
        if set(part.wanted.__struct_fields__) > shared:
            lines += ["Takes:", "", *table_of(part.wanted, shared), ""]
        for kind in structs_in(part.answer, {}):
            text = " ".join((kind.__doc__ or "").split())
            lines += [f"`{kind.__name__}`: {text}", "", *table_of(kind, frozenset(Answer.__struct_fields__)), ""]
    return "\n".join(lines)


def answers_of(route: Route) -> tuple[type[Struct], ...]:
    """What a route declares of its answer: JSON, the header of a frame, or what headers say about a file. A generic answer is two."""
    from stepscope.dashboards.route import FileOf, FrameOf

    answer: Any = route.response
    if isinstance(answer, FrameOf):
        return (answer.header,)
    if isinstance(answer, FileOf):
        return (answer.facts,)
    if answer is None or isinstance(answer, tuple):
        return ()
    return (get_origin(answer), *get_args(answer)) if get_origin(answer) else (answer,)


def http_page() -> str:
    """The columns of all routes but those of a profile's parts; a struct that several routes share stands where it is met first."""
    from stepscope.dashboards.all_dashboards import ALL_DASHBOARDS
    from stepscope.dashboards.capture_routes import CAPTURE_ROUTES
    from stepscope.dashboards.folder_routes import FOLDER_ROUTES
    from stepscope.dashboards.job_routes import JOB_ROUTES
    from stepscope.dashboards.live_events import LiveEvents
    from stepscope.dashboards.profile.part_routes import PART_ROUTES, Answered
    from stepscope.dashboards.route import NoFields
    from stepscope.dashboards.trash_routes import TRASH_ROUTES
    from stepscope.server.errors import ErrorAnswer
    from stepscope.session.all_parts import ALL_PARTS

    seen: dict[str, type[Struct]] = {NoFields.__name__: NoFields}
    lines = [_HTTP_HEAD, "## Errors", "", *_tables((ErrorAnswer,), seen)]
    titled = [
        ("Folder and runs", FOLDER_ROUTES),
        ("Jobs", JOB_ROUTES),
        ("Trash", TRASH_ROUTES),
        ("Capture", CAPTURE_ROUTES),
        *((each.label, each.routes) for each in ALL_DASHBOARDS),
    ]
    for title, routes in titled:
        lines += [f"## {title}", ""]
        for route in routes:
            if route not in PART_ROUTES:
                lines += [f"### `{route.method} {route.path}`", "", f"{route.summary}.", ""]
                lines += _told("Takes", (route.request,), seen)
                lines += _told(_ANSWERS.get(type(route.response).__name__, "Answers"), answers_of(route), seen)
    own = {part.wanted for part in ALL_PARTS}
    of_several = tuple(route.request for route in PART_ROUTES if route.request not in own)
    lines += [
        "## Parts of a profile",
        "",
        "Every part answers this around its own columns.",
        "",
        *_tables((Answered, *of_several), seen),
    ]
    lines += ["## Live events", "", "`GET /live` sends these events.", "", *_tables((LiveEvents,), seen)]
    return _linked("\n".join(lines), seen)


def _told(word: str, kinds: tuple[type[Struct], ...], seen: dict[str, type[Struct]]) -> Iterator[str]:
    from stepscope.dashboards.route import NoFields

    wanted = tuple(kind for kind in kinds if kind is not NoFields)
    if wanted:
        yield from (f"{word}: {', '.join(f'`{kind.__name__}`' for kind in wanted)}", "")
        yield from _tables(wanted, seen)


def _tables(kinds: tuple[type[Struct], ...], seen: dict[str, type[Struct]]) -> Iterator[str]:
    for outer in kinds:
        for kind in structs_in(outer, seen):
            yield from (f"#### {kind.__name__}", "", " ".join((kind.__doc__ or "").split()), "", *table_of(kind, frozenset()), "")


def _linked(text: str, seen: dict[str, type[Struct]]) -> str:
    """Names of structs lead to their tables."""
    names = "|".join(sorted(seen, key=len, reverse=True))
    cell = re.compile(rf"(?<=\| )((?:[a-z0-9 ]* of )*)({names})((?: or [a-z]+)*)(?= \|)")
    text = cell.sub(lambda found: f"{found[1]}[{found[2]}](#{found[2].lower()}){found[3]}", text)
    words = "|".join(("Takes", "Answers", *_ANSWERS.values()))
    line = re.compile(rf"^({words}): (.*)$", re.MULTILINE)
    return line.sub(lambda found: f"{found[1]}: " + re.sub(r"`(\w+)`", lambda name: f"[{name[1]}](#{name[1].lower()})", found[2]), text)


if __name__ == "__main__":
    sys.path.insert(0, str(ROOT / "src"))
    PAGE.write_text(page(), encoding="utf-8")
    HTTP_PAGE.write_text(http_page(), encoding="utf-8")
