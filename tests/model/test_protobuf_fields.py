"""Places of fields are those that reading all of a message finds, and bytes that are cut short are noticed."""

from __future__ import annotations

import pytest

import event_bytes as eb
from stepscope.model.protobuf_fields import BadMessage, fields, places

MESSAGE = (
    eb.message(1, b"tag")
    + eb.varint(2 << 3 | 0) + eb.varint(300)
    + eb.varint(3 << 3 | 1) + bytes(8)
    + eb.varint(4 << 3 | 5) + bytes(4)
    + eb.message(5, b"x" * 5_000)
    + eb.message(6, b"")
)  # fmt: skip


def found(message: bytes) -> list[tuple[int, bytes]]:
    """Every field by its place, with its bytes."""
    whole = places(lambda at, size: message[at : at + size], 0, len(message))
    return [(one.id, message[one.start : one.start + one.size]) for one in whole]


def test_places_are_those_of_the_fields() -> None:
    assert found(MESSAGE) == [(field.id, field.data) for field in fields(MESSAGE)]


def test_only_the_beginnings_of_fields_are_read() -> None:
    read = 0

    def count(at: int, size: int) -> bytes:
        nonlocal read
        read += size
        return MESSAGE[at : at + size]

    assert len(list(places(count, 0, len(MESSAGE)))) == 6
    assert read <= 6 * 20


@pytest.mark.parametrize("length", range(1, 30))
def test_a_message_that_is_cut_short_is_noticed_where_reading_all_notices_it(length: int) -> None:
    cut = MESSAGE[:length]
    try:
        whole = [(field.id, field.data) for field in fields(cut)]
    except BadMessage:
        with pytest.raises(BadMessage):
            found(cut)
    else:
        assert found(cut) == whole


def test_a_length_beyond_the_message_is_noticed() -> None:
    with pytest.raises(BadMessage):
        found(eb.varint(1 << 3 | 2) + eb.varint(1 << 40) + b"x")
