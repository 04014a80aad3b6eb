"""`stepscope profile memory` on a small trace that leaks, on memory-only files, and on recordings without memory."""

from __future__ import annotations

import json
import pickle
import re
from pathlib import Path
from typing import Any

import pytest

from cli.profile_terminal import Terminal
from cli.torch_traces import DEVICE, HOST, STEP_US, THREAD, trace
from stepscope.analyses.memory.timeline import StackedBy
from stepscope.analyses.texts import size_text
from stepscope.cli.profile.memory import picture
from stepscope.session.parts.memory_devices import LayerRow, TimelineRow

MIB = 1 << 20
GIB = 1 << 30


@pytest.fixture
def terminal(capsys: pytest.CaptureFixture[str]) -> Terminal:
    return Terminal(capsys)


def moved(at: float, size: int, address: int, total: int, reserved: int = 0, device: int = -1) -> dict[str, Any]:
    facts = {"Bytes": size, "Addr": address, "Total Allocated": total, "Total Reserved": reserved}
    place = {"Device Type": 1 if device >= 0 else 0, "Device Id": device}
    return {"ph": "i", "cat": "cpu_instant_event", "name": "[memory]", "ts": at, "pid": HOST, "tid": THREAD, "args": facts | place}


@pytest.fixture
def leaking(tmp_path: Path) -> Path:
    """Each of eight steps takes 64 MiB on the device inside aten::mm and 16 MiB of them stay; 100 MiB were there before."""
    written = trace(steps=8)
    written["deviceProperties"] = [{"id": DEVICE, "name": "A100", "totalGlobalMem": GIB}]
    for step in range(8):
        at, kept = step * STEP_US, 100 * MIB + step * 16 * MIB
        written["traceEvents"] += [
            moved(at + 310, 16 * MIB, 1000 + step, kept + 16 * MIB, 512 * MIB, 0),
            moved(at + 320, 48 * MIB, 1, kept + 64 * MIB, 512 * MIB, 0),
            moved(at + 390, -48 * MIB, 1, kept + 16 * MIB, 512 * MIB, 0),
        ]
    path = tmp_path / "host_1.1700000000000.pt.trace.json"
    path.write_text(json.dumps(written))
    return path


def test_json_tells_the_peak_and_who_held_it(terminal: Terminal, leaking: Path) -> None:
    (device,) = terminal.json("memory", leaking)["devices"]
    assert (device["name"], device["peak_bytes"], device["capacity_bytes"]) == ("GPU 0 (A100)", 276 * MIB, GIB)
    assert (device["peak_step"], device["reserved_bytes"], device["fragmentation"]) == (7, 512 * MIB, 1 - 276 / 512)
    assert [(row["op"], row["bytes"], row["count"]) for row in device["at_peak"]] == [
        ("aten::mm", 176 * MIB, 9),
        ("before the profile", 100 * MIB, 0),
    ]
    assert sum(row["bytes"] for row in device["at_peak"]) == device["peak_bytes"]
    assert [(row["bytes"], row["count"], row["until_ms"]) for row in device["largest"]][1] == (16 * MIB, 8, None)
    assert {row["lifetime"]: row["count"] for row in device["lifetimes"]} == {"within_a_step": 8, "to_the_end": 8}
    (spike,) = device["spikes"]
    assert (spike["op"], spike["bytes"]) == ("aten::mm", 48 * MIB)
    line = device["timeline"]
    assert line["bytes"][line["peak"]] == device["peak_bytes"]
    assert [sum(layer["bytes"][at] for layer in line["layers"]) for at in range(len(line["ms"]))] == line["bytes"]


def test_a_leak_is_said(terminal: Terminal, leaking: Path) -> None:
    (device,) = terminal.json("memory", leaking)["devices"]
    growth = device["growth"]
    assert (growth["verdict"], growth["bytes_per_step"], growth["rising"], growth["steps"]) == ("grows", 16 * MIB, 1.0, 8)
    assert growth["stays"] == [{"op": "aten::mm", "bytes": 128 * MIB}]
    _, out, _ = terminal.run("memory", leaking)
    assert growth["sentence"] in " ".join(out.split())
    assert re.search(r"128\.0 MiB .*aten::mm", out)


def test_text_fits_80_columns_and_shows_a_timeline(terminal: Terminal, leaking: Path) -> None:
    code, out, _ = terminal.run("memory", leaking)
    assert code == 0
    assert max(map(len, out.splitlines())) <= 80
    assert "276.0 MiB │" in out
    assert "█" in out
    assert out.startswith("GPU 0 (A100): ")
    assert "276 MiB of 1 GiB" in out.splitlines()[0]


def test_rows_by_scope_and_size(terminal: Terminal, leaking: Path) -> None:
    (device,) = terminal.json("memory", leaking, "--scope", "aten::")["devices"]
    assert [row["op"] for row in device["at_peak"]] == ["aten::mm"]
    assert (device["at_peak_left_out_bytes"], device["peak_bytes"]) == (100 * MIB, 276 * MIB)
    (device,) = terminal.json("memory", leaking, "--min-bytes", str(40 * MIB))["devices"]
    assert [row["bytes"] for row in device["largest"]] == [48 * MIB]
    _, out, _ = terminal.run("memory", leaking, "--scope", "none such")
    assert "aten::mm" not in out.split("\n\n", 1)[1]


