"""Tools that look at profiles."""

from __future__ import annotations

from agents.asking import call
from stepscope.agents.protocol import AgentServer


def test_profiles_report_what_if_and_comparison(server: AgentServer) -> None:
    found = call(server, "profiles")["profiles"]
    assert [each["run"] for each in found] == ["b", "a"]
    report = call(server, "profile_report", session=found[1]["id"])
    assert (report["step_ms"]["median"], report["findings"][0]["rule"]) == (10.0, "input_bound")
    assert call(server, "profile_ops", session=found[1]["id"], limit=1)["total"] >= 1
    assert call(server, "what_if", session=found[1]["id"], changes="input=0")["baseline_ms"] == 10.0
    compared = call(server, "compare_profiles", before=found[1]["id"], after=found[0]["id"])
    assert {"before_ms", "after_ms", "change", "noise"} <= compared.keys()
