"""Which profile files belong together, and what a path that the user gives is opened as."""

from __future__ import annotations

import gzip
import os
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import opened_profiles
from stepscope.formats import open_profile, sessions
from stepscope.formats.format import Limits, ProfileFormat
from stepscope.model.errors import BadInput, NotThere
from stepscope.model.profile import Profile
from stepscope.model.session import ProfileFile
from stepscope.store.profiles import Profiles, memory_of

MAGIC = b"PROFILE!"


def read(path: str, _: Limits) -> Profile:
    """A profile without spans whose rank is the last byte of the file."""
    content = gzip.decompress(data) if (data := Path(path).read_bytes()).startswith(b"\x1f\x8b") else data
    if content.endswith(b"x"):
        raise BadInput(f"{Path(path).name} is cut short; record it again.", "truncated")
    return empty_profile(path, int(content[-1:] or b"0"))


def empty_profile(path: str, rank: int) -> Profile:
    """Tables without a row."""
    import numpy as np

    from stepscope.model import profile as m

    def table(kind: Any) -> Any:
        return kind(**dict.fromkeys(kind.__dataclass_fields__, np.zeros(0, np.int64)))

    tables = {
        name: table(kind)
        for name, kind in (
            ("spans", m.Spans), ("markers", m.Markers), ("kernels", m.Kernels), ("copies", m.Copies),
            ("collectives", m.Collectives), ("allocations", m.Allocations), ("flows", m.Flows),
            ("counters", m.Counters), ("aggregates", m.Aggregates),
        )
    }  # fmt: skip
    return Profile(
        format="fake", path=path, host="h", rank=rank, world_size=-1, base_ns=0, window=(0, 0), framework="",
        environment={}, names=["a", "b"], tracks=[], devices=[], ops=[], programs=[], **tables,
    )  # fmt: skip


FAKE = ProfileFormat("fake", "A test's format", lambda name: name.endswith(".prof"), lambda head, _: head.startswith(MAGIC), read)


@pytest.fixture(autouse=True)
def only_the_fake_format(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sessions, "PROFILE_FORMATS", (FAKE,))
    monkeypatch.setattr(open_profile, "PROFILE_FORMATS", (FAKE,))


def file(path: str, modified: float = 5.0) -> ProfileFile:
    return ProfileFile(path, 1, modified, 1, "fake", sessions._worker(Path(path).name))


def grouped(*paths: str) -> list[tuple[str, list[str]]]:
    """Names of the sessions, newest first, and their workers."""
    found = sessions.group_sessions("run", [file(path) for path in paths])
    return [(session.name, [one.worker for one in session.files]) for session in found]


def test_a_session_folder_has_a_host_for_each_file() -> None:
    folder = "/logs/train/plugins/profile/2026_11_15_19_27_11"
    assert grouped(f"{folder}/host10.xplane.pb", f"{folder}/host2.xplane.pb") == [("2026_11_15_19_27_11", ["host2", "host10"])]
    assert sessions.run_folder(folder) == "/logs/train"
    assert sessions.run_folder("/logs/train") == "/logs/train"


def test_the_time_of_a_session_is_in_its_name() -> None:
    folder = "/logs/plugins/profile/2026_11_15_19_27_11"
    (session,) = sessions.group_sessions("run", [file(f"{folder}/vm.xplane.pb")])
    assert time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(session.time)) == "2026-11-15 19:27:11"
    (unnamed,) = sessions.group_sessions("run", [file("/logs/plugins/profile/run1/vm.xplane.pb", modified=77.0)])
    assert unnamed.time == 77.0
    (absurd,) = sessions.group_sessions("run", [file("/logs/plugins/profile/2026_99_99_99_99_99/vm.xplane.pb", modified=78.0)])
    assert absurd.time == 78.0


def test_the_same_recording_as_trace_json_is_left_out() -> None:
    folder = "/logs/plugins/profile/s"
    assert grouped(f"{folder}/vm.xplane.pb", f"{folder}/vm.trace.json.gz", f"{folder}/perfetto_trace.json.gz") == [("s", ["vm"])]
    assert grouped(f"{folder}/vm.trace.json.gz") == [("s", ["vm"])]
    assert grouped("/l/t.json", "/l/t.json.gz") == [("t", ["t"])]


def test_ranks_that_write_at_one_time_are_one_session() -> None:
    names = ("/l/rank0.1794770470591855537.pt.trace.json.gz", "/l/rank1.1794770470607975482.pt.trace.json.gz")
    assert grouped(*names) == [("rank0.1794770470591855537", ["rank0", "rank1"])]


def test_a_worker_that_comes_again_begins_the_next_session() -> None:
    names = [f"/l/worker0.{moment}.pt.trace.json" for moment in (1794770412963029757, 1794770414455162232)]
    assert [workers for _, workers in grouped(*names)] == [["worker0"], ["worker0"]]
    late = ["/l/a.1623143089861.pt.trace.json", "/l/b.1623143289861.pt.trace.json"]
    assert [workers for _, workers in grouped(*late)] == [["b"], ["a"]]


def test_times_are_milli_micro_or_nanoseconds() -> None:
    for digits in ("1623143089861", "1623143089861000", "1623143089861000000"):
        (session,) = sessions.group_sessions("run", [file(f"/l/worker0.{digits}.pt.trace.json")])
        assert session.time == pytest.approx(1623143089.861)


