"""`stepscope profile export`: files that are read back the same, windows, ranks, and what is refused."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from opened_profiles import open_profile
from stepscope.analyses.breakdown import break_down, group_sums
from stepscope.analyses.time_classes import Group
from stepscope.cli.verbs import run_verbs
from stepscope.model.profile import TrackRole

CAPTURES = Path(__file__).resolve().parents[1] / "formats" / "xplane" / "captures"


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


@pytest.mark.parametrize("ending", [".speedscope.json", ".speedscope.json.gz"])
def test_a_file_for_speedscope(session: Path, tmp_path: Path, ending: str) -> None:
    target = tmp_path / f"out{ending}"
    assert run_verbs(["profile", "export", str(session), "--to", str(target)]) == 0
    content = target.read_bytes()
    file = json.loads(gzip.decompress(content) if ending.endswith("gz") else content)
    assert {frame["name"] for frame in file["shared"]["frames"]} == {"ProfilerStep#0", "ProfilerStep#1", "aten::op0"}
    assert [len(profile["events"]) for profile in file["profiles"]] == [6]


def test_a_rank_and_a_window(session: Path, tmp_path: Path) -> None:
    target = tmp_path / "out.json"
    assert run_verbs(["profile", "export", str(session), "--to", str(target), "--rank", "1", "--from", "1.2", "--until", "1.7"]) == 0
    assert names(target) == {"ProfilerStep#1", "aten::op1"}


@pytest.fixture
def training(tmp_path: Path) -> Path:
    """Three steps of input, launches, kernels and copies both ways on one thread, spans that only overlap, and the recording's own."""

    def one(category: str, name: str, start: float, length: float, *, device: bool = False, **args: object) -> dict[str, object]:
        place = {"pid": 0, "tid": 7} if device else {"pid": 100, "tid": 100}
        return {"ph": "X", "cat": category, "name": name, "ts": start, "dur": length, "args": args, **place}

    events = [one("Trace", "PyTorch Profiler (0)", -500, 5000)]
    for step in range(3):
        at, number = 1000 * step, 10 * step
        events += [
            one("user_annotation", f"ProfilerStep#{step + 4}", at, 1000),
            one("user_annotation", "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__", at + 10, 200),
            one("python_function", "train.py(3): step", at + 900, 150),
            one("cuda_runtime", "cudaMemcpyAsync", at + 230, 10, correlation=number + 1),
            one("cuda_runtime", "cudaLaunchKernel", at + 260, 10, correlation=number + 2),
            one("cuda_runtime", "cudaMemcpyAsync", at + 280, 10, correlation=number + 3),
            one("gpu_memcpy", "Memcpy HtoD (Pageable -> Device)", at + 300, 50, device=True, correlation=number + 1, bytes=1),
            one("kernel", "gemm", at + 400, 300, device=True, correlation=number + 2),
            one("gpu_memcpy", "Memcpy DtoH (Device -> Pageable)", at + 700, 90, device=True, correlation=number + 3, bytes=1),
        ]
    path = tmp_path / "training.pt.trace.json"
    path.write_text(json.dumps({"schemaVersion": 1, "traceEvents": events}))
    return path


def breakdown_at(path: Path) -> tuple[list[int], list[float]]:
    """The numbers of the steps, and what they spend in each group."""
    found = break_down(open_profile(str(path))[0])
    return found.steps.number.tolist(), group_sums(found.parts.sum(axis=0)).tolist()


@pytest.mark.parametrize("ending", [".pftrace", ".json"])
def test_steps_and_groups_are_those_of_the_original(training: Path, tmp_path: Path, ending: str) -> None:
    target = tmp_path / f"out{ending}"
    assert run_verbs(["profile", "export", str(training), "--to", str(target)]) == 0
    numbers, groups = breakdown_at(target)
    assert (numbers, groups) == breakdown_at(training)
    assert numbers == [4, 5, 6]
    assert min(groups[group] for group in (Group.COMPUTE, Group.COPY, Group.INPUT_WAIT)) > 0
    (before,), (after,) = open_profile(str(training)), open_profile(str(target))
    assert after.copies.direction.tolist() == before.copies.direction.tolist()
    assert [(track.name, track.role) for track in after.tracks if track.role == TrackRole.DERIVED] == [("profiler", TrackRole.DERIVED)]


@pytest.mark.parametrize("ending", [".pftrace", ".json"])
@pytest.mark.parametrize("capture", ["jax.xplane.pb", "tensorflow.xplane.pb"])
def test_real_recordings_keep_their_steps_and_groups(tmp_path: Path, capture: str, ending: str) -> None:
    """Their names alone do not tell what waits for input, compiles or executes: the file has to say it."""
    target = tmp_path / f"out{ending}"
    assert run_verbs(["profile", "export", str(CAPTURES / capture), "--to", str(target)]) == 0
    assert breakdown_at(target) == breakdown_at(CAPTURES / capture)


@pytest.mark.parametrize("ending", [".pftrace", ".json"])
def test_the_recording_is_cut_to_the_window(training: Path, tmp_path: Path, ending: str) -> None:
    target = tmp_path / f"out{ending}"
    assert run_verbs(["profile", "export", str(training), "--to", str(target), "--from", "1.1", "--until", "1.6"]) == 0
    (profile,) = open_profile(str(target))
    lengths = {profile.names[name]: profile.spans.end[row] - profile.spans.start[row] for row, name in enumerate(profile.spans.name)}
    assert lengths["PyTorch Profiler (0)"] == 500_000
    assert lengths["ProfilerStep#5"] == 1_000_000
    assert profile.window[1] - profile.window[0] == 1_000_000


def test_what_is_there_is_not_written_over(session: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    target = tmp_path / "out.json"
    target.write_text("mine")
    assert run_verbs(["profile", "export", str(session), "--to", str(target)]) == 2
    assert "--force" in capsys.readouterr().err
    assert target.read_text() == "mine"
    assert run_verbs(["profile", "export", str(session), "--to", str(target), "--force"]) == 0
    assert "aten::op0" in names(target)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--to", "out.txt"], "must end in .pftrace, .json, .json.gz or .speedscope.json"),
        (["--to", "no/such/folder/out.json"], "no/such/folder/out.json"),
        (["--to", "out.json", "--rank", "7"], "There is no rank 7; there are rank 0, rank 1"),
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
