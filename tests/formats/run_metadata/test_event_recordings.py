"""Run metadata inside event files are sessions of their run, in the terminal and in the server, and nothing else there is."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import event_bytes as eb
from formats.run_metadata.run_metadata_bytes import CPU, device, example, node, run_metadata
from log_folder import LogFolder
from opened_profiles import open_profile, profiles_of
from stepscope.formats.event_recordings import MOST_RECORDINGS, read_recording, recordings_of
from stepscope.formats.format import Limits
from stepscope.formats.open_profile import find_sessions, sessions_at
from stepscope.model.errors import BadInput, NotThere, TooMuch
from stepscope.session.parts.ops import OPS
from stepscope.session.parts.span import SPAN
from stepscope.session.reader import SessionReader

HERE = Path(__file__).parent
NO_NODES = run_metadata(device(b"/device:CPU:0"))
"""What torch's add_graph logs: a device that ran nothing."""


def tagged(tag: str, content: bytes, *, step: int = 0, wall: float = 1e9) -> bytes:
    """A record as TensorFlow 1 writes it."""
    return eb.record(eb.double(1, wall) + eb.integer(2, step) + eb.message(8, eb.message(1, tag.encode()), eb.message(2, content)))


def summary(tag: str, content: bytes, plugin: bytes = b"graph_run_metadata", *, step: int = 0, wall: float = 1e9) -> bytes:
    """A record as trace_export writes it."""
    metadata = eb.message(9, eb.message(1, eb.message(1, plugin)))
    value = eb.message(1, eb.message(1, tag.encode()), metadata, eb.message(8, eb.integer(1, 7), eb.message(8, content)))
    return eb.record(eb.double(1, wall) + eb.integer(2, step) + eb.message(5, value))


def event_file(folder: Path, *records: bytes, name: str = "events.out.tfevents.1.machine") -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / name
    path.write_bytes(b"".join(records))
    return path


def session_names(path: Path) -> list[str]:
    return [session.name for session in sessions_at(str(path)) or []]


def span_names(path: Path, session: str) -> set[str]:
    found = next(one for one in sessions_at(str(path)) or [] if one.name == session)
    (profile,) = profiles_of(found)
    return {profile.names[name] for name in profile.spans.name}


def test_both_ways_of_logging_open_with_their_tag_and_step(tmp_path: Path) -> None:
    path = event_file(tmp_path, tagged("step009", example(), step=9, wall=1e9), summary("traced", example(), step=3, wall=2e9))
    assert session_names(path) == ["traced", "step009"]
    (profile,) = open_profile(str(path))
    assert (profile.format, profile.path) == ("run_metadata", str(path))
    assert (profile.environment["tag"], profile.environment["step"]) == ("traced", "3")
    assert span_names(path, "step009") == span_names(path, "traced") == {"a", "scope/b", "c", "k", "m"}


def test_what_tells_no_times_is_no_session(tmp_path: Path) -> None:
    graphs = eb.message(3, b"") + eb.message(4, b"")
    path = event_file(tmp_path, tagged("torch", NO_NODES), summary("graph", graphs, b"graph_run_metadata_graph"), summary("x", b"\xff"))
    with pytest.raises(NotThere) as refused:
        open_profile(str(path))
    assert refused.value.code == "no_profile"
    library = LogFolder(tmp_path).load()
    assert [run.profiles for run in library.snapshot.runs] == [()]


def test_the_same_tag_is_told_apart_by_step_and_number(tmp_path: Path) -> None:
    records = [tagged("a", example(), step=step, wall=1e9 + place) for place, step in enumerate((1, 2, 2))]
    assert session_names(event_file(tmp_path, *records)) == ["a, step 2 (2)", "a, step 2", "a, step 1"]
    assert session_names(event_file(tmp_path, tagged("", example()))) == ["run metadata"]


def test_a_folder_of_event_files_is_searched_when_no_file_is_a_profile(tmp_path: Path) -> None:
    event_file(tmp_path / "one", tagged("first", example(), wall=1e9))
    event_file(tmp_path / "two", tagged("second", example(), wall=2e9))
    assert [session.name for session in find_sessions(str(tmp_path))] == ["second", "first"]
    (tmp_path / "run_metadata.pb").write_bytes(example())
    assert [session.name for session in find_sessions(str(tmp_path))] == ["run_metadata"]