def test_names_that_differ_in_the_rank_are_one_session() -> None:
    assert grouped("/l/trace_rank_1.json.gz", "/l/trace_rank_0.json.gz", "/l/other.json.gz") == [
        ("other", ["other"]),
        ("trace_rank_0", ["trace_rank_0", "trace_rank_1"]),
    ]


def test_workers_are_in_the_order_of_their_numbers() -> None:
    assert grouped("/l/t_rank_10.json.gz", "/l/t_rank_9.json.gz", "/l/t_rank_2.json.gz") == [
        ("t_rank_2", ["t_rank_2", "t_rank_9", "t_rank_10"]),
    ]


def test_an_empty_file_is_said_to_be_empty(tmp_path: Path) -> None:
    path = tmp_path / "a.pt.trace.json"
    told: list[str | None] = []
    for content in (b"", b"x"):
        path.write_bytes(content)
        found = sessions.examine(str(path), len(content), 1.0, 1)
        assert found is not None
        told.append(found.problem)
    assert [problem is not None and "empty" in problem for problem in told] == [True, False]


def test_ids_hang_on_run_and_name() -> None:
    (here,) = sessions.group_sessions("run", [file("/here/t.json.gz")])
    (there,) = sessions.group_sessions("run", [file("/there/t.json.gz", modified=9.0)])
    (other,) = sessions.group_sessions("run2", [file("/here/t.json.gz")])
    assert here.id == there.id != other.id


def test_a_file_is_recognised_whatever_its_name(tmp_path: Path) -> None:
    odd = tmp_path / "notes.txt"
    odd.write_bytes(gzip.compress(MAGIC + b"3"))
    (profile,) = opened_profiles.open_profile(str(odd))
    assert profile.rank == 3


def test_what_is_no_profile_is_said(tmp_path: Path) -> None:
    text = tmp_path / "notes.txt"
    text.write_text("hello")
    for place, error, code in (
        (text, BadInput, "unknown_format"),
        (tmp_path / "gone", NotThere, "no_profile"),
        (tmp_path, NotThere, "no_profile"),
    ):
        with pytest.raises(error) as refused:
            opened_profiles.open_profile(str(place))
        assert (refused.value.code, place.name in refused.value.message) == (code, True)
    (tmp_path / "a.xplane.pb").touch()
    with pytest.raises(BadInput) as refused:
        opened_profiles.open_profile(str(tmp_path))
    assert refused.value.code == "empty"


def test_a_log_folder_means_its_newest_session(tmp_path: Path) -> None:
    for session, ranks in (("2026_01_01_00_00_00", "0"), ("2026_01_02_00_00_00", "210")):
        folder = tmp_path / "run" / "plugins" / "profile" / session
        folder.mkdir(parents=True)
        for place, rank in enumerate(ranks):
            (folder / f"h{place}.xplane.pb").write_bytes(MAGIC + rank.encode())
    assert [profile.rank for profile in opened_profiles.open_profile(str(tmp_path))] == [0, 1, 2]
    assert [session.name for session in open_profile.find_sessions(str(tmp_path))] == ["2026_01_02_00_00_00", "2026_01_01_00_00_00"]


def test_a_memory_profile_beside_it_is_not_what_a_log_folder_means(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    memory = replace(FAKE, id="memory", sniff=lambda head, _: head.startswith(b"MEMORY"), has_steps=False)
    monkeypatch.setattr(sessions, "PROFILE_FORMATS", (FAKE, memory))
    (tmp_path / "old.prof").write_bytes(MAGIC + b"7")
    os.utime(tmp_path / "old.prof", (1, 1))
    (tmp_path / "new.prof").write_bytes(b"MEMORY9")
    assert [profile.rank for profile in opened_profiles.open_profile(str(tmp_path))] == [7]
    (tmp_path / "old.prof").unlink()
    assert [profile.rank for profile in opened_profiles.open_profile(str(tmp_path))] == [9]


def test_candidates_without_the_content_are_left_out_unless_the_name_is_sure(tmp_path: Path) -> None:
    for name in ("a.prof", "b.xplane.pb", "c.pt.trace.json.gz"):
        (tmp_path / name).write_bytes(b"\x1f\x8bnothing")
    found = {name: sessions.examine(str(tmp_path / name), 9, 1.0, 1) for name in ("a.prof", "b.xplane.pb", "c.pt.trace.json.gz")}
    assert found["a.prof"] is None
    assert [(one.format, bool(one.problem)) for one in found.values() if one is not None] == [("", True)] * 2


def test_a_profile_is_read_once_and_given_up_when_memory_is_short() -> None:
    reads: list[str] = []

    def note(path: str) -> Profile:
        reads.append(path)
        return empty_profile(path, 0)

    kept = Profiles(memory=memory_of(empty_profile("", 0)))
    kept.use_reader(note)
    assert kept.profile(file("/a")) is kept.profile(file("/a"))
    kept.profile(file("/b"))
    kept.profile(file("/a"))
    assert reads == ["/a", "/b", "/a"]


def test_a_file_that_failed_is_tried_again() -> None:
    reads: list[str] = []

    def fail(path: str) -> Profile:
        reads.append(path)
        raise BadInput("a is cut short; record it again.", "truncated")

    kept = Profiles()
    kept.use_reader(fail)
    for modified in (1.0, 1.0, 2.0):
        with pytest.raises(BadInput) as refused:
            kept.profile(file("/a", modified))
        assert refused.value.code == "truncated"
    assert len(reads) == 3
