"""docs/profiles/answers.md is what the declarations say, and every declared column says what it means."""

from __future__ import annotations

import pytest
from msgspec import Struct

import answer_pages
from stepscope.dashboards.profile.logged_memory import LoggedMemoryAnswer
from stepscope.dashboards.profile.sessions import SessionsAnswer
from stepscope.model.declared import columns
from stepscope.session.all_parts import ALL_PARTS, SEVERAL_PARTS
from stepscope.session.part import AnyPart
from stepscope.session.several import AnySeveralPart

PARTS = (*ALL_PARTS, *SEVERAL_PARTS)


def test_the_page_is_up_to_date() -> None:
    assert answer_pages.PAGE.read_text() == answer_pages.page(), "run `make docs`"


@pytest.mark.parametrize("part", PARTS, ids=lambda part: part.id)
def test_every_column_has_a_meaning(part: AnyPart | AnySeveralPart) -> None:
    kinds = [part.wanted, *answer_pages.structs_in(part.answer, {})]
    assert [f"{kind.__name__}.{column.key}" for kind in kinds for column in columns(kind) if not column.meaning] == []


@pytest.mark.parametrize("part", PARTS, ids=lambda part: part.id)
def test_every_number_has_a_unit(part: AnyPart | AnySeveralPart) -> None:
    kinds = answer_pages.structs_in(part.answer, {})
    numbers = [(kind, column) for kind in kinds for column in columns(kind) if column.type.split(" or ")[0] in {"number", "integer"}]
    assert [f"{kind.__name__}.{column.key}" for kind, column in numbers if not column.unit] == []


@pytest.mark.parametrize("answer", [LoggedMemoryAnswer, SessionsAnswer])
def test_answers_without_a_part_are_declared_as_well(answer: type[Struct]) -> None:
    declared = [column for kind in answer_pages.structs_in(answer, {}) for column in columns(kind)]
    assert [column.key for column in declared if not column.meaning] == []
    assert [one.key for one in declared if one.type.split(" or ")[0] in {"number", "integer"} and not one.unit] == []
