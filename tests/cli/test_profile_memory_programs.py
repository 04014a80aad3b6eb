"""`stepscope profile memory --programs`: what compilers have planned, and what is held at the first program's peak."""

from __future__ import annotations

import re

import pytest

from stepscope.cli.profile.memory_programs import show_programs
from stepscope.model.errors import NotThere
from stepscope.session.parts.memory_programs import PlannedRow, ProgramMemoryRow

MIB = 1 << 20


class Answer:
    """What the verb shows of an answer."""

    def __init__(self, programs: list[ProgramMemoryRow], notes: list[str] | None = None) -> None:
        self.programs = programs
        self.notes = notes or []


def program(name: str, worker: str = "worker0", rank: int | None = 0, held: int = 0) -> ProgramMemoryRow:
    return ProgramMemoryRow(
        name=name,
        worker=worker,
        host="",
        rank=rank,
        total_bytes=10 * MIB,
        parameter_bytes=1 * MIB,
        output_bytes=2 * MIB,
        constant_bytes=3 * MIB,
        temporary_bytes=4 * MIB,
        thread_local_bytes=0,
        aliased_bytes=0,
        peak_bytes=5 * MIB,
        peak_instruction="dot.7",
        at_peak=[PlannedRow(f"op_{place}", place * MIB) for place in range(held)],
        at_peak_left_out_bytes=0,
        events=2,
        level_bytes=[],
        peak=None,
    )


def shown(capsys: pytest.CaptureFixture[str], found: Answer) -> list[str]:
    show_programs(found)  # type: ignore[arg-type]
    lines = capsys.readouterr().out.splitlines()
    assert max(map(len, lines)) <= 80
    return lines


def test_sizes_by_what_they_are_for(capsys: pytest.CaptureFixture[str]) -> None:
    (_, row) = shown(capsys, Answer([program("jit_step")]))
    assert re.split(r" {2,}", row) == ["jit_step", "1.0 MiB", "2.0 MiB", "3.0 MiB", "4.0 MiB", "10.0 MiB"]


def test_what_is_held_at_the_peak_of_the_first_that_has_a_plan(capsys: pytest.CaptureFixture[str]) -> None:
    lines = shown(capsys, Answer([program("without"), program("jit_step", held=12)], ["A note."]))
    start = lines.index("") + 1
    assert [word in lines[start] for word in ("jit_step", "5.0 MiB", "dot.7")] == [True, True, True]
    assert [line.split()[0] for line in lines[start + 2 : -1]] == [f"op_{place}" for place in range(10)]
    assert lines[-1] == "A note."


def test_of_several_ranks_the_second_column_says_whose(capsys: pytest.CaptureFixture[str]) -> None:
    head, first, second = shown(capsys, Answer([program("a", "worker0", 0), program("a", "worker1", 1)]))
    assert head.split()[1] == "rank"
    assert [first.split()[1], second.split()[1]] == ["0", "1"]


def test_without_a_plan_it_says_what_records_one() -> None:
    with pytest.raises(NotThere) as error:
        show_programs(Answer([]))  # type: ignore[arg-type]
    assert error.value.code == "no_plan"
