"""stepscope.load_profile on a small trace: what the terminal says, as objects and tables."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from msgspec.structs import astuple

import stepscope
from browser.sample_profiles import KERNEL, write_trace
from figures import figures
from stepscope.model.errors import BadInput, NotThere


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write_trace(tmp_path / "run", steps=6, slow={7: 12.0})
    return tmp_path


def test_the_step_and_its_groups(folder: Path) -> None:
    profile = stepscope.load_profile(folder, cache=False)
    assert profile.step_ms == pytest.approx(10.0)
    assert profile.groups == pytest.approx(
        {"compute": 0.4, "communication": 0.0, "copy": 0.1, "input_wait": 0.3, "host": 0.05, "untraced": 0.15}
    )
    assert profile.sentence == profile.report().summary
    assert profile.report(step_ms=8).inflation == pytest.approx(0.25)
    assert figures(repr(profile)) == [1, 10]


def test_steps_sum_to_their_parts(folder: Path) -> None:
    steps = stepscope.load_profile(folder, cache=False).steps()
    found = [(step.step, step.ms, step.typical) for step in steps[:3]]
    assert found == [(5, 10, True), (6, 10, True), (7, 22, False)]
    assert all(sum(astuple(step.parts)) == pytest.approx(step.ms) for step in steps)


def test_tables_are_rows_and_frames(folder: Path) -> None:
    pandas = pytest.importorskip("pandas")
    profile = stepscope.load_profile(folder, cache=False)
    (kernel,) = profile.kernels()
    assert (kernel.name, kernel.count, kernel.total_us) == (KERNEL, 6, 24_000.0)
    frame = profile.steps().to_pandas()
    assert isinstance(frame, pandas.DataFrame)
    assert list(frame.columns[:5]) == ["step", "worker", "host", "rank", "start_ms"]
    assert frame["parts_input"].tolist()[2] == 15
    assert profile.transfers().to_pandas()["direction"].tolist() == ["host to device"]
    assert profile.roofline().to_pandas().empty
    assert profile.host().step_us == pytest.approx(10_000)
    assert {"aten::mm", "aten::copy_"} <= set(profile.ops().to_pandas()["name"])
    assert len(profile.ops()[:1]) == 1


def test_arrow_and_polars(folder: Path) -> None:
    profile = stepscope.load_profile(folder, cache=False)
    pytest.importorskip("pyarrow")
    assert profile.kernels().to_arrow().num_rows == 1
    pytest.importorskip("polars")
    assert profile.kernels().to_polars()["count"].to_list() == [6]


def test_what_to_change_and_what_the_step_waits_for(folder: Path) -> None:
    profile = stepscope.load_profile(folder, cache=False)
    assert {found.rule for found in profile.findings if found.verdict.value == "fires"} == {"input_bound"}
    assert profile.input().waited_us == pytest.approx(3_000)
    assert (profile.memory(), profile.program_memory()) == ((), ())
    assert profile.modules().to_pandas().empty
    assert list(profile.hlo(by="category")) == []


def test_spans_and_their_attributes(folder: Path) -> None:
    profile = stepscope.load_profile(folder, cache=False)
    (rank,) = profile.ranks
    row = [rank.names[name] for name in rank.spans.name.tolist()].index(KERNEL)
    assert profile.attributes(row)["grid"] == "[80, 1, 1]"


def test_ranks_are_found_by_place(tmp_path: Path) -> None:
    for rank in range(2):
        path = write_trace(tmp_path / "run", f"worker{rank}", steps=4 + rank)
        trace = json.loads(path.read_text())
        trace["distributedInfo"] = {"backend": "nccl", "rank": rank, "world_size": 2}
        path.write_text(json.dumps(trace))
    profile = stepscope.load_profile(tmp_path, cache=False)
    assert [len(profile.steps(rank)) for rank in range(2)] == [4, 5]


def test_names_of_ones_own(folder: Path, tmp_path: Path) -> None:
    kinds = tmp_path / "kinds.toml"
    kinds.write_text('io = ["enumerate(DataLoader)*"]')
    groups = stepscope.load_profile(folder, span_kinds=kinds, cache=False).groups
    assert (groups["input_wait"], groups["host"]) == (0, pytest.approx(0.35))
    with pytest.raises(NotThere, match=r"other\.toml does not exist"):
        stepscope.load_profile(folder, span_kinds=tmp_path / "other.toml", cache=False)


def test_one_sentence_says_what_is_wrong(tmp_path: Path, folder: Path) -> None:
    empty = tmp_path / "empty"
    empty.mkdir()
    with pytest.raises(NotThere, match=re.escape(str(empty))) as refused:
        stepscope.load_profile(empty)
    assert refused.value.code == "no_profile"
    with pytest.raises(BadInput, match="by is 'name', 'launch', 'family', 'op', 'stream', not 'colour'"):
        stepscope.load_profile(folder, cache=False).kernels(by="colour")
    with pytest.raises(NotThere) as refused:
        stepscope.load_profile(tmp_path / "nowhere.pt.trace.json")
    assert refused.value.code == "no_profile"
