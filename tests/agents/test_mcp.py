"""`stepscope mcp` with the real client of the protocol: tools are listed and called, and answers are those of the other front ends."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from child_environment import with_sources
from log_folder import LogFolder
from stepscope.agents.all_tools import ALL_TOOLS

CLIENT = Path(__file__).with_name("mcp_client.py")


@pytest.mark.slow
def test_the_real_client_reads_runs_and_series(agents_python: str, tmp_path: Path) -> None:
    logs = LogFolder(tmp_path)
    logs.write("a", {"loss": [4.0, 2.0, float("nan"), 1.0]})
    calls: list[tuple[str, dict[str, Any]]] = [
        ("runs", {}),
        ("series", {"runs": ["a"], "tag": "loss"}),
        ("series", {"runs": ["b"], "tag": "loss"}),
        ("runs", {"limit": 0}),
        ("query", {"sql": "SELECT max(step) AS last FROM points"}),
        ("profile_report", {}),
    ]
    server = [sys.executable, "-m", "stepscope", "mcp", "--no-cache", str(tmp_path)]
    command = [agents_python, str(CLIENT), json.dumps(server), json.dumps(calls)]
    done = subprocess.run(command, env=with_sources(), capture_output=True, text=True, check=False, timeout=250)
    assert done.returncode == 0, done.stderr[-2_000:]
    said = json.loads(done.stdout.splitlines()[-1])
    assert said["tools"] == [tool.name for tool in ALL_TOOLS]
    answers = said["answers"]
    assert [answer["error"] for answer in answers] == [False, False, True, True, False, True]
    assert json.loads(answers[0]["text"])["runs"][0]["name"] == "a"
    series = json.loads(answers[1]["text"])["series"][0]
    assert (series["points"], series["nan"]) == (4, 1)
    assert json.loads(answers[4]["text"])["rows"] == [{"last": 3}]
