"""The pages of columns are what the declarations say, and every column of every answer says what it means and in which unit it is."""

from __future__ import annotations

import re
from collections.abc import Iterable

import pytest
from msgspec import Struct

import answer_pages
from stepscope.dashboards.live_events import LiveEvents
from stepscope.dashboards.route import Route
from stepscope.model.declared import columns
from stepscope.server.app import all_routes
from stepscope.server.errors import ErrorAnswer
from stepscope.session.all_parts import ALL_PARTS, SEVERAL_PARTS
from stepscope.session.part import AnyPart
from stepscope.session.several import AnySeveralPart

PARTS = (*ALL_PARTS, *SEVERAL_PARTS)
BESIDE_THE_ROUTES = (LiveEvents, ErrorAnswer)
NUMBERS = re.compile(r"\b(number|integer)\b")


def without_meaning(kinds: Iterable[type[Struct]]) -> list[str]:
    return [f"{kind.__name__}.{column.key}" for kind in kinds for column in columns(kind) if not column.meaning]


def without_unit(kinds: Iterable[type[Struct]]) -> list[str]:
    """Numbers, also in lists and objects, that have no unit; what measures nothing is declared as `unitless`."""
    declared = [(kind, column) for kind in kinds for column in columns(kind)]
    return [f"{kind.__name__}.{column.key}" for kind, column in declared if NUMBERS.search(column.type) and not column.unit]


def answered(route: Route) -> list[type[Struct]]:
    """Everything that a route answers, down to the rows inside."""
    seen: dict[str, type[Struct]] = {}
    return [kind for answer in answer_pages.answers_of(route) for kind in answer_pages.structs_in(answer, seen)]


def asked(route: Route) -> list[type[Struct]]:
    """Everything that a route takes."""
    return list(answer_pages.structs_in(route.request, {}))


def test_the_pages_are_up_to_date() -> None:
    assert answer_pages.PAGE.read_text() == answer_pages.page(), "run `make docs`"
    assert answer_pages.HTTP_PAGE.read_text() == answer_pages.http_page(), "run `make docs`"


@pytest.mark.parametrize("route", all_routes(), ids=lambda route: f"{route.method} {route.path}")
def test_every_column_of_a_route_has_a_meaning_and_every_number_a_unit(route: Route) -> None:
    assert without_meaning([*asked(route), *answered(route)]) == []
    assert without_unit(answered(route)) == []


@pytest.mark.parametrize("kind", BESIDE_THE_ROUTES)
def test_what_no_route_declares_is_declared_as_well(kind: type[Struct]) -> None:
    kinds = list(answer_pages.structs_in(kind, {}))
    assert (without_meaning(kinds), without_unit(kinds)) == ([], [])


@pytest.mark.parametrize("part", PARTS, ids=lambda part: part.id)
def test_every_part_is_answered_by_a_route(part: AnyPart | AnySeveralPart) -> None:
    assert part.answer in {answer for route in all_routes() for answer in answer_pages.answers_of(route)}


def test_every_answer_is_on_a_page() -> None:
    written = set(re.findall(r"^(?:#### |`)(\w+)", answer_pages.page() + answer_pages.http_page(), re.MULTILINE))
    everything = {kind.__name__ for route in all_routes() for kind in (*answered(route), *asked(route))}
    assert everything - written - {part.wanted.__name__ for part in PARTS} == {"NoFields"}


def test_a_column_without_words_would_be_noticed() -> None:
    class Silent(Struct):
        """Columns that say nothing."""

        count: int
        name: str

    assert without_meaning([Silent]) == ["Silent.count", "Silent.name"]
    assert without_unit([Silent]) == ["Silent.count"]
