"""SummaryWriter as a user calls it (`scalar_queue`): what is logged is in the file, as it was at the call."""

from __future__ import annotations

import copy
import os
import pickle
import re
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import stepscope
from stepscope.writer import SummaryWriter

ReadFiles = Callable[[Path], list[Any]]
Values = Callable[[str], list[float]]


@pytest.fixture
def values(log: Path, read_files: ReadFiles) -> Values:
    """The values of a tag in all files of the log folder."""
    return lambda tag: [point[2] for written in read_files(log) for point in written.points.get(tag, [])]


def test_points_carry_tag_step_time_and_value(log: Path, read_files: ReadFiles) -> None:
    before = time.time()
    with SummaryWriter(log) as writer:
        writer.add_scalar("train/loss", 0.5, 3)
        writer.add_scalar("train/loss", 0.25, 4, walltime=12.5)
        writer.add_scalar("no step", 1)
    (written,) = read_files(log)
    (first, second), (third,) = written.points["train/loss"], written.points["no step"]
    assert first[0] == 3
    assert before <= first[1] <= time.time()
    assert first[2] == 0.5
    assert second == (4, 12.5, 0.25)
    assert third[0] == 0


def test_the_file_is_named_and_begun_as_tensorboard_does(log: Path, read_file: Callable[[Path], Any]) -> None:
    writer = SummaryWriter(str(log), filename_suffix=".mine")
    writer.flush()
    (path,) = log.iterdir()
    host = re.escape(socket.gethostname())
    assert re.fullmatch(rf"events\.out\.tfevents\.\d{{10}}\.{host}\.{os.getpid()}\.\d+\.mine", path.name)
    written = read_file(path)
    assert (written.version, written.writer, written.session) == (b"brain.Event:2", b"stepscope.writer", 0)
    writer.close()
    assert writer.get_logdir() == str(log)


def test_the_default_folder_is_torchs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    writer = SummaryWriter(comment="_lr")
    writer.close()
    (folder,) = (tmp_path / "runs").iterdir()
    assert re.fullmatch(rf"[A-Z][a-z]{{2}}\d\d_\d\d-\d\d-\d\d_{re.escape(socket.gethostname())}_lr", folder.name)
    assert Path(writer.get_logdir()).resolve() == folder


@pytest.mark.parametrize(
    "value",
    [1.5, np.float32(1.5), np.float64(1.5), np.array(1.5), np.array([[1.5]]), np.float16(1.5)],
    ids=["float", "float32", "float64", "rank 0", "one element", "float16"],
)
def test_a_value_is_anything_with_one_number(log: Path, value: float, values: Values) -> None:
    with SummaryWriter(log) as writer:
        writer.add_scalar("a", value, np.int32(2))
        writer.add_scalar("b", True)
    assert values("a") == [1.5]
    assert values("b") == [1.0]


def test_the_value_is_taken_at_the_call(log: Path, values: Values) -> None:
    changing = np.array([1.0])
    with SummaryWriter(log) as writer:
        writer.add_scalar("a", changing)  # pyright: ignore[reportArgumentType]
        changing[0] = 2.0
    assert values("a") == [1.0]


@pytest.mark.parametrize("value", ["1.5", b"1", None, np.array([1.0, 2.0]), 1j, [1.0]])
def test_what_is_no_number_is_refused_at_the_call(log: Path, value: float, values: Values) -> None:
    with SummaryWriter(log) as writer:
        with pytest.raises((TypeError, ValueError)):
            writer.add_scalar("a", value)
        writer.add_scalar("a", 1.0)
    assert values("a") == [1.0]


def test_wrong_tags_and_steps_are_refused_at_the_call(log: Path) -> None:
    with SummaryWriter(log) as writer:
        with pytest.raises(TypeError, match="string"):
            writer.add_scalar(3, 1.0)  # pyright: ignore[reportArgumentType]
        with pytest.raises(ValueError, match="64 bits"):
            writer.add_scalar("a", 1.0, 2**63)


@pytest.mark.parametrize(
    "options",
    [
        {"precision": "float16"},
        {"log_dir": "s3://bucket/run"},
        {"log_dir": "nul\0"},
        {"log_dir": 3},
        {"purge_step": "last"},
        {"max_queue": None},
        {"flush_secs": "often"},
        {"filename_suffix": None},
        {"filename_suffix": "below/it"},
        {"max_file_bytes": "1 GB"},
        {"max_file_age": 0},
    ],
    ids=str,
)
def test_wrong_options_are_refused_in_one_sentence(log: Path, options: dict[str, Any]) -> None:
    with pytest.raises((TypeError, ValueError), match=r"^Give [^\n]+\.$"):
        SummaryWriter(**{"log_dir": log, **options})
    assert not log.exists() or not any(log.iterdir())


def test_a_tag_that_is_no_unicode_is_written_legibly(log: Path, values: Values) -> None:
    with SummaryWriter(log) as writer:
        writer.add_scalar("name\udcff", 1.0)
    assert values("name\\udcff") == [1.0]


def test_values_are_float32_unless_asked(log: Path, values: Values) -> None:
    with SummaryWriter(log) as writer:
        writer.add_scalar("usual", 0.1)
        writer.add_scalar("new", 0.1, new_style=True)
        writer.add_scalar("double", 0.1, new_style=True, double_precision=True)
    with SummaryWriter(log, precision="float64") as writer:
        writer.add_scalar("exact", 0.1)
    rounded = float(np.float32(0.1))
    assert [values(tag) for tag in ("usual", "new", "double", "exact")] == [[rounded], [rounded], [0.1], [0.1]]


