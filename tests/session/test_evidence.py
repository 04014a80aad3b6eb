"""The span behind a line of evidence, and the others of its name with time of their own."""

from __future__ import annotations

import pytest

from session.drawn_sessions import INPUT_BOUND, analysed, drawn
from stepscope.model.errors import NotThere
from stepscope.model.profile import SpanKind
from stepscope.session.analysed import AnalysedSession
from stepscope.session.parts.evidence import EVIDENCE, MOST_SPANS, EvidenceFound, EvidenceWanted


def rows_of(session: AnalysedSession, kind: SpanKind) -> list[int]:
    """As the file numbers them."""
    profile = session.profiles[0]
    return [profile.row_in_file(row) for row, each in enumerate(profile.spans.kind.tolist()) if each == kind]


def found(session: AnalysedSession, row: int) -> EvidenceFound:
    return EVIDENCE.make(session, EvidenceWanted(row=row))


def test_the_span_has_its_place_and_the_time_that_nothing_hides() -> None:
    session = drawn(names={"i": "next_batch"})
    answer = found(session, rows_of(session, SpanKind.INPUT)[1])
    assert (answer.part, answer.span.name, answer.span.track, answer.span.step) == ("input", "next_batch", "main", 2)
    assert (answer.span.start_us, answer.span.duration_us) == (10_000, 3_000)
    assert answer.span.own_us == pytest.approx(3_000)


def test_others_of_its_name_are_longest_first_and_without_itself() -> None:
    picture = INPUT_BOUND.replace("iiilssssssiiilssssss", "iiilssssssiil.ssssss", 1)
    session = drawn(picture)
    rows = rows_of(session, SpanKind.INPUT)
    answer = found(session, rows[0])
    assert [span.row for span in answer.alike] == [rows[2], rows[3], rows[1]]
    assert answer.alike_total == 4
    assert answer.own_us_per_step == pytest.approx(11_000 / 4)


def test_only_some_of_many_are_listed() -> None:
    letters = "123456789"
    session = drawn(
        f"main   {''.join(each * 4 for each in letters)}\nmain   {'il..' * 9}\ngpu 0  {'  KK' * 9}",
    )
    answer = found(session, rows_of(session, SpanKind.INPUT)[0])
    assert (len(answer.alike), answer.alike_total >= 9 - 1) == (MOST_SPANS - 1, True)


def test_what_is_around_the_span_is_innermost_first() -> None:
    session = drawn("main   11112222\nmain   pppppppp\nmain   oooooo..\nmain   .i...i..", names={"p": "train", "o": "load"})
    assert found(session, rows_of(session, SpanKind.INPUT)[0]).span.stack == ["load", "train"]


def test_rows_are_those_of_the_file_in_a_range_too() -> None:
    whole = drawn()
    part = analysed(whole.profiles[0], chosen="3:5")
    row = rows_of(whole, SpanKind.INPUT)[2]
    answer = found(part, row)
    assert (answer.span.row, answer.span.step, answer.span.start_us) == (row, 3, 20_000)
    with pytest.raises(NotThere):
        found(part, rows_of(whole, SpanKind.INPUT)[0])


def test_a_row_that_is_not_there() -> None:
    with pytest.raises(NotThere):
        found(drawn(), 10_000)
