"""The route of the spans behind a line of evidence: their place, what is around them, and sums that agree with the sentence."""

from __future__ import annotations

from analyses.timeline import MS, Timeline
from dashboards.profile_server import ProfileServer
from stepscope.model.profile import Profile, SpanKind


def waits() -> Profile:
    """Five steps of 10 ms: a fetch of 4 ms inside a function, half of it beside a kernel."""
    line = Timeline()
    for step in range(5):
        at = step * 10 * MS
        line.span("main", at, at + 10 * MS, SpanKind.MARKER, f"ProfilerStep#{step}", step=step)
        line.span("main", at, at + 5 * MS, SpanKind.PYTHON, "train.py(3): fit")
        line.span("main", at + MS, at + 5 * MS, SpanKind.INPUT, "next batch")
        line.span("gpu 0/7", at, at + 3 * MS, SpanKind.KERNEL, "k")
        line.span("gpu 0/7", at + 5 * MS, at + 10 * MS, SpanKind.KERNEL, "k")
    return line.build()


def fetches(profile: Profile) -> list[int]:
    return [row for row in range(len(profile.spans)) if profile.names[int(profile.spans.name[row])] == "next batch"]


def test_a_span_with_its_length_and_what_is_waited_for(profiles: ProfileServer) -> None:
    profiles.put("train", "worker0", waits)
    (session,) = profiles.sessions()
    row = fetches(waits())[2]
    found = profiles.part("instances", session["id"], of="span", like=row)
    span = found["chosen"]
    assert (found["part"], span["name"], span["track"], span["step"]) == ("input", "next batch", "main", 2)
    assert (span["start_us"], span["duration_us"], span["own_us"]) == (21_000, 4_000, 2_000)
    assert found["stack"] == ["train.py(3): fit"]
    assert (found["total"], found["own_us_per_step"]) == (5, 2_000)
    assert sorted(one["row"] for one in found["spans"]) == fetches(waits())


def test_a_chosen_range_counts_its_own_spans(profiles: ProfileServer) -> None:
    profiles.put("train", "worker0", waits)
    (session,) = profiles.sessions()
    row = fetches(waits())[2]
    found = profiles.part("instances", session["id"], of="span", like=row, range="1:4")
    assert (found["total"], found["own_us_per_step"], found["chosen"]["row"]) == (3, 2_000, row)
    assert found["chosen"]["start_us"] == 21_000
    missing = profiles.part("instances", session["id"], 404, of="span", like=fetches(waits())[0], range="1:4")
    assert missing["error"]["code"] == "unknown_span"


def test_rows_that_are_not_there(profiles: ProfileServer) -> None:
    profiles.put("train", "worker0", waits)
    (session,) = profiles.sessions()
    assert profiles.part("instances", session["id"], 404, of="span", like=999999)["error"]["code"] == "unknown_span"
    assert profiles.part("instances", session["id"], 400, of="span", like=-1)["error"]["code"] == "bad_request"


def test_operations_name_the_part_they_are_exposed_in(profiles: ProfileServer) -> None:
    profiles.put("train", "worker0", waits)
    (session,) = profiles.sessions()
    rows = profiles.part("ops", session["id"], calls="true")["ops"]
    assert {row["name"]: row["part"] for row in rows} == {"k": "compute", "next batch": "input", "train.py(3): fit": ""}
