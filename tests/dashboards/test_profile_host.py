"""The route of the host's work: lines of a typical step, functions with their traces, and Python by name."""

from __future__ import annotations

from analyses.host_profiles import recorded
from dashboards.profile_server import ProfileServer
from stepscope.model.profile import Profile, SpanKind


def retraced() -> Profile:
    return recorded(
        (0, 400, SpanKind.FRAMEWORK, "PjitFunction(train)"),
        (10, 300, SpanKind.COMPILE, "trace_to_jaxpr"),
        (500, 600, SpanKind.PYTHON, "train.py(3): count"),
    )


def test_lines_functions_and_names(profiles: ProfileServer) -> None:
    profiles.put("train", "worker0", retraced)
    (session,) = profiles.sessions()
    (found,) = profiles.part("host", session["id"])["hosts"]
    assert (found["step_us"], found["host_us"]) == (1_000, 500)
    assert {one["part"]: one["us"] for one in found["breakdown"]} == {
        "python": 100, "waiting": 0, "compile": 290, "dispatch": 0, "framework": 110, "sync": 0, "alloc": 0, "io": 0, "gc": 0,
        "untraced": 500,
    }  # fmt: skip
    assert found["functions"] == [
        {"name": "train", "compiler": "jax.jit", "calls": 4, "traces": 4, "total_us": 1_600, "traced_us": 1_160, "versions": None}
    ]
    assert found["python"] == [{"name": "train.py(3): count", "us": 100, "calls": 1}]
    assert (found["python_recorded"], found["functions_total"], found["eager_share"]) == (True, 1, None)


def test_python_that_was_not_recorded_has_no_line(profiles: ProfileServer) -> None:
    profiles.record("train", "worker0", "main  1111\nmain  oooo")
    (session,) = profiles.sessions()
    (found,) = profiles.part("host", session["id"])["hosts"]
    assert not found["python_recorded"]
    assert [one["part"] for one in found["breakdown"]] == [
        "compile", "dispatch", "framework", "sync", "alloc", "io", "gc", "untraced",
    ]  # fmt: skip
    assert profiles.part("host", session["id"], 404, worker="nobody")["error"]["code"] == "unknown_worker"
