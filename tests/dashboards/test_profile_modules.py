"""The route of modules: the tree that calls make, that scopes make, and none."""

from __future__ import annotations

from analyses.module_profiles import called
from analyses.timeline import Timeline
from dashboards.profile_server import ProfileServer
from stepscope.model.profile import Profile, SpanKind


def scoped() -> Profile:
    builder = Timeline()
    builder.span("main", 0, 1000, SpanKind.OP, "MatMul", op=builder.op("MatMul", scope="model/dense"))
    return builder.build()


def test_modules_with_the_times_of_both_passes(profiles: ProfileServer) -> None:
    profiles.put("train", "worker0", called)
    (session,) = profiles.sessions()
    answer = profiles.part("modules", session["id"])
    assert (answer["total"], answer["recorded"]) == (2, True)
    net, linear = answer["modules"]
    assert (net["path"], linear["path"], linear["name"], linear["depth"]) == ("Net_0", "Net_0/Linear_0", "Linear_0", 1)
    assert (linear["calls"], linear["share"]) == (2, 1.0)
    assert (net["forward"]["host_us"], net["forward"]["host_self_us"]) == (0.1, 0.04)
    assert (linear["forward"]["device_us"], linear["backward"]["host_us"]) == (0.014, 0.03)
    assert (net["backward"]["device_us"], net["backward"]["device_self_us"]) == (0.011, 0.0)


def test_scopes_stand_in_for_modules(profiles: ProfileServer) -> None:
    profiles.put("train", "worker0", scoped)
    (session,) = profiles.sessions()
    answer = profiles.part("modules", session["id"], worker="worker0")
    assert ([row["path"] for row in answer["modules"]], answer["recorded"]) == (["model", "model/dense"], False)


def test_neither(profiles: ProfileServer) -> None:
    profiles.record("train", "worker0", "main  1111oo")
    (session,) = profiles.sessions()
    answer = profiles.part("modules", session["id"])
    assert (answer["modules"], answer["total"]) == ([], 0)
    assert profiles.part("modules", session["id"], 404, worker="nobody")["error"]["code"] == "unknown_worker"
