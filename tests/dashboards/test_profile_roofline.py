"""The route of rooflines: roofs, points and utilisation of a worker, and sentences for what cannot be."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from analyses.test_roofline import A100, trained
from dashboards.conftest import ProfileServer
from stepscope.model.profile import Device


def ask(profiles: ProfileServer, **more: str) -> Any:
    profiles.folder.load()
    (session,) = profiles.client.get("/api/v1/profile/sessions").json()["sessions"]
    return profiles.client.get("/api/v1/profile/roofline", params={"session": session["id"], **more})


def test_roofs_points_and_utilisation(profiles: ProfileServer) -> None:
    profiles.put("run", "worker0", trained)
    report = ask(profiles).json()["report"]
    (roof,) = report["roofs"]
    assert (roof["device"], roof["count"], roof["bytes_per_second"]) == (A100.name, 1, 2039e9)
    assert roof["formats"][-1] == {"name": "fp16", "flops_per_second": 312e12}
    assert [level["name"] for level in roof["levels"]] == ["Shared memory", "L2"]
    (point,) = report["points"]
    assert (point["name"], point["count"], point["flops_from"], point["bound_by"]) == ("dot.1", 4, "recorded", "compute")
    # 3.12 GFLOP in 100 µs of 312 TFLOP/s.
    assert (point["flops_per_second"], point["of_roof"]) == (pytest.approx(31.2e12), pytest.approx(0.1))
    assert (report["mfu"], report["known_share"], report["total"]) == (pytest.approx(0.01), 1, 1)
    assert report["sentence"] == "A typical step of 1.00 ms does 3.12 GFLOP, 3.12 TFLOP/s: MFU 1.0 %."


def test_an_unknown_device(profiles: ProfileServer) -> None:
    profiles.put("run", "worker0", lambda: trained(Device("New 7", "GPU", 0)))
    report = ask(profiles).json()["report"]
    assert (report["roofs"], report["mfu"]) == ([], None)
    assert any("New 7" in note for note in report["notes"])


def test_a_table_of_devices_that_cannot_be(profiles: ProfileServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    table = tmp_path / "devices.toml"
    table.write_text("[[device]]\nname = 'A100'\ngigabytes_per_second = -5\n")
    monkeypatch.setenv("STEPSCOPE_DEVICES", str(table))
    profiles.put("run", "worker0", trained)
    answer = ask(profiles)
    assert answer.status_code == 400
    assert "which no device has" in answer.json()["error"]["message"]
