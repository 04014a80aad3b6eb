"""Tools that look at runs."""

from __future__ import annotations

from agents.asking import call
from stepscope.agents.protocol import AgentServer


def test_runs_tags_and_series(server: AgentServer) -> None:
    assert [run["name"] for run in call(server, "runs", contains="A")["runs"]] == ["a"]
    assert call(server, "tags", run="a") == {"run": "a", "total": 2, "tags": ["loss", "lr"]}
    series = call(server, "series", runs=["a"], tag="loss", points=40)["series"][0]
    assert (series["points"], series["reduced"], series["steps"][0], series["steps"][-1]) == (5_000, True, 0, 4_999)
    assert len(series["steps"]) == len(series["values"]) <= 40
    assert "unknown" not in call(server, "series", runs=["a"], tag="nosuch")
    assert isinstance(call(server, "hparams"), dict)
