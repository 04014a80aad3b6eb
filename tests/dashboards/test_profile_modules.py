"""The route of modules: the tree that calls make, that scopes make, and none."""

from __future__ import annotations

from analyses.test_modules import called
from analyses.timeline import Timeline
from dashboards.conftest import ProfileServer
from stepscope.model.profile import Profile, SpanKind


def scoped() -> Profile:
    builder = Timeline()
    builder.span("main", 0, 1000, SpanKind.OP, "MatMul", op=builder.op("MatMul", scope="model/dense"))
    return builder.build()


def test_modules_with_the_times_of_both_passes(profiles: ProfileServer) -> None:
    profiles.put("train", "worker0", called)
    (session,) = profiles.sessions()
    answer = profiles.get("modules", session=session["id"])
    assert (answer["total"], answer["recorded"]) == (2, True)
    net, linear = answer["rows"]
    assert (net["path"], linear["path"], linear["name"], linear["depth"]) == ("Net_0", "Net_0/Linear_0", "Linear_0", 1)
    assert (linear["calls"], linear["share"]) == (2, 1.0)
    assert (net["forward_host_us"], net["forward_host_self_us"]) == (0.1, 0.04)
    assert (linear["forward_device_us"], linear["backward_host_us"], linear["backward_device_us"]) == (0.014, 0.03, 0.011)
    assert (net["backward_device_us"], net["backward_device_self_us"]) == (0.011, 0.0)


def test_scopes_stand_in_for_modules(profiles: ProfileServer) -> None:
    profiles.put("train", "worker0", scoped)
    (session,) = profiles.sessions()
    answer = profiles.get("modules", session=session["id"], worker="worker0")
    assert ([row["path"] for row in answer["rows"]], answer["recorded"]) == (["model", "model/dense"], False)


def test_neither(profiles: ProfileServer) -> None:
    profiles.record("train", "worker0", "main  1111oo")
    (session,) = profiles.sessions()
    answer = profiles.get("modules", session=session["id"])
    assert (answer["rows"], answer["total"]) == ([], 0)
    assert profiles.get("modules", 404, session=session["id"], worker="nobody")["error"]["code"] == "unknown_worker"
