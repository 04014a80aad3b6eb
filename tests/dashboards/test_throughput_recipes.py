"""The lines that the page advises for epochs and requests tell them: in recordings of the real frameworks, and in logs."""

from __future__ import annotations

import json
import re
import textwrap
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from opened_profiles import open_profile
from stepscope import SummaryWriter
from stepscope.analyses.breakdown import break_down
from stepscope.analyses.requests import likely_request, request_names, requests
from stepscope.analyses.throughput.epochs import epochs_logged, epochs_of_profile
from stepscope.logdir import open_folder
from stepscope.queries.epoch_series import epoch_runs, epoch_series

HERE = Path(__file__).resolve().parent
UI = HERE.parents[1] / "src" / "stepscope" / "dashboards" / "profile" / "ui"
FRAMEWORKS = ("PyTorch", "JAX", "TensorFlow")


def recipes(file: str) -> dict[str, str]:
    """The advised lines by the first word of their name."""
    found: list[tuple[str, str]] = re.findall(r"name: '([^']+)',\s+code: `([^`]+)`", (UI / file).read_text())
    return {name.split(",")[0].split(" ")[0]: code for name, code in found}


def test_the_advised_lines_log_epochs(tmp_path: Path) -> None:
    lines = recipes("throughput/throughput-answers.ts")["Logs"]
    with SummaryWriter(str(tmp_path / "train")) as writer:
        names = {"time": time, "epochs": 3, "loader": range(5), "step": 0, "writer": writer}
        exec(lines, names | {"train": lambda _: time.sleep(0.001), "validate": lambda: time.sleep(0.004)})
    library = open_folder(tmp_path, cache=False).library
    (run,) = epoch_runs(library)
    epochs = epochs_logged(epoch_series(library, run))
    assert [(epoch.number, epoch.steps) for epoch in epochs] == [(1, 5), (2, 5)]
    for epoch in epochs:
        assert epoch.train is not None
        assert epoch.train >= 0.004
        assert epoch.validation is not None
        assert epoch.validation >= 0.004


@pytest.fixture(scope="module")
def recorded(run_in_peers: Callable[..., Any], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of recordings, one of epochs and one of requests for each framework."""
    folder = tmp_path_factory.mktemp("recorded")
    epochs = recipes("throughput/throughput-answers.ts")
    asked = {
        name: f"for _ in range(5):\n{textwrap.indent(code, '    ')}" for name, code in recipes("requests/request-answers.ts").items()
    }
    jobs = [
        (framework, str(folder / what / framework), lines[framework])
        for what, lines in (("epochs", epochs), ("requests", asked))
        for framework in FRAMEWORKS
    ]
    given = folder / "jobs.json"
    given.write_text(json.dumps(jobs))
    assert run_in_peers(HERE / "throughput_recipe_runs.py", given) == "done"
    return folder


@pytest.mark.peers
@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_the_advised_lines_mark_epochs(recorded: Path, framework: str) -> None:
    (profile,) = open_profile(str(recorded / "epochs" / framework))
    epochs = epochs_of_profile(profile, break_down(profile))
    assert [(epoch.number, epoch.steps) for epoch in epochs] == [(0, 4), (1, 4)]
    for epoch in epochs:
        assert epoch.validation is not None
        assert 0.005 <= epoch.validation < epoch.seconds
        assert epoch.train is not None
        assert epoch.train > 0


@pytest.mark.peers
@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_the_advised_lines_mark_requests(recorded: Path, framework: str) -> None:
    (profile,) = open_profile(str(recorded / "requests" / framework))
    name = likely_request(profile, request_names(profile))
    assert name == "request"
    found = requests(profile, break_down(profile), name)
    assert found.count == 5
    assert found.mean.device > 0
