"""stepscope.profile around the real torch (torch_profiler), TensorFlow (tensorflow_profiler) and JAX (jax_profiler): steps as chosen.

Our reader, and XProf, find them in what was captured.
"""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from stepscope.capture.unprofiled_steps import STEPS, TAG

pytestmark = [pytest.mark.peers, pytest.mark.slow]
HERE = Path(__file__).parent
Run = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture(scope="module", params=["torch", "tensorflow", "jax"])
def framework(request: pytest.FixtureRequest) -> str:
    return request.param


@pytest.fixture(scope="module")
def top(framework: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp(framework)


@pytest.fixture(scope="module")
def trained(framework: str, top: Path, run_in_peers: Callable[..., Any]) -> Any:
    return run_in_peers(HERE / "profile_in_peers.py", framework, top)


def told(verbs: Run, *arguments: str | Path) -> Any:
    return json.loads(verbs("profile", *arguments, "--json", "--no-cache").stdout)


def test_the_chosen_steps_are_read(trained: Any, verbs: Run) -> None:
    (session,) = trained["sessions"]
    assert [step["step"] for step in told(verbs, "steps", session)["steps"]] == [4, 5, 6]


def test_files_are_those_of_the_framework(trained: Any, framework: str) -> None:
    (names,) = trained["files"]
    endings = {
        "torch": [".pt.trace.json.gz"],
        "tensorflow": [".xplane.pb"],
        "jax": [".memory.prof", ".xplane.pb"],
    }[framework]
    assert all(name.endswith(ending) for name, ending in zip(names, endings, strict=True))


def test_operations_and_spans_of_the_program_are_in_it(trained: Any, verbs: Run) -> None:
    operations = {row["name"]: row for row in told(verbs, "ops", trained["sessions"][0])["ops"]}
    assert operations["my_op"]["count"] == 3
    assert len(operations) > 1, "beside those of the framework"


def test_the_step_without_the_profiler_is_known(trained: Any, top: Path, verbs: Run) -> None:
    logged = told(verbs, "report", top / "run")["logged_step"]
    assert (logged["tag"], logged["steps"]) == (TAG, 3 + STEPS), "before: 0 to 2, because 3 warmed up"


def test_a_whole_block_is_captured(trained: Any) -> None:
    (session,) = trained["again"]
    assert len(list(Path(session).iterdir())) == 1


def test_the_use_of_the_machine_is_in_it(trained: Any, verbs: Run) -> None:
    counters = {row["name"]: row for row in told(verbs, "counters", trained["again"][0])["counters"]}
    used, resident = counters["cpu used_percent"], counters["process rss_mib"]
    assert 0 <= used["least"] <= used["most"] <= 100
    assert resident["samples"] >= 3, "one every 100 ms, in half a second on a busy machine"
    assert resident["step_mean"] > 50, "on the clock of the step"


def test_a_profiler_that_runs_already_is_one_sentence(trained: Any, framework: str) -> None:
    assert len(trained["refused"]) == (0 if framework == "torch" else 1)


def test_xprof_reads_the_same_steps(trained: Any, framework: str, run_in_peers: Callable[..., Any]) -> None:
    if framework == "torch":
        return
    (path,) = Path(trained["sessions"][0]).glob("*.xplane.pb")
    assert run_in_peers(HERE / "xprof_steps.py", path) == 3