def test_without_memory_the_option_that_records_it_is_named(terminal: Terminal, tmp_path: Path) -> None:
    path = tmp_path / "a.pt.trace.json"
    path.write_text(json.dumps(trace()))
    code, out, error = terminal.run("memory", path)
    assert (code, out) == (2, "")
    assert "profile_memory=True" in error
    assert len(error.strip().splitlines()) == 1
    answer = terminal.json("memory", path)
    assert (answer["devices"], answer["programs"], len(answer["notes"])) == ([], [], 1)


def test_a_snapshot_explains_why_a_request_failed(terminal: Terminal, tmp_path: Path) -> None:
    frames = [{"filename": "train.py", "line": 7, "name": "step"}]
    blocks = [
        {"address": 4096, "size": 6 * MIB, "state": "active_allocated", "frames": frames},
        {"size": MIB, "state": "inactive"},
        {"size": MIB, "state": "active_allocated", "frames": frames},
        {"size": 2 * MIB, "state": "inactive"},
    ]
    segment = {"device": 0, "address": 4096, "total_size": 10 * MIB, "stream": 0, "blocks": blocks}
    failed = {"action": "oom", "addr": 0, "size": 3 * MIB, "device_free": 0, "stream": 0, "time_us": 5}
    path = tmp_path / "snapshot.pickle"
    path.write_bytes(pickle.dumps({"segments": [segment], "device_traces": [[failed]]}))
    (device,) = terminal.json("memory", path)["devices"]
    assert device["fragmentation"] == pytest.approx(1 / 3)
    (failure,) = device["out_of_memory"]
    assert (failure["cause"], failure["asked_bytes"], failure["device_free_bytes"]) == ("fragmented", 3 * MIB, 0)
    assert (failure["held_bytes"], failure["reserved_bytes"], failure["largest_free_bytes"]) == (7 * MIB, 10 * MIB, 2 * MIB)
    assert failure["holders"] == [{"op": "train.py:7 step", "bytes": 7 * MIB}]
    code, out, _ = terminal.run("memory", path)
    assert code == 0
    assert "Out of memory: 3 MiB" in out
    assert max(map(len, out.splitlines())) <= 80


def test_a_memory_timeline_alone_is_shown(terminal: Terminal, tmp_path: Path) -> None:
    path = tmp_path / "memory.json"
    path.write_text(json.dumps([[0, 1, 100, 0], [1000, 1, 50, 5], [2000, 3, -50, 5]]))
    (device,) = terminal.json("memory", path)["devices"]
    assert (device["peak_bytes"], device["matched_by"], device["timeline"]["by"]) == (150, "sums", "kind")
    assert {row["op"]: row["bytes"] for row in device["at_peak"]} == {"Parameter": 100, "Gradient": 50}


def test_the_picture_holds_a_level_until_the_next_point() -> None:
    line = TimelineRow(
        by=StackedBy.OP, ms=[0.0, 5.0, 10.0], bytes=[8, 0, 8], reserved_bytes=None, layers=[LayerRow("a", [8, 0, 8])], peak=0
    )
    *rows, _, axis = picture(line, timed=True)
    width = 80 - len("8 B │")
    for row in rows:
        level = row.split("│")[1]
        assert len(level) == width
        # The moment of a change belongs to both of its sides.
        assert level.strip(" ") in level[: width // 2 + 1]
        assert width // 2 <= level.count("█") <= width // 2 + 2
    assert axis.endswith("10 ms")


@pytest.mark.parametrize(
    ("size", "text"), [(0, "0 B"), (1023, "0.999 KiB"), (1536, "1.5 KiB"), (5 * GIB, "5 GiB"), (3 << 50, "3,072 TiB")]
)
def test_sizes_in_sentences(size: int, text: str) -> None:
    assert size_text(size) == text


def test_programs_tell_what_their_compiler_has_planned(terminal: Terminal) -> None:
    capture = Path(__file__).parents[1] / "formats" / "xplane" / "captures" / "jax.xplane.pb"
    first, *others = terminal.json("memory", capture, "--programs")["programs"]
    assert (first["name"], first["parameter_bytes"], first["output_bytes"], first["temporary_bytes"]) == (
        "jit_train_step(6)",
        10240,
        2048,
        1024,
    )
    assert first["total_bytes"] == 13_312
    assert first["at_peak"] == [{"op": "multiply_select_fusion", "bytes": 1024}]
    assert len(others) == 3
    (only,) = terminal.json("memory", capture, "--programs", "--scope", "jit_convert")["programs"]
    assert only["total_bytes"] == 8
    code, out, _ = terminal.run("memory", capture, "--programs")
    assert code == 0
    assert "jit_train_step(6) needs 1.0 KiB" in out
    assert max(map(len, out.splitlines())) <= 80


def test_a_recording_without_programs_says_so(terminal: Terminal, leaking: Path) -> None:
    code, _, error = terminal.run("memory", leaking, "--programs")
    assert code == 2
    assert len(error.strip().splitlines()) == 1
    assert terminal.json("memory", leaking, "--programs")["programs"] == []
