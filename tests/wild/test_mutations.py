"""A spoiled profile says less, and never something else: its cause is the one of the whole profile, or it says what it lacks.

Drawn files are spoiled everywhere; sample recordings are no part of the repository, and their tests skip when they are absent.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "benchmarks"))

from sample_files import SAMPLES, needs, needs_samples
from wild import cause_files, mutations, rank_files, step_files
from wild.judging import Found, judged_path
from wild.merging import MERGES, Merge
from wild.mutations import MUTATIONS, Content
from wild.robustness import RESULTS, Outcome, counted, outcome, run, same

DRAWN = (step_files.optimizer_marks, step_files.vllm_steps, step_files.annotated_iterations, cause_files.waits_for_a_stream)
JOBS = (rank_files.slow_rank_of_a_stage, rank_files.slow_last_stage, rank_files.long_sequences, rank_files.slow_expert_rank)
RECORDED = (
    "kineto/resnet50_workers0/worker0.1623143089861.pt.trace.json.gz",
    "kineto/resnet50_workers4/worker0.1623212756351.pt.trace.json.gz",
    "kineto/hta/nccl_parser_config/nccl_data.json.gz",
    "kineto/hta/trace_diff/control/control.json.gz",
    "kineto/tracelens/mi300/resnet_act_checkpoint.json.gz",
    "kineto/tracelens/h100/gaunernst_bert-small-uncased__1016001.json.gz",
    "kineto/tracelens/torch_compile_triton/trace.json.gz",
)


def sources() -> list[object]:
    kept = [pytest.param(draw.__name__, id=draw.__name__) for draw in DRAWN]
    return [*kept, *(pytest.param(name, marks=needs(name), id=name) for name in RECORDED)]


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], tuple[Content, Found]]:
    """A profile that is not spoiled, and what is said of it."""

    @cache
    def found(name: str) -> tuple[Content, Found]:
        draw = next((draw for draw in DRAWN if draw.__name__ == name), None)
        path = SAMPLES / name if draw is None else draw(tmp_path_factory.mktemp(name))
        return mutations.read(path), judged_path(path)

    return found


@pytest.mark.slow
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
    assert outcome(mutate.__name__, before, found) is not Outcome.WRONG
    if mutate is mutations.cut:
        assert found.judged.doubts[0] == found.summary.quality.cut_short != ""


@pytest.mark.slow
@pytest.mark.parametrize("name", sources())
def test_a_device_is_called_what_its_file_calls_it(name: str, whole: Callable[[str], tuple[Content, Found]], tmp_path: Path) -> None:
    content, before = whole(name)
    path = tmp_path / "trace.json"
    path.write_bytes(mutations.renamed_device(content))
    found = judged_path(path)
    labelled = b"ZPU" in path.read_bytes()
    assert found.device == ("ZPU" if labelled else before.device)
    assert (found.steps, found.step_ms, found.cause) == (before.steps, before.step_ms, before.cause)


@pytest.mark.parametrize("merge", MERGES, ids=lambda merge: merge.__name__)
@pytest.mark.parametrize("draw", JOBS, ids=lambda draw: draw.__name__)
def test_ranks_in_one_file_say_what_they_say_in_many(draw: Callable[[Path], Path], merge: Merge, tmp_path: Path) -> None:
    folder = tmp_path / "ranks"
    folder.mkdir()
    before = judged_path(draw(folder))
    ranks = {rank: mutations.read(folder / f"rank{rank}.pt.trace.json") for rank in range(len(before.summary.profiles))}
    merged = tmp_path / "merged.json"
    merged.write_text(json.dumps(merge(ranks)))
    assert same(before, judged_path(merged)) is Outcome.RIGHT


def test_the_kept_counts_have_nothing_wrong() -> None:
    counts = counted(json.loads(RESULTS.read_text()))
    assert {name: each[Outcome.WRONG] for name, each in counts.items()} == dict.fromkeys(counts, 0)


@pytest.mark.soak
@needs_samples
def test_every_recording_spoiled_in_every_way_says_nothing_wrong() -> None:
    found = counted(run([]))
    assert {name: each[Outcome.WRONG] for name, each in found.items()} == dict.fromkeys(found, 0)
