"""Very many devices, files or recordings: refused with a sentence, or listed with work that grows as they do."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

import event_bytes as eb
import xspace_bytes as xb
from counted_calls import calls_of
from hostile.answers import ask_everything
from stepscope.formats import kernel_names
from stepscope.formats.bounded_names import MOST_NAMES, with_bounded_names
from stepscope.formats.event_recordings import recorded_sessions
from stepscope.formats.format import Limits
from stepscope.formats.open_profile import read_file
from stepscope.formats.profile_columns import MOST_DEVICES
from stepscope.formats.sessions import group_sessions
from stepscope.ingest import loader as ingest
from stepscope.ingest import profile_reading
from stepscope.ingest.loader import Loader, Root
from stepscope.model.errors import BadInput
from stepscope.model.session import InsideFile, ProfileFile
from stepscope.model.span_names import OTHER_NAMES
from stepscope.queries.health import file_health
from stepscope.queries.runs import list_runs
from stepscope.session.reads import Reads
from stepscope.store.library import Library

MANY = 2_000


class Counted(str):
    """Text that counts how often it is looked at."""

    __slots__ = ()
    looks = 0

    def __hash__(self) -> int:
        Counted.looks += 1
        return super().__hash__()

    def __eq__(self, other: object) -> bool:
        Counted.looks += 1
        return super().__eq__(other)


@pytest.fixture(autouse=True)
def count_anew() -> None:
    Counted.looks = 0


def torch_devices(count: int) -> bytes:
    place = ((at, {"device": at, "stream": 7}) for at in range(count))
    events = [{"ph": "X", "cat": "kernel", "name": "k", "pid": at, "tid": 7, "ts": at, "dur": 5, "args": args} for at, args in place]
    return json.dumps({"schemaVersion": 1, "traceEvents": events}).encode()


def xla_devices(count: int) -> bytes:
    planes = [xb.Plane(f"/device:GPU:{at}") for at in range(count)]
    for plane in planes:
        plane.line("Stream #1", plane.event("a", 1000, 5000))
    return xb.space(*planes)


@pytest.mark.parametrize("make", [torch_devices, xla_devices])
def test_more_devices_than_a_machine_has_are_refused(make: Callable[[int], bytes], tmp_path: Path) -> None:
    path = tmp_path / "rank0"
    path.write_bytes(make(MOST_DEVICES))
    assert len(read_file(str(path)).devices) == MOST_DEVICES
    path.write_bytes(make(MOST_DEVICES + 1))
    with pytest.raises(BadInput) as refused:
        read_file(str(path))
    assert refused.value.code == "too_many_devices"


def recording(at: int, tag: str) -> ProfileFile:
    return ProfileFile(f"/logs/events.{at}", 10, float(at), at, "run_metadata", "host", inside=InsideFile(0, 10, tag, 1))


def test_ranks_of_one_capture_are_grouped_in_one_pass() -> None:
    files = [
        ProfileFile(f"/logs/rank{at}.{1_700_000_000_000 + at}.pt.trace.json", 10, 1.0, at, "kineto", Counted(f"rank{at}"))
        for at in range(MANY)
    ]
    (session,) = group_sessions("run", files)
    assert len(session.files) == MANY
    assert Counted.looks < 20 * MANY


def test_recordings_of_one_name_are_named_in_one_pass() -> None:
    sessions = recorded_sessions("run", [recording(at, Counted("step")) for at in range(MANY)])
    assert len({session.name for session in sessions}) == MANY
    assert [session.name for session in sessions[:3]] == ["step, step 1", "step, step 1 (2)", "step, step 1 (3)"]
    assert Counted.looks < 20 * MANY


def torch_threads(count: int) -> bytes:
    """A profile of so many threads."""
    events = [{"ph": "X", "cat": "cpu_op", "name": f"op{at % 5}", "pid": 1, "tid": at, "ts": 3 * at, "dur": 2} for at in range(count)]
    return json.dumps({"schemaVersion": 1, "traceEvents": events}).encode()


def torch_names(count: int) -> bytes:
    """A profile of so many names, of each kind of span, each name once."""
    kinds = ("cpu_op", "python_function", "user_annotation", "cuda_runtime", "kernel")
    events = [
        {
            "ph": "X", "cat": kinds[at % 5], "name": f"name{at}", "pid": 0, "tid": 7 if at % 5 == 4 else 1, "ts": 3 * at, "dur": 2,
            "args": {"device": 0, "stream": 7} if at % 5 == 4 else {},
        }
        for at in range(count)
    ]  # fmt: skip
    return json.dumps({"schemaVersion": 1, "traceEvents": events}).encode()


def xla_names(count: int) -> bytes:
    """The same of TensorFlow: operations, and kernels on a stream."""
    host, device = xb.Plane("/host:CPU"), xb.Plane("/device:GPU:0")
    host.line("tf_executor", *(host.event(f"scope/name{at}:MatMul", 3_000 * at, 2_000) for at in range(count // 2)))
    device.line("Stream #1(Compute)", *(device.event(f"kernel{at}", 3_000 * at, 2_000) for at in range(count - count // 2)))
    return xb.space(host, device)


def calls_for(content: bytes, path: Path) -> int:
    """How many functions are called to answer everything about a profile."""
    path.write_bytes(content)
    answered: list[str] = []
    calls = calls_of(lambda: answered.extend(ask_everything(path)))
    assert "report" in answered
    return calls


def calls_for_files(count: int, path: Path) -> int:
    """How many functions are called to load a run of so many event files, to look again, and to list and draw its series."""
    for at in range(count):
        eb.write(path / "run" / f"events.out.tfevents.{at}", eb.version(at), eb.scalar(b"loss", at, at, 1.0))
    library = Library()
    loader = Loader(library, [Root("", str(path))], reload_interval=0, cache=False)
    found: list[int] = []

    def work() -> None:
        loader.load()
        loader.reload()
        reads = Reads(library)
        view = reads.views.view(True)
        found.extend((len(list_runs(view, {}, 0.0)), len(reads.tags.list_tags(True).tags)))
        found.append(len(file_health(library.snapshot, count, None)))

    calls = calls_of(work)
    assert found == [1, 1, count]
    return calls


@pytest.mark.slow
def test_work_grows_with_the_files_of_a_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ingest, "PUBLISH_EVERY", 1e6)  # else it depends on the machine how often
    calls_for_files(5, tmp_path / "first")  # what is made once for the process
    few, many = (calls_for_files(count, tmp_path / str(count)) for count in (300, 1_200))
    assert many < 5 * few


@pytest.mark.slow
def test_work_grows_with_the_threads_of_a_profile(tmp_path: Path) -> None:
    calls_for(torch_threads(10), tmp_path / "first")  # what is made once for the process
    few, many = (calls_for(torch_threads(count), tmp_path / "rank0") for count in (200, 800))
    assert many < 5 * few


@pytest.mark.slow
@pytest.mark.parametrize("make", [torch_names, xla_names])
def test_work_grows_with_the_names_of_a_profile_up_to_the_limit(
    make: Callable[[int], bytes], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(profile_reading, "with_bounded_names", partial(with_bounded_names, most=1_000))
    calls_for(make(10), tmp_path / "first")
    few, many = (calls_for(make(count), tmp_path / "rank0") for count in (250, 1_000))
    assert many < 5 * few
    # Only then are there more operations than the limit, too, which are a fifth of the names.
    beyond, far_beyond = (calls_for(make(count), tmp_path / "rank0") for count in (6_000, 18_000))
    assert far_beyond < 1.3 * beyond


@pytest.mark.slow
@pytest.mark.parametrize("read", [kernel_names.short_name, kernel_names.family_of, kernel_names.uses_matrix_units])
def test_a_kernel_name_is_read_once(read: Any, tmp_path: Path) -> None:
    """That costs most of all that is done with it, and all names within the limit are remembered."""
    read.cache_clear()
    calls_for(xla_names(200), tmp_path / "rank0")
    assert read.cache_info().hits > 0
    assert 100 <= read.cache_info().misses <= 210
    assert read.cache_info().maxsize > MOST_NAMES


def test_notes_name_the_limit_that_was_reached(tmp_path: Path) -> None:
    path = tmp_path / "rank0.json"
    events = [{"ph": "X", "cat": "python_function", "name": f"name{at}", "pid": 1, "tid": 1, "ts": at, "dur": 1} for at in range(50)]
    path.write_text(json.dumps({"schemaVersion": 1, "traceEvents": events}))
    said = [note.text for note in read_file(str(path), Limits(names=20)).notes if note.code == "too_many_names"]
    assert [re.findall(r"\d+", text) for text in said] == [["20"]]
    events[3]["name"] = OTHER_NAMES  # a file that was written from another profile
    path.write_text(json.dumps({"schemaVersion": 1, "traceEvents": events}))
    assert "too_many_names" not in {note.code for note in read_file(str(path)).notes}


@pytest.mark.slow
def test_more_operations_than_the_limit_are_not_called_names(tmp_path: Path) -> None:
    path, most = tmp_path / "rank0.json", 100_000
    row = '{"ph": "X", "cat": "cpu_op", "name": "n%d", "pid": 1, "tid": 1, "ts": %d, "dur": 1}'
    path.write_text("[" + ",".join(row % (at, 2 * at) for at in range(most + 1)) + "]")
    said = [note.text for note in read_file(str(path)).notes if note.code == "too_many_names"]
    assert [re.findall(r"[\d,]+", text) for text in said] == [[f"{most:,}"]]
