"""The messages of the profiler service: what is asked for, what comes back, and bytes that are neither."""

from __future__ import annotations

import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stepscope.capture.remote.service import (
    ENDINGS,
    LONGEST_MONITOR_MS,
    LONGEST_MS,
    Answer,
    Wanted,
    decode_answer,
    decode_monitor_answer,
    decode_monitor_request,
    decode_request,
    encode_answer,
    encode_monitor_answer,
    encode_monitor_request,
    encode_request,
)
from stepscope.model.protobuf_fields import BadMessage


def test_a_request_is_read_as_it_was_meant() -> None:
    wanted = Wanted(2500, host_level=3, python_level=1, start_ns=1_700_000_000_000_000_000)
    assert decode_request(encode_request(wanted, "session", "host")) == wanted


@pytest.mark.parametrize("duration", [0, LONGEST_MS + 1])
def test_a_duration_has_bounds(duration: int) -> None:
    with pytest.raises(BadMessage):
        decode_request(encode_request(Wanted(duration), "", ""))


def test_monitoring_is_asked_and_answered_as_it_was_meant() -> None:
    assert decode_monitor_request(encode_monitor_request(1500)) == 1500
    assert decode_monitor_answer(encode_monitor_answer("process: 1\nframework: torch")) == "process: 1\nframework: torch"


@pytest.mark.parametrize("duration", [0, LONGEST_MONITOR_MS + 1])
def test_monitoring_has_bounds(duration: int) -> None:
    with pytest.raises(BadMessage):
        decode_monitor_request(encode_monitor_request(duration))


@pytest.mark.parametrize(
    "answer",
    [
        Answer({".xplane.pb": b"space"}),
        Answer({".pt.trace.json.gz": b"trace"}),
        Answer({".xplane.pb": b"space", ".memory.prof": b"memory"}),
        Answer({}, is_empty=True),
    ],
)
def test_an_answer_is_read_as_it_was_given(answer: Answer) -> None:
    assert decode_answer(encode_answer(answer)) == answer


def test_only_profiles_are_taken_from_an_answer() -> None:
    named = Answer({"../../../.bashrc": b"evil", "x/../../y.trace.json": b"{}"})
    assert decode_answer(encode_answer(named)).files == {".trace.json": b"{}"}


@given(st.binary(max_size=200))
def test_any_bytes_are_an_answer_or_no_message(data: bytes) -> None:
    with contextlib.suppress(BadMessage):
        assert set(decode_answer(data).files) <= set(ENDINGS)


@given(st.binary(max_size=200))
def test_any_bytes_are_a_request_within_bounds_or_no_message(data: bytes) -> None:
    with contextlib.suppress(BadMessage):
        assert 0 < decode_request(data).duration_ms <= LONGEST_MS


@given(st.data())
def test_a_damaged_request_is_within_bounds_or_no_message(data: st.DataObject) -> None:
    asked = bytearray(encode_request(Wanted(2500, host_level=3, python_level=1, start_ns=1 << 60), "session", "host"))
    for at in data.draw(st.lists(st.integers(0, len(asked) - 1), min_size=1, max_size=4)):
        asked[at] = data.draw(st.integers(0, 255))
    with contextlib.suppress(BadMessage):
        wanted = decode_request(bytes(asked))
        assert 0 < wanted.duration_ms <= LONGEST_MS
        assert min(wanted.host_level, wanted.python_level, wanted.start_ns) >= 0
