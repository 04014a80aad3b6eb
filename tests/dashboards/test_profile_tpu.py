"""A TPU's step on the overview: its parts sum to the step, ranks are averaged, and other devices have none."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from analyses.tpu_files import tpu_profile
from dashboards.profile_server import ProfileServer
from stepscope.analyses.tpu import TpuStep
from stepscope.session.report.tpu import tpu_time

STEP = TpuStep(1, 100e6, 60e6, 10e6, 5e6, 15e6, 0.0, 10e6, 0.5, 0.3)


def test_the_parts_sum_to_the_step(profiles: ProfileServer, tmp_path: Path) -> None:
    profiles.put("train", "worker0", lambda: tpu_profile(tmp_path))
    report = profiles.report()
    tpu = report["tpu"]
    assert {one["part"]: (one["ms"], one["share"]) for one in tpu["parts"]} == {
        "compute": (0.06, 0.6), "infeed": (0.01, 0.1), "outfeed": (0.005, 0.05), "communication": (0.015, 0.15), "copy": (0, 0),
        "idle": (0.01, 0.1),
    }  # fmt: skip
    assert (tpu["devices"], tpu["step_ms"]) == (1, 0.1)
    assert tpu["step_matrix_use"] == pytest.approx(4e6 / 100e-6 / 0.4e12)
    assert report["ranks"][0]["tpu"] == tpu


def test_ranks_are_averaged_and_their_devices_counted() -> None:
    found = tpu_time([STEP, None, replace(STEP, infeed_ns=30e6, idle_ns=0.0, compute_ns=50e6)])
    assert found is not None
    assert (found.devices, found.step_ms) == (2, 100)
    assert {one.part: one.ms for one in found.parts} | {"copy": 0} == {
        "compute": 55, "infeed": 20, "outfeed": 5, "communication": 15, "copy": 0, "idle": 5,
    }  # fmt: skip
    assert (found.matrix_use, found.step_matrix_use) == (0.5, 0.3)


def test_a_use_that_one_rank_does_not_know_is_unknown() -> None:
    found = tpu_time([STEP, replace(STEP, matrix_use=None, step_matrix_use=None)])
    assert found is not None
    assert (found.matrix_use, found.step_matrix_use) == (None, None)


def test_other_devices_have_none(profiles: ProfileServer) -> None:
    profiles.record("train", "worker0", "main   11112222\nmain   l...l...\ngpu 0  KKKKKKKK")
    report = profiles.report()
    assert (report["tpu"], report["ranks"][0]["tpu"]) == (None, None)
