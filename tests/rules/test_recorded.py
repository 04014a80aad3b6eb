"""Real trainings on the CPU with one fault each: the rule about it fires, and is quiet on the same training without it."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from opened_profiles import open_profile
from stepscope.analyses.session.summary import summarise
from stepscope.formats.span_attributes import span_attributes
from stepscope.rules.judge import judge
from stepscope.rules.rule import Finding, Verdict

pytestmark = pytest.mark.peers

HERE = Path(__file__).parent / "recorded"
FRAMEWORKS = ("torch", "tensorflow", "jax")
Findings = dict[str, dict[str, Finding]]


@pytest.fixture(scope="module")
def findings(tmp_path_factory: pytest.TempPathFactory, run_in_peers: Callable[..., Any]) -> Findings:
    """What every rule says of each recorded training."""
    top = tmp_path_factory.mktemp("recorded")
    for name in FRAMEWORKS:
        (top / name).mkdir()
    with ThreadPoolExecutor() as pool:
        list(pool.map(lambda name: run_in_peers(HERE / f"faults_of_{name}.py", top / name), FRAMEWORKS))
    found: Findings = {}
    for folder in sorted(each for name in FRAMEWORKS for each in (top / name).iterdir() if each.is_dir()):
        judged = judge(summarise(open_profile(str(folder))), span_attributes, cores=64)
        found[f"{folder.parent.name}/{folder.name}"] = {each.rule: each for each in judged.findings}
    return found


@pytest.mark.parametrize(
    ("training", "rule"),
    [
        ("torch/loop", "unfused_optimizer"),
        ("torch/saves", "checkpoint_blocking"),
        ("torch/collects", "garbage_collection"),
        ("tensorflow/eager", "eager_loop"),
        ("tensorflow/serial", "stage_not_parallel"),
        ("tensorflow/filling", "shuffle_filling"),
        ("jax/eager", "eager_loop"),
    ],
)
def test_the_fault_is_named(findings: Findings, training: str, rule: str) -> None:
    found = findings[training][rule]
    assert (found.verdict, bool(found.evidence)) == (Verdict.FIRES, True), found.summary


@pytest.mark.parametrize(
    ("training", "rule"),
    [
        ("torch/foreach", "unfused_optimizer"),
        ("torch/saves", "garbage_collection"),
        ("torch/collects", "checkpoint_blocking"),
        ("torch/loop", "recomputation"),
        ("tensorflow/function", "eager_loop"),
        ("tensorflow/serial", "shuffle_filling"),
        ("jax/compiled", "eager_loop"),
    ],
)
def test_without_the_fault_the_rule_is_quiet(findings: Findings, training: str, rule: str) -> None:
    assert findings[training][rule].verdict in (Verdict.QUIET, Verdict.CANNOT_TELL), findings[training][rule].summary


def test_recomputation_is_seen_and_not_advised_against_without_knowing_the_memory(findings: Findings) -> None:
    found = findings["torch/recomputes"]["recomputation"]
    assert found.verdict is Verdict.CANNOT_TELL
    assert "free memory" in found.summary
