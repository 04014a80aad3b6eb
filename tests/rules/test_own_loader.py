"""Real trainings of torch and JAX with a loader of their own: once its name is listed as input, waiting for it is told."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from stepscope.analyses.session.summary import Summary
from stepscope.analyses.throughput.throughput import throughput
from stepscope.analyses.time_classes import TimeClass
from stepscope.formats.programs import read_programs
from stepscope.formats.span_attributes import span_attributes
from stepscope.ingest.own_kinds import OwnKinds
from stepscope.rules.judge import judge
from stepscope.rules.rule import Finding, Verdict
from stepscope.session.at_path import Opening, profile_at
from stepscope.session.part import Wanted

pytestmark = pytest.mark.peers

HERE = Path(__file__).parent / "recorded"
FRAMEWORKS = ("torch", "jax")


class Recorded:
    """One training: where it was recorded, and what its own clock says."""

    def __init__(self, folder: Path, told: dict[str, Any]) -> None:
        self.folder = folder
        self.loaded_ms = sum(told["loaded_ms"])
        self.saved_ms = sum(told["saved_ms"])

    def summary(self, kinds: str) -> Summary:
        """With a list of one's own kinds."""
        file = self.folder.parent / f"{self.folder.name}.toml"
        file.write_text(kinds)
        return profile_at(str(self.folder), Opening(cache=False, kinds=OwnKinds(kinds=str(file)))).analysed(Wanted()).summary

    def finding(self, kinds: str, rule: str) -> Finding:
        """What one rule says."""
        judged = judge(self.summary(kinds), span_attributes, cores=64)
        return next(found for found in judged.findings if found.rule == rule)

    def milliseconds(self, kinds: str, time_class: TimeClass) -> float:
        """Of all steps."""
        return float(self.summary(kinds).breakdowns[0].parts[:, time_class].sum()) / 1e6


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory, run_in_peers: Callable[..., Any]) -> dict[str, Recorded]:
    """Both trainings, recorded once."""
    top = tmp_path_factory.mktemp("own_loader")

    def record(name: str) -> Recorded:
        (top / name).mkdir()
        return Recorded(top / name, run_in_peers(HERE / f"own_loader_of_{name}.py", top / name))

    with ThreadPoolExecutor() as pool:
        return dict(zip(FRAMEWORKS, pool.map(record, FRAMEWORKS), strict=True))


@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_a_name_that_is_not_listed_is_no_input(recorded: dict[str, Recorded], framework: str) -> None:
    assert recorded[framework].milliseconds("", TimeClass.INPUT) == 0
    found = recorded[framework].finding("", "input_bound")
    assert found.verdict is Verdict.CANNOT_TELL
    assert "--span-kinds" in found.option


@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_the_listed_fetch_is_waited_for_as_long_as_the_loop_s_own_clock_says(recorded: dict[str, Recorded], framework: str) -> None:
    training = recorded[framework]
    assert training.milliseconds('input = ["load_batch"]', TimeClass.INPUT) == pytest.approx(training.loaded_ms, rel=0.1)


@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_the_rule_about_input_fires_and_names_the_fetch(recorded: dict[str, Recorded], framework: str) -> None:
    found = recorded[framework].finding('input = ["load_*"]', "input_bound")
    assert found.verdict is Verdict.FIRES, found.summary
    assert any("load_batch" in evidence.text for evidence in found.evidence)


@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_listed_saving_is_writing(recorded: dict[str, Recorded], framework: str) -> None:
    training = recorded[framework]
    assert training.milliseconds('io = ["save_*"]', TimeClass.IO) == pytest.approx(training.saved_ms, rel=0.1)
    assert training.milliseconds('io = ["save_*"]', TimeClass.INPUT) == 0


@pytest.mark.parametrize(
    ("framework", "origin"),
    [("torch", "the shapes of the first layer's input and of the loss"), ("jax", "the inputs of the compiled step")],
)
def test_the_size_of_a_batch_is_told_by_what_was_recorded(recorded: dict[str, Recorded], framework: str, origin: str) -> None:
    found = recorded[framework].summary('input = ["load_batch"]')
    rates = throughput(
        found.profiles, found.breakdowns, span_attributes, programs=lambda place: read_programs(found.profiles[place])[0]
    )
    assert (rates.batch, rates.batch_source) == (48, origin)
