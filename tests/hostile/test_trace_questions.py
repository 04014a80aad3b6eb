"""Absurd questions about the trace are refused with one sentence, or answered; the server never fails."""

from __future__ import annotations

from pathlib import Path

import pytest

from dashboards.profile_server import ProfileServer

PICTURE = """
    main     1111111111222222222233333333334444444444
    main     iiilssssssiiilssssssiiilssssssiiilssssss
    gpu 0        KKKKKK    KKKKKK    KKKKKK    KKKKKK
"""
NUMBERS = ("nan", "inf", "-1e999", "", "x", "0x10", "1" * 400, "²", "null", "-1", "9" * 30, "1e300", "0")
"""Some of them are numbers, and are answered where they make a window."""
TEXTS = ("", "a" * 1_001, "(a+)+$", "(a|a)*b", "((((", "\\", "(?:x)", "[", "\0", "😀", "%00")
TABLES = ("operation", "kernel", "copy", "collective")
LABELS = ("name", "by", "device", "op", "memory", "group")
"""What tells a row of a table from the others, in a question for its spans."""
LEFT_OUT = "left out"
"""The value of a field that the question has not."""
WINDOWS = ("tiles", "area", "calls", "gaps", "path_trace", "replay", "rank_tiles")
"""Routes that ask about a window of time."""

GOOD: dict[str, dict[str, str]] = {
    "tracks": {"limit": "10"},
    "tiles": {"start_us": "0", "end_us": "40000", "columns": "100", "tracks": "0,1", "lines": "4"},
    "search": {"text": "K", "regex": "false", "limit": "10"},
    "area": {"start_us": "0", "end_us": "40000", "tracks": "", "limit": "10"},
    "calls": {"start_us": "0", "end_us": "40000", "tracks": "", "bottom_up": "false"},
    "gaps": {"start_us": "0", "end_us": "40000", "limit": "10"},
    "path_trace": {"start_us": "0", "end_us": "40000", "limit": "10"},
    "slack": {"row": "0"},
    "replay": {"changes": "kernels=0.5", "start_us": "0", "end_us": "40000", "columns": "100"},
    "span": {"row": "0"},
    "ranks": {"limit": "10"},
    "rank_tiles": {"workers": "worker0", "start_us": "0", "end_us": "40000", "columns": "100"},
    "instances": {"of": "span", "like": "0", "row": "0", "limit": "10"},
}
QUESTIONS = [
    *(
        (route, {field: value})
        for route, good in GOOD.items()
        for field in good
        if field not in ("text", "changes")
        for value in NUMBERS
    ),
    *(("search", {"text": text, "regex": regex}) for text in TEXTS for regex in ("true", "false")),
    *(
        ("replay", {"changes": text})
        for text in (*TEXTS[1:], "kernels", "kernels=", "kernels=-1", "kernels=nan", "kernels=1e400", "=,=")
    ),
    *(("replay", {"align": number}) for number in NUMBERS[3:]),
    *((route, {"start_us": "2", "end_us": "1"}) for route in WINDOWS),
    *((route, {"start_us": "-1e300", "end_us": "1e300"}) for route in ("tiles", "rank_tiles", "area", "calls")),
    *(("instances", {"of": of, "like": LEFT_OUT, "row": LEFT_OUT, field: text}) for of in TABLES for field in LABELS for text in TEXTS),
    *(("instances", {field: number}) for field in ("bytes", "stream", "order") for number in NUMBERS),
    *(
        (route, {"tracks": tracks})
        for route in ("tiles", "area", "calls")
        for tracks in (",", ",,,", "0,0", "0;1", "-0", "1e3", "0," * 5_000, "7" * 4_999)
    ),
    *((route, {"worker": worker}) for route in GOOD for worker in ("nobody", "../..", "\0", "w" * 2_000)),
]


@pytest.fixture(scope="module")
def asked(tmp_path_factory: pytest.TempPathFactory) -> tuple[ProfileServer, str]:
    path: Path = tmp_path_factory.mktemp("hostile")
    server = ProfileServer(path / "logs")
    server.record("train", "worker0", PICTURE)
    (session,) = server.sessions()
    server.part("tracks", session["id"], limit=1)
    return server, session["id"]


@pytest.mark.parametrize("route", GOOD)
def test_a_good_question_is_answered(asked: tuple[ProfileServer, str], route: str) -> None:
    server, session = asked
    assert server.client.get(f"/api/v1/profile/{session}/{route}", params=GOOD[route]).status_code == 200


@pytest.mark.slow
def test_absurd_questions_are_answered_or_refused_with_a_sentence(asked: tuple[ProfileServer, str]) -> None:
    server, session = asked
    refused = 0
    for route, absurd in QUESTIONS:
        asked_for = {field: value for field, value in {**GOOD[route], **absurd}.items() if value is not LEFT_OUT}
        got = server.client.get(f"/api/v1/profile/{session}/{route}", params=asked_for)
        assert got.status_code in (200, 400, 404), (route, absurd, got.text)
        if got.status_code != 200:
            refused += 1
            message = got.json()["error"]["message"]
            assert message.endswith("."), (route, absurd, message)
            assert "\n" not in message, (route, absurd, message)
    assert refused > len(QUESTIONS) / 2


@pytest.mark.parametrize("route", WINDOWS)
@pytest.mark.parametrize(("start", "end"), [("nan", "1"), ("0", "nan"), ("inf", "inf"), ("-inf", "0"), ("1", "0"), ("1e300", "-1e300")])
def test_windows_that_are_none_are_refused(asked: tuple[ProfileServer, str], route: str, start: str, end: str) -> None:
    server, session = asked
    got = server.client.get(f"/api/v1/profile/{session}/{route}", params={**GOOD[route], "start_us": start, "end_us": end})
    assert got.status_code == 400
    assert got.json()["error"]["code"] in ("bad_window", "bad_request")
