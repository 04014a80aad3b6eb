"""The route of rooflines: roofs, points and utilisation of a worker, and sentences for what cannot be."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from analyses.product_profiles import A100, trained
from dashboards.profile_server import ProfileServer
from stepscope.model.profile import Device


def ask(profiles: ProfileServer, status: int = 200) -> Any:
    (session,) = profiles.sessions()
    return profiles.part("roofline", session["id"], status)


def test_roofs_points_and_utilisation(profiles: ProfileServer) -> None:
    profiles.put("run", "worker0", trained)
    answer = ask(profiles)
    (rank,) = answer["ranks"]
    (roof,) = rank["roofs"]
    assert (roof["device"], roof["count"], roof["bytes_per_second"]) == (A100.name, 1, 2039e9)
    assert list(roof["flops_per_second"].items())[-1] == ("fp16", 312e12)
    assert [level["name"] for level in roof["levels"]] == ["Shared memory", "L2"]
    (point,) = answer["points"]
    assert (point["name"], point["count"], point["flops_from"], point["bound_by"]) == ("dot.1", 4, "recorded", "compute")
    # 3.12 GFLOP in 100 µs of 312 TFLOP/s.
    assert (point["flops_per_second"], point["share_of_roof"]) == (pytest.approx(31.2e12), pytest.approx(0.1))
    assert (point["flops_share_of_peak"], point["peaks_from"]) == (pytest.approx(0.1), "published")
    use = rank["utilisation"]
    assert (use["mfu"], use["known_share"], answer["total"]) == (pytest.approx(0.01), 1, 1)
    assert (use["step_ms"], use["flops_per_step"], use["flops_per_second"]) == (1.0, pytest.approx(3.12e9), pytest.approx(3.12e12))


def test_an_unknown_device(profiles: ProfileServer) -> None:
    profiles.put("run", "worker0", lambda: trained(Device("New 7", "GPU", 0)))
    (rank,) = ask(profiles)["ranks"]
    assert (rank["roofs"], rank["utilisation"]["mfu"]) == ([], None)
    assert any("New 7" in note for note in rank["notes"])


def test_a_table_of_devices_that_cannot_be(profiles: ProfileServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    table = tmp_path / "devices.toml"
    table.write_text("[[device]]\nname = 'A100'\ngigabytes_per_second = -5\n")
    monkeypatch.setenv("STEPSCOPE_DEVICES", str(table))
    profiles.put("run", "worker0", trained)
    assert ask(profiles, 400)["error"]["code"] == "bad_device_table"
