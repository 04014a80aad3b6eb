"""Tables of several ranks have a column that says whose a row is; of one they have none."""

from __future__ import annotations

from dataclasses import dataclass

from stepscope.cli.profile.rank_column import table_of_workers, title_of


@dataclass(frozen=True)
class Of:
    """Whose a row is."""

    worker: str
    rank: int | None = None
    host: str = ""


HEAD, ROWS = ("operation", "ms"), [("mm", "1.00"), ("relu", "2.00")]


def cells(lines: list[str]) -> list[list[str]]:
    return [line.split() for line in lines]


def test_of_one_worker_there_is_nothing_to_tell_apart() -> None:
    assert cells(table_of_workers(HEAD, ROWS, [Of("a", 0)] * 2)) == [["operation", "ms"], ["mm", "1.00"], ["relu", "2.00"]]


def test_of_several_the_second_column_is_the_rank_or_the_worker() -> None:
    found = cells(table_of_workers(HEAD, ROWS, [Of("a", 3), Of("b")]))
    assert found == [["operation", "rank", "ms"], ["mm", "3", "1.00"], ["relu", "b", "2.00"]]


def test_long_names_of_workers_are_shortened() -> None:
    lines = table_of_workers(HEAD, [("x" * 100, "1.00")] * 2, [Of("worker_of_a_long_name"), Of("another")])
    assert max(map(len, lines)) <= 80
    assert len(cells(lines)[1][1]) == 10


def test_titles() -> None:
    assert [title_of(each) for each in (Of("a", 3, "gpu-1"), Of("a", None, "gpu-1"), Of("a\x1b", 0))] == [
        "gpu-1 rank 3",
        "gpu-1",
        "a\\x1b rank 0",
    ]
