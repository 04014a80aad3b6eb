"""Broken JSON as found in the wild is repaired or left out with a note, and the rest is shown (`json_trace`, `json_values`)."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest

from formats.kineto.trace_events import ReadText, codes
from stepscope.formats.format import Limits
from stepscope.formats.kineto import FORMAT
from stepscope.formats.kineto.arguments import read_arguments, read_event
from stepscope.formats.kineto.read import read
from stepscope.formats.span_attributes import span_attributes
from stepscope.model.errors import BadInput
from stepscope.model.profile import Profile

GOOD = '{"ph": "X", "cat": "cpu_op", "name": "before", "pid": 1, "tid": 1, "ts": 1, "dur": 1, "args": {}}'
AFTER = '{"ph": "X", "cat": "cpu_op", "name": "after", "pid": 1, "tid": 1, "ts": 9, "dur": 1, "args": {}}'


def around(middle: str) -> str:
    """A trace with a good event before and after."""
    return f'{{"schemaVersion": 1, "traceEvents": [\n{GOOD},\n{middle},\n{AFTER}\n]}}'


def event(name: str, arguments: str = "{}") -> str:
    """An event whose name and arguments go in as they are, right or wrong."""
    return f'{{"ph": "X", "cat": "cpu_op", "name": "{name}", "pid": 1, "tid": 1, "ts": 5, "dur": 1, "args": {arguments}}}'


def names(profile: Profile) -> list[str]:
    return [profile.names[one] for one in profile.spans.name]


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("C:\\Users\\x", "C:\\Users\\x"),
        ("C:\\Program Files\\", "C:\\Program Files\\"),
        ('call "f" now', 'call "f" now'),
        ('f("a", "b")', 'f("a", "b")'),
        ('<code in "file.py", line 7>', '<code in "file.py", line 7>'),
        ("bell\x07here", "bell\x07here"),
        ("two\nlines", "two\nlines"),
        ("bad \\u12 escape", "bad \\u12 escape"),
        ("\\ud83d\\ude00 \\u00e9", "\U0001f600 é"),
        ('say \\"hi\\"', 'say "hi"'),
    ],
)
def test_names_are_repaired(read_text: ReadText, written: str, meant: str) -> None:
    profile = read_text(around(event(written)))
    assert names(profile) == ["before", meant, "after"]


@pytest.mark.parametrize("word", ["N/A", "inf", "-inf", "nan", "-nan", "NaN", "Infinity", "None", "True", ""])
def test_bare_words_and_missing_values(read_text: ReadText, word: str) -> None:
    profile = read_text(around(event("middle", f'{{"blocks per SM": {word}, "External id": 3}}')))
    assert names(profile) == ["before", "middle", "after"]
    assert "repaired" in codes(profile)


@pytest.mark.parametrize(
    "middle", [event("m", '{"a": 1,}'), event("m", '{"a": 1 "b": 2}'), event("m", '{"a": [1, 2}'), event("m") + ","]
)
def test_commas_and_brackets(read_text: ReadText, middle: str) -> None:
    assert names(read_text(around(middle))) == ["before", "m", "after"]


def test_a_good_file_has_no_notes(read_text: ReadText) -> None:
    assert codes(read_text(around(event("x")))) == []


@pytest.mark.parametrize(
    "middle", ["garbage", '{"ph": "X", "name": unquoted text "', "[1, 2]", '"a string"', '{"ph": "X" "name" broken: }']
)
def test_what_cannot_be_repaired_is_left_out_and_counted(read_text: ReadText, middle: str) -> None:
    profile = read_text(around(middle))
    assert names(profile) == ["before", "after"]
    assert "dropped_events" in codes(profile)


def test_a_cut_file_is_shown_up_to_the_cut(read_text: ReadText) -> None:
    text = around(event("middle"))
    for cut in range(len(GOOD) + 50, len(text) - 4):
        profile = read_text(text[:cut])
        assert names(profile)[:1] == ["before"]
        assert "truncated" in codes(profile), text[:cut]


def test_broken_values_beside_the_events(read_text: ReadText) -> None:
    profile = read_text('{"schemaVersion": 1, "path": "a" b, "traceEvents": [' + GOOD + '], "traceName": "x]"}')
    assert names(profile) == ["before"]


def test_the_byte_order_mark_and_bare_lists(read_text: ReadText) -> None:
    assert names(read_text(b"\xef\xbb\xbf[" + GOOD.encode() + b"]")) == ["before"]
    assert names(read_text("[" + GOOD + ",")) == ["before"]


def test_invalid_utf8_is_shown_with_marks(read_text: ReadText) -> None:
    profile = read_text(around(event("MARK")).encode().replace(b"MARK", b"a\xffb"))
    assert names(profile)[1] == "a�b"


def test_deep_nesting_is_bounded(read_text: ReadText) -> None:
    deep = "[" * 2_000_000
    profile = read_text(around(event("middle", '{"x": ' + deep + "]" * 2_000_000 + "}")))
    assert {"before", "after"} <= set(names(profile))


def test_an_event_of_many_megabytes(read_text: ReadText) -> None:
    profile = read_text(around(event("middle", json.dumps({"Call stack": "frame;" * 1_000_000, "External id": 3}))))
    assert names(profile) == ["before", "middle", "after"]


def test_distinct_names_are_bounded(tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    path.write_text("[" + ",".join(event(f"name {i}") for i in range(2000)) + "]")
    profile = read(str(path), Limits(names=500))
    assert len(profile.spans) == 2000
    assert len(profile.names) < 510
    assert "(too many names)" in names(profile)
    assert "too_many_names" in codes(profile)


def test_spans_are_bounded(tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    path.write_text("[" + ",".join(event("x") for _ in range(2000)) + "]")
    profile = read(str(path), Limits(spans=700))
    assert len(profile.spans) == 700
    assert "too_many_events" in codes(profile)


@pytest.mark.parametrize("content", ["", "{", "hello", '{"a": 1}', "<html>"])
def test_no_trace_at_all_is_one_sentence(tmp_path: Path, content: str) -> None:
    path = tmp_path / "x.json"
    path.write_text(content)
    with pytest.raises(BadInput, match=r"contains no trace events"):
        read(str(path), Limits())


def test_arguments_of_a_broken_event_are_repaired_too(tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    path.write_text(around(event("middle", '{"path": "C:\\Windows\\", "share": N/A, "External id": 3}')))
    profile = read(str(path), Limits())
    assert read_arguments(str(path), int(profile.spans.source[1])) == {"path": "C:\\Windows\\", "share": "N/A", "External id": 3}
    assert span_attributes(profile, 1) == {"path": "C:\\Windows\\", "share": "N/A", "External id": 3}
    assert read_event(str(path), 3) == {}
    assert read_event(str(path), 10**9) == {}


def test_arguments_that_are_nested_too_deeply_are_none(tmp_path: Path) -> None:
    path = tmp_path / "rank0.json"
    path.write_text("[" + GOOD.replace('"args": {}', '"args": {"a": ' + "[" * 50_000 + "]" * 50_000 + "}") + "]")
    assert read_event(str(path), 1) == {}


def test_content_decides_what_is_a_trace() -> None:
    assert FORMAT.sniff(b'{"schemaVersion": 1, "deviceProperties": [', "whatever.txt")
    assert FORMAT.sniff(b'\n[ {"name": "x", "ph": "B"', "list.json")
    assert not FORMAT.sniff(b'{"loss": [1, 2, 3]}', "metrics.json")
    assert not FORMAT.sniff(b"\x0a\x05hello", "x.pt.trace.json")


@pytest.mark.parametrize("trap", ['{"ph": "X", "a": "', '{"ph": "X", "a": {', '{"ph" "X" [', '{"ph": "X", "a": "\\', '"', "{"])
def test_traps_cost_no_more_than_their_size(tmp_path: Path, trap: str) -> None:
    path = tmp_path / "x.json"
    path.write_text('{"traceEvents": [' + GOOD + "," + trap * (3_000_000 // len(trap)))
    began = time.process_time()
    profile = read(str(path), Limits())
    assert time.process_time() - began < 3
    assert names(profile)[:1] == ["before"]


@pytest.mark.slow
def test_distinct_operations_are_bounded(tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    path.write_text("[" + ",".join(event(f"op {i}") for i in range(100_500)) + "]")
    profile = read(str(path), Limits())
    assert len(profile.ops) == 100_001
    assert len(profile.names) > 100_500
    assert profile.ops[profile.spans.op[100_400]].name == "(too many names)"
    assert "too_many_names" in codes(profile)
