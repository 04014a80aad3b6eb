"""Several sessions over HTTP: in the order of what differs, each with its own numbers, and what is refused."""

from __future__ import annotations

from typing import Any

import pytest

from dashboards.profile_server import ProfileServer
from stepscope import SummaryWriter


def picture(length: int) -> str:
    """Five steps of so many milliseconds, half of each a kernel."""
    steps = "".join(str(number) * length for number in range(1, 6))
    return f"""
        main       {steps}
        gpu 0      {("K" * (length // 2) + "." * (length - length // 2)) * 5}
    """


@pytest.fixture
def ids(profiles: ProfileServer) -> list[str]:
    """Sessions of two runs that logged their batch size, the newest with the smaller one."""
    for run, batch, length, time in (("small", 8, 4, 1_794_770_500_000), ("large", 64, 8, 1_794_770_400_000)):
        with SummaryWriter(str(profiles.folder.path / run)) as writer:
            writer.log_config({"batch_size": batch, "lr": 0.1})
        profiles.record(run, "worker0", picture(length), time=time)
    return [one["id"] for one in profiles.sessions()]


def trend(profiles: ProfileServer, ids: list[str], **query: Any) -> dict[str, Any]:
    return profiles.get("trend", sessions=",".join(ids), **query)["answer"]


def test_sessions_are_ordered_by_the_hyperparameter_that_differs(profiles: ProfileServer, ids: list[str]) -> None:
    found = trend(profiles, list(reversed(ids)))
    assert (found["by"], found["choices"]) == ("batch_size", ["batch_size"])
    assert [(point["session"], point["label"], point["step_ms"]) for point in found["points"]] == [(ids[0], "8", 4), (ids[1], "64", 8)]
    assert [point["examples_per_second"] for point in found["points"]] == [2000, 8000]
    assert all(point["breakdown"]["compute"] == 0.5 for point in found["points"])
    assert trend(profiles, ids, range="2:4")["points"][0]["steps"] == 2


def test_sessions_of_one_name_stay_apart(profiles: ProfileServer) -> None:
    for time, length in ((1_794_770_500_000, 4), (1_794_770_400_000, 8)):
        profiles.record("train", "worker0", picture(length), time=time)
    ids = [one["id"] for one in profiles.sessions()]
    found = trend(profiles, ids)
    assert found["by"] == "profile"
    assert [(point["session"], point["step_ms"]) for point in found["points"]] == [(ids[0], 4), (ids[1], 8)]


def test_what_makes_no_trend_is_refused(profiles: ProfileServer, ids: list[str]) -> None:
    def refused(status: int = 400, **query: Any) -> str:
        return profiles.get("trend", status=status, **query)["error"]["code"]

    assert refused(sessions=ids[0]) == "few_profiles"
    assert refused(sessions=",".join([ids[0]] * 5)) == "few_profiles"
    assert refused(sessions=",".join(str(number) for number in range(201))) == "few_profiles"
    assert refused(404, sessions=f"{ids[0]},nothing") == "unknown_session"
    assert refused(sessions=",".join(ids), by="width") == "no_hyperparameter"
    assert refused(sessions=",".join(ids), range="x") == "bad_range"
