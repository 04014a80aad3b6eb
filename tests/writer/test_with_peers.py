"""Our files in TensorBoard's own loaders, our signatures beside torch's, and the frameworks' values in our writer."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from stepscope.writer import SummaryWriter

pytestmark = pytest.mark.peers
HERE = Path(__file__).parent
RunInPeers = Callable[..., Any]


def floats(values: list[float]) -> list[str]:
    return [float(np.float32(value)).hex() for value in values]


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory, run_in_peers: RunInPeers) -> Any:
    """What TensorBoard's two loaders make of a folder of ours."""
    top = tmp_path_factory.mktemp("ours")
    with SummaryWriter(top / "plain") as writer:
        for step in range(300):
            writer.add_scalar("train/loss", step / 7, step)
        for step, value in enumerate([float("nan"), float("inf"), -0.0, 1e300]):
            writer.add_scalar("odd ✓", value, step)
    with SummaryWriter(top / "tensor") as writer:
        for step in range(20):
            writer.add_scalar("loss", step / 7, step, new_style=True)
    with SummaryWriter(top / "double", precision="float64") as writer:
        for step in range(20):
            writer.add_scalar("loss", step / 7, step)
    for begin, end in ((0, 10), (5, 12)):
        with SummaryWriter(top / "restarted", purge_step=begin or None) as writer:
            for step in range(begin, end):
                writer.add_scalar("loss", begin, step)
    with SummaryWriter(top / "rotated", max_file_bytes=2000) as writer:
        for step in range(300):
            writer.add_scalar("train/loss", step / 7, step)
            writer.add_scalar("new", step / 7, step, new_style=True)
    stream = SummaryWriter(top / "open")
    stream.add_scalar("loss", 1.0, 1)
    stream.flush()
    assert len(list((top / "rotated").iterdir())) > 10
    return run_in_peers(HERE / "tensorboard_reads.py", top)


@pytest.mark.parametrize("loader", ["python", "data_server"])
def test_tensorboard_shows_every_point(found: Any, loader: str) -> None:
    runs = found[loader]
    expected = [[step, value] for step, value in enumerate(floats([step / 7 for step in range(300)]))]
    assert runs["plain"]["train/loss"] == expected
    assert runs["tensor"]["loss"] == expected[:20]
    assert [value for _, value in runs["plain"]["odd ✓"]] == ["nan", "inf", "-0x0.0p+0", "inf"]
    assert [step for step, _ in runs["open"]["loss"]] == [1]
    assert runs["rotated"] == {"train/loss": expected, "new": expected}


@pytest.mark.parametrize("loader", ["python", "data_server"])
def test_tensorboard_follows_our_restarts_and_is_not_harmed_by_the_end_mark(found: Any, loader: str) -> None:
    points = found[loader]["restarted"]["loss"]
    assert [step for step, _ in points] == list(range(12))
    assert [float.fromhex(value) for _, value in points] == [0.0] * 5 + [5.0] * 7


def test_only_tensorboards_python_loader_shows_doubles(found: Any) -> None:
    exact = [[step, (step / 7).hex()] for step in range(20)]
    assert found["python"]["double"]["loss"] == exact
    assert not found["data_server"].get("double", {}).get("loss"), "then float64 can become the default"


def test_methods_take_what_torchs_take(run_in_peers: RunInPeers) -> None:
    torchs = run_in_peers(HERE / "torch_signatures.py", tensorflow=False)
    assert {"add_scalar", "add_histogram", "add_hparams", "add_tensor", "close"} < torchs.keys()
    for name, theirs in torchs.items():
        ours = list(inspect.signature(getattr(SummaryWriter, name)).parameters.values())
        if name == "__exit__":
            assert len(ours) == 4
            continue
        positional = [[p.name, repr(p.default), p.kind.name] for p in ours if p.kind is not p.KEYWORD_ONLY]
        assert positional == theirs, name


def test_values_of_the_frameworks_are_taken_at_the_call(
    log: Path, run_in_peers: RunInPeers, read_files: Callable[[Path], list[Any]]
) -> None:
    run_in_peers(HERE / "torch_values.py", log)
    (written,) = read_files(log)
    found = {tag: [(step, value) for step, _, value in points] for tag, points in written.points.items()}
    assert found == {
        "torch": [(1, 0.5), (2, 4.0), (3, 1.5), (4, 1.5)],
        "jax": [(1, 1.5), (2, 1.5), (3, 1.5), (4, float("inf"))],
        "tensorflow": [(1, 1.5), (2, 1.5), (3, 1.5), (4, float("-inf"))],
        "variable": [(4, 1.5)],
    }


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_workers_of_torchs_data_loader_log_into_files_of_their_own(
    log: Path, run_in_peers: RunInPeers, read_files: Callable[[Path], list[Any]], method: str
) -> None:
    run_in_peers(HERE / "torch_workers.py", log, method)
    files = read_files(log)
    assert len(files) == 5, "two workers in each of two epochs, and training"
    found = {tag: sorted(point[0] for one in files for point in one.points.get(tag, [])) for tag in ("item", "batch")}
    assert found == {"item": sorted(2 * list(range(40))), "batch": list(range(20))}
    assert {(written.version, written.skipped, written.pending) for written in files} == {(b"brain.Event:2", 0, 0)}