def test_purge_step_marks_a_restart(log: Path, read_files: ReadFiles) -> None:
    with SummaryWriter(log, purge_step=5) as writer:
        writer.add_scalar("a", 1.0, 5)
    assert read_files(log)[0].start_steps == [5]


def test_close_says_finished_and_an_exception_does_not(tmp_path: Path, read_files: ReadFiles) -> None:
    with SummaryWriter(tmp_path / "good") as writer:
        writer.add_scalar("a", 1.0)

    def fail() -> None:
        with SummaryWriter(tmp_path / "bad") as writer:
            writer.add_scalar("a", 1.0)
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    good, bad = read_files(tmp_path / "good")[0], read_files(tmp_path / "bad")[0]
    assert (good.session, bad.session) == (2, 0)
    assert bad.points["a"][0][2] == 1.0


def test_logging_after_close_opens_a_new_file(log: Path, read_files: ReadFiles) -> None:
    writer = SummaryWriter(log)
    writer.add_scalar("a", 1.0, 1)
    writer.close()
    writer.close()
    writer.flush()
    writer.add_scalar("a", 2.0, 2)
    writer.close()
    assert [written.points["a"][0][2] for written in read_files(log)] == [1.0, 2.0]


def test_flush_puts_everything_into_the_file(log: Path, values: Values) -> None:
    writer = SummaryWriter(log)
    for step in range(5000):
        writer.add_scalar("a", step, step)
    writer.flush()
    assert values("a") == [float(step) for step in range(5000)]
    writer.close()


def test_points_reach_the_file_without_being_asked_for(log: Path, values: Values) -> None:
    writer = SummaryWriter(log)
    writer.add_scalar("a", 1.0)
    deadline = time.monotonic() + 60
    while not values("a") and time.monotonic() < deadline:
        time.sleep(0.02)
    assert values("a") == [1.0]
    writer.close()


def test_threads_may_share_a_writer(log: Path, values: Values) -> None:
    writer = SummaryWriter(log)

    def work(name: str) -> None:
        for step in range(3000):
            writer.add_scalar(name, step, step)

    threads = [threading.Thread(target=work, args=(f"t{number}",)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    writer.close()
    for number in range(4):
        assert values(f"t{number}") == [float(step) for step in range(3000)]


def test_the_package_offers_the_writer_and_loads_it_on_demand(log: Path) -> None:
    assert stepscope.SummaryWriter is SummaryWriter
    assert "SummaryWriter" in dir(stepscope)
    with pytest.raises(AttributeError, match="no_such_thing"):
        _ = stepscope.no_such_thing  # pyright: ignore[reportAttributeAccessIssue]
    code = (
        "import sys, stepscope; assert 'stepscope.writer' not in sys.modules\n"
        "stepscope.SummaryWriter(sys.argv[1]).close()\n"
        "print(*sorted(name for name in sys.modules if name.split('.')[0] not in sys.stdlib_module_names))"
    )
    environment = {**os.environ, "PYTHONPATH": str(Path(stepscope.__file__).parent.parent)}
    command = [sys.executable, "-c", code, str(log)]
    loaded = subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout.split()
    ours = {name for name in loaded if name.split(".")[0] == "stepscope"}
    assert all(name.startswith(("stepscope.writer", "stepscope._native", "stepscope.model")) for name in ours - {"stepscope"})
    assert not {"numpy", "starlette", "click", "msgspec", "uvicorn"} & set(loaded)


@pytest.mark.parametrize(
    "module", [stepscope, stepscope.summary, stepscope.hparams, stepscope.projector], ids=lambda module: module.__name__
)
def test_completion_offers_what_there_is_to_use(module: Any) -> None:
    assert [name for name in dir(module) if not name.startswith("__")] == sorted(set(module.__all__) - {"__version__"})


@pytest.mark.parametrize("take", [pickle.dumps, copy.deepcopy])
def test_a_writer_that_is_sent_or_copied_says_what_to_do_instead(log: Path, take: Callable[[object], object]) -> None:
    with SummaryWriter(log) as writer, pytest.raises(TypeError, match="SummaryWriter"):
        take({"writer": writer})


def test_files_of_one_second_sort_in_the_order_they_were_made(tmp_path: Path) -> None:
    made: list[str] = []
    for place in range(12):
        with SummaryWriter(tmp_path / str(place)) as writer:
            writer.add_scalar("loss", 1.0, place)
        made += [path.name for path in (tmp_path / str(place)).iterdir()]
    assert made == sorted(made)


def test_importing_and_numbers_load_little(log: Path) -> None:
    code = (
        "import sys, stepscope\n"
        "assert not [name for name in sys.modules if name.startswith('stepscope.')]\n"
        "with stepscope.SummaryWriter(sys.argv[1]) as w: w.add_scalar('a', 1.0, 1)\n"
        "for name in ('numpy', 'socket', 'dataclasses', 'stepscope.writer.image', 'stepscope.writer.torch_graph'):\n"
        "    assert name not in sys.modules, name"
    )
    environment = {**os.environ, "PYTHONPATH": str(Path(stepscope.__file__).parent.parent)}
    command = [sys.executable, "-c", code, str(log)]
    subprocess.run(command, env=environment, check=True)
