"""The names of a profile with most time stay, the others become one, and sums and links stay what they were."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import pytest

from stepscope.analyses.steps import find_steps
from stepscope.formats.bounded_names import MOST_NAMES, with_bounded_names
from stepscope.formats.open_profile import read_file
from stepscope.ingest.profile_reading import ProfileReading
from stepscope.model.profile import MarkerFamily, Profile
from stepscope.model.span_names import OTHER_NAMES


def profile_of(path: Path, durations: list[int], category: str = "cpu_op") -> Profile:
    """One span of each duration (µs), each with a name and a shape of its own."""
    events = [
        {
            "ph": "X", "cat": category, "name": f"n{at}", "pid": 1, "tid": 1, "ts": 100 * at, "dur": duration,
            "args": {"Input Dims": [[at + 1, 2]], "device": 0, "stream": 7},
        }
        for at, duration in enumerate(durations)
    ]  # fmt: skip
    path.write_text(json.dumps({"schemaVersion": 1, "traceEvents": events}))
    return read_file(str(path))


def names_of(profile: Profile) -> list[str]:
    return [profile.names[number] for number in profile.spans.name.tolist()]


def ops_of(profile: Profile) -> list[str]:
    return [profile.ops[number].name for number in profile.spans.op.tolist()]


def test_names_with_the_most_time_stay(tmp_path: Path) -> None:
    profile = profile_of(tmp_path / "rank0.json", [5, 1, 9, 1, 7, 2])
    bounded = with_bounded_names(profile, 3)
    expected = ["n0", OTHER_NAMES, "n2", OTHER_NAMES, "n4", OTHER_NAMES]
    assert names_of(bounded) == expected
    assert ops_of(bounded) == expected
    assert len(bounded.ops) == 4
    assert np.array_equal(bounded.spans.start, profile.spans.start)
    assert np.array_equal(bounded.spans.end, profile.spans.end)
    (said,) = (note.text for note in bounded.notes if note.code == "too_many_names")
    assert re.findall(r"\d+%?", said) == ["3", "16%"], "of 25 µs"
    assert set(bounded.names) == {"n0", "n2", "n4", OTHER_NAMES, *(bounded.names[shape] for shape in bounded.spans.shape if shape >= 0)}


def test_equal_times_keep_the_first_names(tmp_path: Path) -> None:
    bounded = with_bounded_names(profile_of(tmp_path / "rank0.json", [1] * 6), 2)
    assert names_of(bounded) == ["n0", "n1", *[OTHER_NAMES] * 4]


def test_shapes_beyond_the_limit_are_unknown_and_others_keep_their_text(tmp_path: Path) -> None:
    profile = profile_of(tmp_path / "rank0.json", [1, 2, 3, 4])
    before = [profile.names[shape] for shape in profile.spans.shape.tolist()]
    bounded = with_bounded_names(profile, 3)
    assert [bounded.names[shape] if shape >= 0 else None for shape in bounded.spans.shape.tolist()] == [*before[:3], None]


def test_a_profile_with_few_names_is_the_same(tmp_path: Path) -> None:
    profile = profile_of(tmp_path / "rank0.json", [1, 2, 3])
    assert with_bounded_names(profile) is profile


@pytest.mark.slow
def test_every_profile_that_is_analysed_is_bounded(tmp_path: Path) -> None:
    path = tmp_path / "rank0.json"
    whole = profile_of(path, [1] * (MOST_NAMES + 10), "python_function")
    read = ProfileReading(cache=False).read(str(path))
    assert len(set(names_of(whole))) == MOST_NAMES + 10
    assert len(set(names_of(read))) == MOST_NAMES + 1
    assert int((read.spans.end - read.spans.start).sum()) == int((whole.spans.end - whole.spans.start).sum())


@pytest.mark.parametrize("category", ["python_function", "kernel"])
def test_names_that_became_one_are_no_steps(category: str, tmp_path: Path) -> None:
    """Calls or kernels of many names repeat nothing, though they are shown under one name."""
    durations = [9, 1] * 20
    bounded = with_bounded_names(profile_of(tmp_path / "rank0.json", durations, category), 2)
    assert names_of(bounded).count(OTHER_NAMES) == 38
    assert find_steps(bounded).source.family == MarkerFamily.WINDOW


def test_what_the_reader_left_out_counts_among_the_others(tmp_path: Path) -> None:
    profile = profile_of(tmp_path / "rank0.json", [1, 2, 3, 4])
    once = with_bounded_names(profile, 3)
    (said,) = (note.text for note in with_bounded_names(once, 2).notes[len(once.notes) :])
    assert re.findall(r"\d+%?", said) == ["2", "30%"], "the first two of 10 µs"
