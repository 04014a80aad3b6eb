"""A spoiled profile says less, and never something else: its cause is the one of the whole profile, or it says what it lacks.

Drawn files are spoiled everywhere; sample recordings are no part of the repository, and their tests skip when they are absent.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "benchmarks"))

from sample_files import SAMPLES
from stepscope.rules.all_rules import ALL_RULES
from wild import cause_files, mutations, step_files
from wild.judging import Found, judged_path
from wild.mutations import MUTATIONS, Content

DRAWN = (step_files.optimizer_marks, step_files.vllm_steps, step_files.annotated_iterations, cause_files.waits_for_a_stream)
RECORDED = (
    "kineto/resnet50_workers0/worker0.1623143089861.pt.trace.json.gz",
    "kineto/resnet50_workers4/worker0.1623212756351.pt.trace.json.gz",
    "kineto/hta/nccl_parser_config/nccl_data.json.gz",
    "kineto/hta/trace_diff/control/control.json.gz",
    "kineto/tracelens/mi300/resnet_act_checkpoint.json.gz",
    "kineto/tracelens/h100/gaunernst_bert-small-uncased__1016001.json.gz",
    "kineto/tracelens/torch_compile_triton/trace.json.gz",
)
SAYS_LESS = {"nothing", "untraced", "unrecorded", "startup"}
ON_HOST_ALONE = {rule.id for rule in ALL_RULES if rule.on_host_alone}
LAST_RESORT = {rule.id for rule in ALL_RULES if rule.last_resort}


def sources() -> list[object]:
    kept = [pytest.param(draw.__name__, id=draw.__name__) for draw in DRAWN]
    here = pytest.mark.skipif(not SAMPLES.is_dir(), reason=f"the sample recordings are not at {SAMPLES}")
    return [*kept, *(pytest.param(name, marks=here, id=name) for name in RECORDED)]


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], tuple[Content, Found]]:
    """A profile that is not spoiled, and what is said of it."""

    @cache
    def found(name: str) -> tuple[Content, Found]:
        draw = next((draw for draw in DRAWN if draw.__name__ == name), None)
        path = SAMPLES / name if draw is None else draw(tmp_path_factory.mktemp(name))
        return mutations.read(path), judged_path(path)

    return found


@pytest.mark.parametrize("name", sources())
@pytest.mark.parametrize("mutate", MUTATIONS, ids=lambda mutate: mutate.__name__)
def test_a_spoiled_profile_says_less_and_nothing_else(
    mutate: Callable[[Content], bytes], name: str, whole: Callable[[str], tuple[Content, Found]], tmp_path: Path
) -> None:
    content, before = whole(name)
    path = tmp_path / "trace.json"
    path.write_bytes(mutate(content))
    found = judged_path(path)
    assert found.step_ms > 0
    assert all(0 <= each.gain.low <= each.gain.high <= 1 for each in found.judged.findings if each.gain is not None)
    if mutate is mutations.without_kernels:
        assert found.cause == "unrecorded"
        assert set(found.fired) <= ON_HOST_ALONE
        return
    said = bool(set(found.judged.doubts) - set(before.judged.doubts))
    if mutate is mutations.cut:
        assert found.judged.doubts[0] == found.summary.quality.cut_short != ""
    else:
        assert found.cause == before.cause or found.cause in SAYS_LESS or said
    if not said:
        assert set(found.fired[:1]) <= {*before.fired, *LAST_RESORT}


@pytest.mark.parametrize("name", sources())
def test_a_device_is_called_what_its_file_calls_it(name: str, whole: Callable[[str], tuple[Content, Found]], tmp_path: Path) -> None:
    content, before = whole(name)
    path = tmp_path / "trace.json"
    path.write_bytes(mutations.renamed_device(content))
    found = judged_path(path)
    labelled = b"ZPU" in path.read_bytes()
    assert found.device == ("ZPU" if labelled else before.device)
    assert (found.steps, found.step_ms, found.cause) == (before.steps, before.step_ms, before.cause)
