"""In what ranks differ, as lines above a report: values with the number of ranks that have them."""

from __future__ import annotations

import re
from dataclasses import dataclass

from stepscope.cli.profile.rank_differences import difference_lines


@dataclass(frozen=True)
class Differs:
    """Something with a value on each rank."""

    what: str
    values: tuple[str, ...]


def test_ranks_that_agree_have_no_lines() -> None:
    assert difference_lines([]) == []


def test_the_most_common_value_comes_first() -> None:
    _, line = difference_lines([Differs("device", ("V100", "A100", "A100"))])
    assert re.findall(r"\w?\d+\w?|^ *\w+:", line) == ["  device:", "A100", "2", "V100", "1"]


def test_of_many_values_the_rest_is_counted_and_lines_fit() -> None:
    lines = difference_lines([Differs("steps", tuple(str(each) for each in range(9))), Differs("w" * 90, ("v" * 90, "u" * 90))])
    assert lines[1].endswith(" and 5 more")
    assert max(map(len, lines)) <= 80
    assert len(lines) == 3
