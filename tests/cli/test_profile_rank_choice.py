"""--rank takes a number, the name in the report, or a worker."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from stepscope.cli.profile.rank_choice import chosen_rank, chosen_worker, worker_label
from stepscope.model.errors import BadInput


@dataclass(frozen=True)
class Of:
    """Whose a row is."""

    worker: str
    rank: int | None = None
    host: str = "gpu-1"


ROWS = [Of("a", 0), Of("b", 12), Of("unnumbered")]


@pytest.mark.parametrize(("wanted", "worker"), [("a", "a"), ("12", "b"), ("rank 12", "b"), ("unnumbered", "unnumbered"), ("0", "a")])
def test_a_worker_goes_by_name_and_by_number(wanted: str, worker: str) -> None:
    assert chosen_worker(ROWS, wanted).worker == worker


def test_a_worker_s_own_name_goes_before_a_number() -> None:
    assert chosen_worker([Of("7", 0), Of("x", 7)], "7").worker == "7"


def test_labels() -> None:
    assert [worker_label(row) for row in ROWS] == ["rank 0", "rank 12", "unnumbered"]


def test_what_is_not_there_is_refused_with_those_that_are() -> None:
    with pytest.raises(BadInput) as error:
        chosen_rank([f"rank {each}" for each in range(20)], "99\x1b")
    assert error.value.code == "no_such_rank"
    assert ("rank 7" in error.value.message, "rank 8" in error.value.message, "\x1b" in error.value.message) == (True, False, False)
