"""`stepscope profile memory` on folders without recorded memory: logged system metrics, and series that the user marks."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from cli.profile_terminal import Terminal
from cli.torch_traces import trace
from stepscope import SummaryWriter
from stepscope.cli.profile.memory import SERIES_UNITS
from stepscope.queries.memory_tags import UNITS
from stepscope.store.user_state import UserState

MIB = 1 << 20
T0 = 1.7e9
LATER = 4e9  # after a first file, whose head has the time of the test
POINTS = 721


@pytest.fixture
def terminal(capsys: pytest.CaptureFixture[str]) -> Terminal:
    return Terminal(capsys)


@pytest.fixture
def logs(tmp_path: Path) -> Path:
    """An hour of a GPU of 16,384 MiB that loses a MiB every five seconds and ten steps, and a machine of 1,000 MiB that is steady."""
    with SummaryWriter(str(tmp_path / "train")) as writer:
        for place in range(POINTS):
            used = 4096.0 + place
            values = {
                "system/gpu/0/memory_used_mib": used,
                "system/gpu/0/memory_used_percent": 100 * used / 16_384,
                "system/memory/used_mib": 250.0 + place % 3,
                "system/memory/available_mib": 750.0 - place % 3,
                "torch/allocated": 2.0 + place / POINTS,
            }
            for tag, value in values.items():
                writer.add_scalar(tag, value, 10 * place, T0 + 5.0 * place)
    return tmp_path


def test_the_keys_of_json(terminal: Terminal, logs: Path) -> None:
    got = terminal.json("memory", logs)
    gpu, machine = got["series"]
    assert (got["devices"], gpu["run"], gpu["tag"], gpu["name"]) == ([], "train", "system/gpu/0/memory_used_mib", "GPU 0")
    assert (gpu["last_bytes"], gpu["last_step"], gpu["last_time"]) == (4816 * MIB, 7200, T0 + 3600)
    assert (gpu["peak_bytes"], gpu["peak_step"], gpu["peak_time"]) == (4816 * MIB, 7200, T0 + 3600)
    assert gpu["capacity_bytes"] == pytest.approx(16_384 * MIB)
    assert gpu["used"] == pytest.approx(4816 / 16_384)
    assert gpu["bytes_per_hour"]["median"] == pytest.approx(720 * MIB)
    assert gpu["bytes_per_step"]["median"] == pytest.approx(MIB / 10)
    assert gpu["bytes_per_hour"]["low"] <= gpu["bytes_per_hour"]["median"] <= gpu["bytes_per_hour"]["high"]
    assert (gpu["verdict"], gpu["doubt"], gpu["rising"], gpu["restarts"]) == ("grows", None, 1.0, 0)
    assert gpu["full"]["hours"] == pytest.approx((16_384 - 4816) / 720, rel=0.001)
    assert gpu["full"]["step"] == pytest.approx(7200 + 10 * (16_384 - 4816), rel=0.001)
    assert (machine["verdict"], machine["full"], machine["capacity_bytes"]) == ("steady", None, 1000 * MIB)
    assert (machine["peak_bytes"], machine["peak_step"]) == (252 * MIB, 20)
    assert "profile_memory=True" in got["advice"]


def test_as_text(terminal: Terminal, logs: Path) -> None:
    code, out, _ = terminal.run("memory", logs)
    assert code == 0
    assert max(map(len, out.splitlines())) <= 80
    text = " ".join(out.split())
    assert text.startswith("Logged memory: 2 series: 1 growing, 1 steady.")
    gpu, machine = text.partition("train GPU 0: ")[2].split("machine: ")
    sizes, at = r"[\d.]+ [GMK]iB|\d+%", r"step (?:[\d,]*\d)"
    assert re.findall(f"{sizes}|{at}", gpu)[:4] == ["4.7 GiB", "16 GiB", "29%", "step 7,200"]
    assert re.findall(sizes, gpu).count("720 MiB") == 3, "the slope, and both ends of its interval"
    assert "at step ~120,000, in 16.1 h." in gpu
    assert re.findall(f"{sizes}|{at}", machine)[:5] == ["250 MiB", "0.977 GiB", "25%", "step 7,200", "252 MiB"]
    assert "steady over 1 h." in machine
    assert "profile_memory=True" in text


def test_a_marked_series_needs_its_unit(terminal: Terminal, logs: Path) -> None:
    code, _, error = terminal.run("memory", logs, "--series", "torch/allocated")
    assert code != 0
    assert "--unit" in error
    assert "bytes, KB" in error
    *_, own = terminal.json("memory", logs, "--series", "torch/allocated", "--unit", "GB")["series"]
    assert (own["name"], own["capacity_bytes"], own["full"]) == ("torch/allocated", None, None)
    assert own["last_bytes"] == pytest.approx(1e9 * (2 + 720 / POINTS))
    assert own["verdict"] == "grows"


def test_a_kept_series_counts_until_it_is_forgotten(
    terminal: Terminal, logs: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = tmp_path_factory.mktemp("data")
    monkeypatch.setenv("STEPSCOPE_DATA_DIR", str(data))
    terminal.run("memory", logs, "--series", "torch/allocated", "--unit", "GB", "--keep")
    *_, own = terminal.json("memory", logs)["series"]
    assert (own["tag"], own["unit"], own["marked"], own["last_bytes"]) == (
        "torch/allocated",
        "GB",
        True,
        pytest.approx(2.9986e9, rel=1e-3),
    )
    assert UserState(data).of("local").memory_marks(str(logs)) == {"torch/allocated": "GB"}
    code, out, _ = terminal.run("memory", logs, "--series", "torch/allocated", "--forget")
    assert (code, "torch/allocated" in out) == (0, True)
    assert len(terminal.json("memory", logs)["series"]) == 2
    code, _, error = terminal.run("memory", logs, "--series", "torch/allocated", "--forget")
    assert (code, "torch/allocated" in error) == (2, True)


def test_a_marked_series_is_taken_though_there_is_a_memory_profile(terminal: Terminal, logs: Path) -> None:
    (logs / "memory.json").write_text(json.dumps([[0, 1, 100, 0], [1000, 1, 50, 5], [2000, 3, -50, 5]]))
    assert len(terminal.json("memory", logs / "memory.json")["devices"]) == 1
    assert len(terminal.json("memory", logs, "--series", "torch/allocated", "--unit", "GB")["series"]) == 3


def test_a_profile_without_memory_leaves_it_to_the_series(terminal: Terminal, logs: Path) -> None:
    (logs / "host_1.1700000000000.pt.trace.json").write_text(json.dumps(trace()))
    got = terminal.json("memory", logs)
    assert [row["name"] for row in got["series"]] == ["GPU 0", "machine"]
    assert (got["devices"], got["total"]) == ([], 0)
    assert "profile_memory=True" in got["notes"][0]


def test_after_a_restart_growth_cannot_be_told_yet(terminal: Terminal, logs: Path) -> None:
    with SummaryWriter(str(logs / "train")) as writer:
        for place in range(3):
            writer.add_scalar("system/gpu/0/memory_used_mib", 4096.0, 5000 + place, LATER + place)
    gpu, machine = terminal.json("memory", logs)["series"]
    assert (gpu["verdict"], gpu["doubt"], gpu["restarts"], gpu["judged_points"]) == ("cannot_tell", "restarted_lately", 1, 3)
    assert (gpu["last_step"], gpu["peak_step"], gpu["peak_bytes"]) == (5002, 7200, 4816 * MIB)
    assert machine["verdict"] == "steady"
    _, out, _ = terminal.run("memory", logs)
    assert "3 points " in " ".join(out.split())


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("--series", "no/such"), "No run has a scalar 'no/such'"),
        (("--unit", "MB"), "--unit"),
        (("--keep",), "--keep"),
        (("--series", "torch/allocated", "--keep", "--forget"), "--forget"),
        (("--series", "torch/allocated", "--programs"), "--programs"),
        (("--steps", "3:10"), "range"),
    ],
)
def test_errors_are_one_sentence(terminal: Terminal, logs: Path, arguments: tuple[str, ...], says: str) -> None:
    code, out, error = terminal.run("memory", logs, *arguments)
    assert (code != 0, out) == (True, "")
    assert says in error
    assert len(error.strip().splitlines()) == 1


def test_a_folder_without_memory_is_still_an_error(terminal: Terminal, tmp_path: Path) -> None:
    with SummaryWriter(str(tmp_path / "train")) as writer:
        writer.add_scalar("loss", 1.0, 0)
    code, _, error = terminal.run("memory", tmp_path)
    assert code == 2
    assert "no profile" in error


def test_series_are_taken_from_folders_only(terminal: Terminal, tmp_path: Path) -> None:
    path = tmp_path / "a.pt.trace.json"
    path.write_text(json.dumps(trace()))
    code, _, error = terminal.run("memory", path, "--series", "a_mb")
    assert code == 2
    assert str(path) in error


def test_of_many_series_a_hundred_are_shown(terminal: Terminal, tmp_path: Path) -> None:
    with SummaryWriter(str(tmp_path / "train")) as writer:
        for index in range(103):
            writer.add_scalar(f"system/gpu/{index}/memory_used_mib", 1.0, 0, T0)
    _, out, _ = terminal.run("memory", tmp_path)
    assert out.startswith("Logged memory: 103 series: 103 unknown.")
    assert "and 3 more; see --json" in out
    assert len(terminal.json("memory", tmp_path)["series"]) == 103


def test_series_without_a_size_are_an_error(terminal: Terminal, tmp_path: Path) -> None:
    with SummaryWriter(str(tmp_path / "train")) as writer:
        writer.add_scalar("used_mb", float("nan"), 0, T0)
        writer.add_scalar("used_mb", -1.0, 1, T0)
    code, out, error = terminal.run("memory", tmp_path, "--series", "used_mb")
    assert (code != 0, out) == (True, "")
    assert len(error.splitlines()) == 1


def test_long_names_fit_80_columns(terminal: Terminal, tmp_path: Path) -> None:
    tag = f"used_mb/{'x' * 200}"
    with SummaryWriter(str(tmp_path / ("r" * 120))) as writer:
        writer.add_scalar(tag, 1.0, 0, T0)
    _, out, _ = terminal.run("memory", tmp_path, "--series", tag)
    assert max(map(len, out.splitlines())) <= 80
    assert "used_mb/" in out


def test_names_cannot_move_the_cursor(terminal: Terminal, tmp_path: Path) -> None:
    with SummaryWriter(str(tmp_path / "train")) as writer:
        writer.add_scalar("\x1b[2Jused_mb", 1.0, 0, T0)
    _, out, _ = terminal.run("memory", tmp_path, "--series", "\x1b[2Jused_mb")
    assert "\x1b" not in out
    assert "used_mb" in out


def test_every_unit_can_be_given() -> None:
    assert tuple(UNITS) == SERIES_UNITS
