"""The reader makes each answer once, for every input that it depends on, and forgets errors."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

from analyses.timeline import timeline
from log_folder import LogFolder
from stepscope.model.errors import BadInput, NotThere
from stepscope.model.profile import Profile
from stepscope.session import reader
from stepscope.session.at_path import Opening, profile_at
from stepscope.session.part import Answer, Part, Wanted
from stepscope.session.parts.inference import INFERENCE, InferenceWanted
from stepscope.session.parts.ops import OPS, Ops, OpsWanted
from stepscope.session.parts.report import REPORT, Report, ReportWanted
from stepscope.session.parts.tracks import TRACKS, TracksWanted
from stepscope.session.reader import SessionOfRun, SessionReader

STEPS = """
    main   1111222233334444
    main   il..il..il..il..
    gpu 0    KK  KK  KK  KK
"""


class Drawn:
    """A folder whose files are timelines, and a reader on it."""

    def __init__(self, path: Path) -> None:
        path.mkdir()
        self.folder = LogFolder(path)
        self.problem: BadInput | None = None
        self.read: list[str] = []
        self.ranks = dict[str, int]()
        self.broken: set[str] = set()
        self.folder.library.profiles.use_reader(self._read)
        self.reader = SessionReader(self.folder.library)

    def _read(self, path: str) -> Profile:
        self.read.append(Path(path).name)
        if self.problem is not None:
            raise self.problem
        if path in self.broken:
            raise BadInput("It is cut short.", "truncated")
        return replace(timeline(STEPS), rank=self.ranks.get(Path(path).name.split(".")[0], -1))

    def worker(self, name: str, rank: int = -1, *, broken: bool = False) -> None:
        self.ranks[name] = rank
        path = self.folder.path / f"{name}.1794770412963.pt.trace.json"
        path.write_text("{}")
        if broken:
            self.broken.add(str(path))

    def session(self) -> SessionOfRun:
        self.folder.load()
        return self.reader.sessions()[0]


@pytest.fixture
def drawn(tmp_path: Path) -> Drawn:
    return Drawn(tmp_path / "logs")


def counted(made: list[Wanted]) -> Part[Wanted, Answer]:
    """A part that remembers what it was asked for."""

    def make(_: object, wanted: Wanted) -> Answer:
        made.append(wanted)
        return Answer()

    return Part("counted", "Counted", Wanted, Answer, make)


def test_an_answer_is_made_once_and_again_when_a_choice_changes(drawn: Drawn) -> None:
    drawn.worker("worker0")
    session, made = drawn.session(), list[Wanted]()
    part = counted(made)
    for wanted in (Wanted(), Wanted(), Wanted(range="2:4"), Wanted(steps="whole profile")):
        drawn.reader.answer(part, session, wanted)
    assert made == [Wanted(), Wanted(range="2:4"), Wanted(steps="whole profile")]
    assert len(drawn.read) == 1


def test_the_users_table_of_devices_is_an_input(drawn: Drawn, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    table = tmp_path / "devices.toml"
    monkeypatch.setenv("STEPSCOPE_DEVICES", str(table))
    drawn.worker("worker0")
    session, made = drawn.session(), list[Wanted]()
    part = counted(made)
    drawn.reader.answer(part, session, Wanted())
    table.write_text("")
    drawn.reader.answer(part, session, Wanted())
    assert len(made) == 2


def test_logs_are_an_input_of_parts_that_read_them(drawn: Drawn) -> None:
    drawn.worker("worker0")
    made, other = list[Wanted](), list[Wanted]()
    reads, ignores = replace(counted(made), reads_logs=True), replace(counted(other), id="ignores")
    for _ in range(2):
        session = drawn.session()
        drawn.reader.answer(reads, session, Wanted())
        drawn.reader.answer(ignores, session, Wanted())
        drawn.folder.write(".", {"loss": [1.0]})
    assert (len(made), len(other)) == (2, 1)


def test_errors_are_forgotten(drawn: Drawn) -> None:
    drawn.worker("worker0")
    session = drawn.session()
    drawn.problem = BadInput("Not now.", "busy")
    for _ in range(2):
        with pytest.raises(BadInput, match="Not now"):
            drawn.reader.ask(OPS, session, OpsWanted(), 5)
    drawn.problem = None
    answer = drawn.reader.ask(OPS, session, OpsWanted(), 5)
    assert isinstance(answer, Ops)
    assert answer.total > 0
    assert len(drawn.read) == 3


def test_workers_are_ordered_by_rank_and_one_can_be_chosen(drawn: Drawn) -> None:
    for name, rank in (("a", 2), ("b", 0), ("c", 1)):
        drawn.worker(name, rank)
    session = drawn.session()
    assert drawn.reader.analysed(session, Wanted()).workers == ("b", "c", "a")
    answer = drawn.reader.answer(OPS, session, OpsWanted(worker="c"))
    assert {(row.worker, row.rank) for row in answer.ops} == {("c", 1)}
    with pytest.raises(NotThere, match="nobody"):
        drawn.reader.answer(OPS, session, OpsWanted(worker="nobody"))


def test_a_part_of_one_worker_reads_its_file_alone(drawn: Drawn) -> None:
    for name, rank in (("a", 2), ("b", 0)):
        drawn.worker(name, rank)
    session = drawn.session()
    assert drawn.reader.answer(TRACKS, session, TracksWanted(limit=9)).worker == "a"
    assert len(drawn.read) == 1
    assert drawn.reader.answer(TRACKS, session, TracksWanted(limit=9, worker="b")).rank == 0
    assert len(drawn.read) == 2


def test_a_wrong_range_is_refused_before_anything_is_read(drawn: Drawn) -> None:
    drawn.worker("worker0")
    session = drawn.session()
    with pytest.raises(BadInput):
        drawn.reader.answer(OPS, session, OpsWanted(range="5:2"))
    assert drawn.read == []


def test_many_ranks_are_read_at_once_and_one_that_cannot_be_read_is_named(drawn: Drawn) -> None:
    for place, rank in enumerate((5, 3, 9, 0, 7, 1, 8, 2, 6, 4)):
        drawn.worker(f"worker{place}", rank, broken=rank == 9)
    session = drawn.reader.analysed(drawn.session(), Wanted())
    assert [profile.rank for profile in session.profiles] == [*range(9)]
    assert [(one.worker, one.reason) for one in session.broken] == [("worker2", "It is cut short.")]


def test_files_beyond_the_limit_are_named_and_can_be_opened_alone(drawn: Drawn, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reader, "MOST_FILES", 3)
    for rank in range(5):
        drawn.worker(f"worker{rank}", rank)
    session = drawn.session()
    assert len(drawn.reader.analysed(session, Wanted()).profiles) == 3
    assert len(drawn.read) == 3
    report = drawn.reader.ask(REPORT, session, ReportWanted(), wait=100)
    assert isinstance(report, Report)
    assert len(report.ranks) == 3
    (said,) = [note.text for note in report.data_quality.notes if note.code == "too_many_files"]
    assert re.findall(r"\d+", said) == ["5", "3"]
    assert drawn.reader.answer(OPS, session, OpsWanted(worker="worker4")).ops[0].rank == 4


def test_when_no_file_can_be_read_the_reason_is_raised(drawn: Drawn) -> None:
    drawn.worker("a", broken=True)
    with pytest.raises(BadInput, match="cut short"):
        drawn.reader.analysed(drawn.session(), Wanted())


def test_a_file_of_several_ranks_is_several_workers(tmp_path: Path) -> None:
    draw = "\n".join(
        f'{{"ph": "M", "name": "process_name", "pid": {100 + rank}, "args": {{"name": "rank {rank}"}}}},'
        + ",".join(
            f'{{"ph": "X", "cat": "cpu_op", "name": "aten::mm_{rank}", "pid": {100 + rank}, "tid": 1, "ts": {100 * at}, "dur": 90}}'
            for at in range(5)
        )
        + ","
        for rank in (0, 3)
    )
    (tmp_path / "all.json").write_text('{"schemaVersion": 1, "traceEvents": [' + draw.rstrip(",") + "]}")
    found = profile_at(str(tmp_path / "all.json"), Opening(cache=False))
    assert [(row.worker, row.name) for row in found.answer(OPS, OpsWanted()).ops] == [
        ("all rank 0", "aten::mm_0"),
        ("all rank 3", "aten::mm_3"),
    ]
    assert [row.name for row in found.answer(OPS, OpsWanted(worker="all rank 3")).ops] == ["aten::mm_3"]
    assert found.answer(INFERENCE, InferenceWanted(worker="all")).worker == "all rank 0", "a view of one worker shows the first rank"
    assert found.answer(TRACKS, TracksWanted(limit=9)).worker == "all rank 0"
    assert found.answer(TRACKS, TracksWanted(limit=9, worker="all rank 3")).rank == 3
    with pytest.raises(NotThere):
        found.answer(OPS, OpsWanted(worker="all rank 2"))
