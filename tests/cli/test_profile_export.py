"""`stepscope profile export`: files that are read back the same, windows, ranks, and what is refused."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from stepscope.cli.verbs import run_verbs
from stepscope.formats.open_profile import open_profile


@pytest.fixture
def session(tmp_path: Path) -> Path:
    """Two ranks of two steps each."""
    folder = tmp_path / "session"
    folder.mkdir()
    for rank in (0, 1):
        events = [
            {"ph": "X", "cat": "user_annotation", "name": f"ProfilerStep#{at}", "ts": at * 1000.0, "dur": 1000, "pid": 1, "tid": 1}
            for at in range(2)
        ]
        events.append({"ph": "X", "cat": "cpu_op", "name": f"aten::op{rank}", "ts": 1500, "dur": 100, "pid": 1, "tid": 1})
        document = {"distributedInfo": {"rank": rank, "world_size": 2}, "traceEvents": events}
        (folder / f"rank{rank}.pt.trace.json").write_text(json.dumps(document))
    return folder


def names(path: Path) -> set[str]:
    (profile,) = open_profile(str(path))
    return {profile.names[at] for at in profile.spans.name}


@pytest.mark.parametrize("ending", [".pftrace", ".json", ".json.gz"])
def test_the_file_is_read_back(session: Path, tmp_path: Path, ending: str, capsys: pytest.CaptureFixture[str]) -> None:
    target = tmp_path / f"out{ending}"
    assert run_verbs(["profile", "export", str(session), "--to", str(target)]) == 0
    assert names(target) == {"ProfilerStep#0", "ProfilerStep#1", "aten::op0"}
    assert (target.read_bytes()[:2] == b"\x1f\x8b") == ending.endswith("gz")
    said = capsys.readouterr().out
    size = len(gzip.decompress(target.read_bytes())) if ending.endswith("gz") else target.stat().st_size
    assert f"{size:,} bytes" in said


def test_a_rank_and_a_window(session: Path, tmp_path: Path) -> None:
    target = tmp_path / "out.json"
    assert run_verbs(["profile", "export", str(session), "--to", str(target), "--rank", "1", "--from", "1.2", "--until", "1.7"]) == 0
    assert names(target) == {"ProfilerStep#1", "aten::op1"}


def test_what_is_there_is_not_written_over(session: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    target = tmp_path / "out.json"
    target.write_text("mine")
    assert run_verbs(["profile", "export", str(session), "--to", str(target)]) == 2
    assert "is there already" in capsys.readouterr().err
    assert target.read_text() == "mine"
    assert run_verbs(["profile", "export", str(session), "--to", str(target), "--force"]) == 0
    assert "aten::op0" in names(target)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--to", "out.txt"], "must end in .pftrace, .json or .json.gz"),
        (["--to", "no/such/folder/out.json"], "cannot be written"),
        (["--to", "out.json", "--rank", "7"], "There is no rank 7 in this session; there is 0, 1."),
        (["--to", "out.json", "--from", "5", "--until", "2"], "--from must be before --until"),
    ],
)
def test_bad_arguments_get_one_sentence(
    session: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    arguments: list[str],
    sentence: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run_verbs(["profile", "export", str(session), *arguments]) == 2
    assert sentence in capsys.readouterr().err
    assert not (tmp_path / "out.json").exists()
