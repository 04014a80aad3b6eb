"""Files written by the real packages give the same points, to the bit, as those packages report themselves."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import stepscope

HERE = Path(__file__).parent
GENERATORS = ("tf2_scalars", "tf1_scalars", "keras_fit", "torch_writers", "tensorboardx_writer", "tensorboard_writer")
Point = tuple[int, str, str]
Points = list[Point]
Report = dict[str, dict[str, dict[str, Points]]]


class Written:
    """A folder that a real package wrote, and what the real readers say is in it."""

    def __init__(self, folder: Path, report: Report) -> None:
        self.folder = folder
        self.report = report


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory, run_in_peers: Callable[..., Any]) -> Callable[[str], Written]:
    """Writes each folder once, and has it read by the real packages once."""
    made: dict[str, Written] = {}

    def write(name: str) -> Written:
        if name not in made:
            folder = tmp_path_factory.mktemp(name)
            run_in_peers(HERE / "generators" / f"{name}.py", folder)
            made[name] = Written(folder, run_in_peers(HERE / "peer_report.py", folder))
        return made[name]

    return write


def read(folder: Path, segments: str) -> dict[str, dict[str, Points]]:
    """What Stepscope finds: run, tag, then step, wall time and value of each point."""
    found: dict[str, dict[str, Points]] = {}
    for run in stepscope.open(folder, fold=False).runs:
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
def test_every_point_is_the_same(written: Callable[[str], Written], generator: str, reader: str) -> None:
    made = written(generator)
    assert sum(len(points) for run in made.report.values() for points in run[reader].values()) > 0
    assert counted(read(made.folder, "all")) == expected(made.report, reader)


@pytest.mark.xdist_group("interop")
def test_a_purge_hides_what_tensorboard_hides(written: Callable[[str], Written]) -> None:
    made = written("torch_writers")
    restart = made.report["restart"]
    assert len(restart["purged"]["loss"]) < len(restart["records"]["loss"])
    assert counted(read(made.folder, "latest"))["restart"] == expected(made.report, "purged")["restart"]


@pytest.mark.xdist_group("interop")
def test_double_precision_stays_double(written: Callable[[str], Written]) -> None:
    points = read(written("torch_writers").folder, "all")["styles"]["double"]
    assert [float.fromhex(value) for _, _, value in points] == [step / 9 for step in range(len(points))]
