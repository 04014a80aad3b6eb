"""Files written by the real packages give the same points, to the bit, as those packages report themselves."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import pytest

import stepscope

HERE = Path(__file__).parent
GENERATORS = ("tf2_scalars", "tf1_scalars", "keras_fit", "torch_writers", "tensorboardx_writer", "tensorboard_writer")
pytestmark = pytest.mark.timeout(1200)  # TensorFlow starts eight times, which a busy machine makes long

Point = tuple[int, str, str]
Points = list[Point]
Report = dict[str, dict[str, dict[str, Points]]]


@dataclass(frozen=True, slots=True)
class Written:
    """A folder that a real package wrote, and what the real readers say is in it."""

    folder: Path
    report: Report


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory, run_in_peers: Callable[..., Any]) -> dict[str, Written]:
    """Every folder, written once and read by the real packages once: starting TensorFlow takes seconds."""
    top = tmp_path_factory.mktemp("peers")
    with ThreadPoolExecutor(2) as pool:
        list(pool.map(lambda name: run_in_peers(HERE / "generators" / f"{name}.py", top / name), GENERATORS))
    report: Report = run_in_peers(HERE / "peer_report.py", top)
    return {
        name: Written(top / name, {run.partition("/")[2] or ".": found for run, found in report.items() if run.split("/")[0] == name})
        for name in GENERATORS
    }


def read(folder: Path, segments: Literal["latest", "all"]) -> dict[str, dict[str, Points]]:
    """What Stepscope finds: run, tag, then step, wall time and value of each point."""
    found: dict[str, dict[str, Points]] = {}
    for run in stepscope.open(folder, cache=False).runs:
        series = {tag: run.scalars(tag, segments=segments) for tag in run.tags}
        found[run.name] = {
            tag: [
                (int(step), float(wall).hex(), float(value).hex())
                for step, wall, value in zip(points.step, points.wall_time, points.value, strict=True)
            ]
            for tag, points in series.items()
        }
    return found


def expected(report: Report, reader: str) -> dict[str, dict[str, Counter[Point]]]:
    """The real reader's points, in no particular order: two readers may order equal steps differently."""
    return {
        run: {tag: Counter((step, wall, value) for step, wall, value in points) for tag, points in readers[reader].items()}
        for run, readers in report.items()
    }


def counted(found: dict[str, dict[str, Points]]) -> dict[str, dict[str, Counter[Point]]]:
    """Stepscope's points in the same form."""
    return {run: {tag: Counter(points) for tag, points in series.items()} for run, series in found.items()}


@pytest.mark.parametrize("reader", ["records", "accumulator"])
@pytest.mark.parametrize("generator", GENERATORS)
@pytest.mark.xdist_group("interop")
def test_every_point_is_the_same(written: dict[str, Written], generator: str, reader: str) -> None:
    made = written[generator]
    assert sum(len(points) for run in made.report.values() for points in run[reader].values()) > 0
    assert counted(read(made.folder, "all")) == expected(made.report, reader)


@pytest.mark.xdist_group("interop")
def test_a_purge_hides_what_tensorboard_hides(written: dict[str, Written]) -> None:
    made = written["torch_writers"]
    restart = made.report["restart"]
    assert len(restart["purged"]["loss"]) < len(restart["records"]["loss"])
    assert counted(read(made.folder, "latest"))["restart"] == expected(made.report, "purged")["restart"]


@pytest.mark.xdist_group("interop")
def test_double_precision_stays_double(written: dict[str, Written]) -> None:
    points = read(written["torch_writers"].folder, "all")["styles"]["double"]
    assert [float.fromhex(value) for _, _, value in points] == [step / 9 for step in range(len(points))]