def test_the_server_lists_them_as_they_are_written(tmp_path: Path) -> None:
    folder = LogFolder(tmp_path)
    path = event_file(tmp_path / "run", tagged("graph", NO_NODES), tagged("step009", example(), wall=1e9))
    reader = SessionReader(folder.load())
    (before,) = reader.sessions()
    assert (before.run.name, before.session.name, before.session.time) == ("run", "step009", 1e9)
    with path.open("ab") as out:
        out.write(tagged("step019", run_metadata(device(CPU, node(b"late", b"late = NoOp()", 0, 5))), wall=2e9))
    folder.load()
    found = {one.session.name: one for one in reader.sessions()}
    assert list(found) == ["step019", "step009"]
    assert found["step009"].stamp == before.stamp, "what was read of it stays good while the file grows"
    assert [row.name for row in reader.answer(OPS, reader.find(found["step019"].session.id), OPS.wanted()).ops] == ["late"]
    assert reader.answer(SPAN, found["step009"], SPAN.wanted(row=0)).attributes == []


def test_a_replaced_or_missing_file_is_one_sentence(tmp_path: Path) -> None:
    path = event_file(tmp_path, tagged("step009", example()))
    (recording,) = list(recordings_of(str(path)) or ())
    with pytest.raises(TooMuch, match="step009"):
        read_recording(recording, Limits(bytes=10))
    path.write_bytes(b"\0" * 10_000)
    with pytest.raises(BadInput, match="cannot be shown"):
        read_recording(recording)
    path.unlink()
    with pytest.raises(NotThere, match="no longer exists"):
        read_recording(recording)


def test_a_file_of_many_recordings_lists_the_newest(tmp_path: Path) -> None:
    small = run_metadata(device(CPU, node(b"a", b"a = NoOp()", 0, 3)))
    path = event_file(tmp_path, *(tagged("t", small, step=step, wall=1e9 + step) for step in range(MOST_RECORDINGS + 5)))
    found = recordings_of(str(path)) or ()
    assert len(found) == MOST_RECORDINGS
    assert found[-1].inside is not None
    assert found[-1].inside.step == MOST_RECORDINGS + 4
    assert len({replace(file, inside=None) for file in found}) == MOST_RECORDINGS


def test_the_terminal_takes_the_newest_or_the_one_that_is_named(tmp_path: Path, verbs: Callable[..., Any]) -> None:
    late = run_metadata(device(CPU, node(b"late", b"late = NoOp()", 0, 50)))
    path = event_file(tmp_path / "run#1", tagged("step009", example(), wall=1e9), tagged("step019", late, wall=2e9))
    newest = verbs("profile", "ops", path, "--json")
    assert [row["name"] for row in json.loads(newest.stdout)["ops"]] == ["late"]
    assert [name in newest.stderr for name in ("step019", "step009")] == [True, True]
    named = verbs("profile", "ops", f"{path}#step009", "--json")
    assert {row["name"] for row in json.loads(named.stdout)["ops"]} == {"a", "scope/b", "c", "k", "m"}
    missing = verbs("profile", "ops", f"{path}#step001", check=False)
    assert re.findall(r"\bstep\d+", missing.stderr)[-3:] == ["step001", "step019", "step009"]


@pytest.mark.peers
def test_files_of_the_real_tensorflow(tmp_path: Path, run_in_peers: Callable[..., Any]) -> None:
    nodes = run_in_peers(HERE / "event_files.py", tmp_path)
    (path,) = (tmp_path / "graph_mode").glob("*tfevents*")
    assert session_names(path) == ["step019", "step009"]
    for tag, names in nodes.items():
        assert span_names(path, tag) == set(names), tag
        assert "layer/MatMul" in names
    (eager,) = (tmp_path / "eager_mode").glob("*tfevents*")
    with pytest.raises(NotThere, match="without a profile"):
        open_profile(str(eager))  # TensorFlow 2 logs the functions' graphs, and writes times to a file of the profiler
    listed = LogFolder(tmp_path).load().snapshot.runs
    assert {run.name: [session.name for session in run.profiles] for run in listed if run.name == "graph_mode"} == {
        "graph_mode": ["step019", "step009"]
    }
