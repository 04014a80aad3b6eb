"""`stepscope profile roofline` prints points, utilisation and what is known of the device, in eighty columns and as JSON and CSV."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest

from cli.profile_terminal import Terminal
from cli.torch_traces import trace
from stepscope.cli.terminal import billions


@pytest.fixture
def profile(tmp_path: Path) -> Path:
    path = tmp_path / "host_1.1700000000000.pt.trace.json"
    path.write_text(json.dumps(trace()))
    return path


@pytest.fixture
def terminal(capsys: pytest.CaptureFixture[str]) -> Terminal:
    return Terminal(capsys)


def test_json(terminal: Terminal, profile: Path) -> None:
    got = terminal.json("roofline", profile)
    (point,) = got["points"]
    # Products of 8 × 8 in 16 bits, one a step of a millisecond: 1,024 FLOPs and 384 bytes in 400 µs.
    assert (point["name"], point["detail"], point["count"], point["share"]) == ("aten::mm", "ampere_bf16_s16816gemm_128x64", 5, 1)
    assert (point["flops_per_byte"], point["flops_from"], point["bound_by"]) == (pytest.approx(1024 / 384), "shapes", "memory")
    assert point["share_of_roof"] == pytest.approx(384 / 400e-6 / 1555e9)
    assert not point["implausible"]
    (rank,) = got["ranks"]
    sentence = rank["utilisation"].pop("sentence")
    assert rank["utilisation"] == {
        "step_ms": 1.0,
        "devices": 1,
        "flops_per_step": 1024,
        "flops_per_second": pytest.approx(1_024_000),
        "mfu": pytest.approx(1024 / 312e12 / 1e-3),
        "hfu": pytest.approx(1024 / 312e12 / 1e-3),
        "known_share": 1,
    }
    assert "1.02 kFLOP" in sentence
    (roof,) = rank["roofs"]
    assert (roof["device"], roof["flops_per_second"]["fp16"], roof["bytes_per_second"]) == ("A100", 312e12, 1555e9)
    assert [level["name"] for level in roof["levels"]] == ["Shared memory", "L2"]


def test_text_and_csv(terminal: Terminal, profile: Path) -> None:
    code, out, _ = terminal.run("roofline", profile)
    assert code == 0
    assert max(map(len, out.splitlines())) <= 80
    assert out.startswith(terminal.json("roofline", profile)["ranks"][0]["utilisation"]["sentence"])
    assert "A100 has a peak of" in out
    (heads,) = [line.split("  ") for line in out.splitlines() if line.startswith("operation")]
    assert [head.strip() for head in heads if head.strip()][-3:] == ["GFLOP/s", "GB/s", "of roof"]
    rows = list(csv.DictReader(io.StringIO(terminal.run("roofline", profile, "--csv")[1])))
    assert [row["name"] for row in rows] == ["aten::mm"]
    assert terminal.json("roofline", profile, "--contains", "nothing")["points"] == []


def test_a_bad_table_of_devices_is_one_sentence(
    terminal: Terminal, profile: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = tmp_path / "devices.toml"
    table.write_text("[[device]]\nname = 'A100'\nteraflops = { fp16 = -1 }\n")
    monkeypatch.setenv("STEPSCOPE_DEVICES", str(table))
    code, _, err = terminal.run("roofline", profile)
    assert code == 2
    assert str(table) in err
    table.write_text("[[device]]\nname = 'A100'\nteraflops = { fp16 = 1 }\ngigabytes_per_second = 1\n")
    assert terminal.json("roofline", profile)["points"][0]["peaks_from"] == "your table"


def test_rates_stand_in_billions() -> None:
    assert [billions(rate) for rate in (3.19e12, 45.6e9, 1.5e9, 1e3, 0.0, None)] == ["3,190", "45.6", "1.50", "<0.01", "0.00", ""]
