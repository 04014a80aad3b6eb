"""The folder of a session: ranks share it, files appear whole and never replace each other, and trouble leaves nothing behind."""

from __future__ import annotations

import gzip
import time
from pathlib import Path

import pytest

import xspace_bytes as xb
from small_disk import small_disk
from stepscope.capture.profilers.profiler import Recorded
from stepscope.capture.session_folder import save, with_warnings
from stepscope.formats.open_profile import read_file

NOON = time.mktime((2026, 3, 28, 12, 0, 0, 0, 0, -1))


@pytest.fixture
def scratch(tmp_path: Path) -> Path:
    folder = tmp_path / "scratch"
    folder.mkdir()
    return folder


def recorded(scratch: Path, content: bytes = b"{}", ending: str = ".trace.json") -> Recorded:
    path = scratch / f"0{ending}"
    path.write_bytes(content)
    return Recorded(str(path), ending)


def as_rank(monkeypatch: pytest.MonkeyPatch, rank: int, of: int) -> None:
    monkeypatch.setenv("RANK", str(rank))
    monkeypatch.setenv("WORLD_SIZE", str(of))


def test_a_session_is_where_profilers_put_it(tmp_path: Path, scratch: Path) -> None:
    folder = Path(save(str(tmp_path), NOON, "step5", [recorded(scratch)]))
    assert folder == tmp_path / "plugins" / "profile" / "2026_03_28_12_00_00_step5"
    (file,) = folder.iterdir()
    assert file.read_bytes() == b"{}"
    assert file.name.endswith(".trace.json")
    assert "rank" not in file.name
    assert list(scratch.iterdir()) == []


def test_traces_of_torch_are_compressed(tmp_path: Path, scratch: Path) -> None:
    text = b'{"traceEvents": []}' * 1000
    folder = Path(save(str(tmp_path), NOON, "", [recorded(scratch, text, ".pt.trace.json")]))
    (file,) = folder.iterdir()
    assert file.name.endswith(".pt.trace.json.gz")
    assert gzip.decompress(file.read_bytes()) == text


def test_ranks_share_a_folder_and_a_second_capture_gets_its_own(tmp_path: Path, scratch: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found: list[list[str]] = [[], []]
    for capture, seconds in ((0, 0), (1, 30)):
        for rank, late in ((1, 0), (0, 2)):
            as_rank(monkeypatch, rank, 2)
            found[capture].append(save(str(tmp_path), NOON + seconds + late, "step5", [recorded(scratch)]))
    first, second = found
    assert first[0] == first[1] != second[0] == second[1]
    assert sorted(path.name.partition("_rank")[2] for path in Path(first[0]).iterdir()) == ["0.trace.json", "1.trace.json"]


@pytest.mark.parametrize(("name", "late"), [("step6", 1), ("step5", 500)])
def test_other_captures_are_not_joined(name: str, late: float, tmp_path: Path, scratch: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    as_rank(monkeypatch, 0, 2)
    first = save(str(tmp_path), NOON, "step5", [recorded(scratch)])
    as_rank(monkeypatch, 1, 2)
    assert save(str(tmp_path), NOON + late, name, [recorded(scratch)]) != first


def test_two_processes_of_one_host_without_ranks_keep_both_files(tmp_path: Path, scratch: Path) -> None:
    first = save(str(tmp_path), NOON, "", [recorded(scratch, b"1")])
    assert save(str(tmp_path), NOON, "", [recorded(scratch, b"2")]) == first
    assert {path.read_bytes() for path in Path(first).iterdir()} == {b"1", b"2"}


def test_warnings_are_in_the_file(tmp_path: Path, scratch: Path) -> None:
    plane = xb.Plane("/host:CPU")
    content = xb.space(plane.line("main", plane.event("work", 0, 1000)))
    file = recorded(scratch, content, ".xplane.pb")
    folder = Path(save(str(tmp_path), NOON, "", [Recorded(file.path, file.ending, notable=True)], ["It ended early."]))
    (path,) = folder.iterdir()
    assert path.read_bytes().startswith(content)
    assert [(note.code, note.text) for note in read_file(str(path)).notes] == [("capture_warning", "It ended early.")]


@pytest.mark.parametrize("ending", [".pt.trace.json", ".trace.json"])
def test_warnings_are_in_a_chrome_trace(ending: str, tmp_path: Path, scratch: Path) -> None:
    content = (
        b'{"schemaVersion": 1, "traceEvents": [{"ph": "X", "cat": "cpu_op", "name": "op", "ts": 1, "dur": 2, "pid": 1, "tid": 1}]}'
    )
    folder = Path(save(str(tmp_path), NOON, "", [recorded(scratch, content, ending)], ["It ended early."]))
    (path,) = folder.iterdir()
    assert ("warning", "capture_warning", "It ended early.") in [
        (note.level, note.code, note.text) for note in read_file(str(path)).notes
    ]


@pytest.mark.parametrize("ending", [".pt.trace.json.gz", ".trace.json", ".xplane.pb", ".memory.prof"])
def test_what_came_from_elsewhere_says_what_is_missing(ending: str, tmp_path: Path) -> None:
    plane = xb.Plane("/host:CPU")
    content = {
        ".xplane.pb": xb.space(plane.line("main", plane.event("work", 0, 1000))),
        ".trace.json": b'{"schemaVersion": 1, "traceEvents": []}',
        ".pt.trace.json.gz": gzip.compress(b'{"schemaVersion": 1, "traceEvents": []}'),
        ".memory.prof": b"pprof",
    }[ending]
    assert with_warnings(content, ending, []) == content
    said = with_warnings(content, ending, ["One of two."])
    if ending == ".memory.prof":
        assert said == content
        return
    path = tmp_path / f"host{ending}"
    path.write_bytes(said)
    assert ("capture_warning", "One of two.") in [(note.code, note.text) for note in read_file(str(path)).notes]


def test_a_damaged_file_from_elsewhere_stays_as_it_is() -> None:
    assert with_warnings(b"\x1f\x8bnothing", ".pt.trace.json.gz", ["One of two."]) == b"\x1f\x8bnothing"


def test_a_full_disk_leaves_no_half_file(tmp_path: Path, scratch: Path) -> None:
    with small_disk(tmp_path / "disk", 64) as disk:
        with pytest.raises(OSError, match="space"):
            save(str(disk), NOON, "", [recorded(scratch, b"x" * 200_000)])
        assert [path for path in disk.rglob("*") if path.is_file()] == []
        assert len(list(scratch.iterdir())) == 1, "what was captured is still where the profiler wrote it"
