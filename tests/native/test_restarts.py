"""The restart rule: each case as a readable table, then histories at random against a slow model of the rule."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

import event_bytes as eb
from event_reading import Mode, scanned, view_of
from stepscope._native import NamePool, SeriesView


@dataclass(frozen=True)
class Start:
    """A session start in a file."""

    step: int


Entry = int | Start
History = Sequence[tuple[float, Sequence[Entry]]]
"""Per file: the time of its first event, then steps and session starts a second apart."""


def write_run(folder: Path, history: History, tag: bytes = b"x") -> list[Path]:
    """One event file for each part of a history; values count up, so that every point is told from every other."""
    number = iter(range(10**9))
    paths: list[Path] = []
    for index, (begin, entries) in enumerate(history):
        records = [eb.version(begin)]
        for i, entry in enumerate(entries):
            wall = begin + 1 + i
            records.append(eb.session_log(entry.step, wall) if isinstance(entry, Start) else eb.scalar(tag, entry, wall, next(number)))
        paths.append(eb.write(folder / f"{index}.tfevents", *records))
    return paths


def view(folder: Path, history: History, mode: Mode = "latest", tag: bytes = b"x") -> SeriesView:
    """The series over the files of a history."""
    names = NamePool()
    return view_of([scanned(path, names) for path in write_run(folder, history)], names, tag, mode)


def steps(view: SeriesView) -> list[int]:
    """The steps shown."""
    return view.arrays()[0].tolist()


def r(first: int, last: int) -> list[int]:
    """Steps first to last, both included."""
    return list(range(first, last + 1))


CASES: list[tuple[str, History, list[int], int, list[str]]] = [
    # what happened, files, steps shown, restarts, notices
    ("one run", [(0, r(0, 9))], r(0, 9), 0, []),
    ("steps with holes, going on in a new file", [(0, [0, 10, 20]), (100, [30, 40])], [0, 10, 20, 30, 40], 0, []),
    ("resumed from step 5 in a new file", [(0, r(0, 9)), (100, r(5, 12))], r(0, 12), 1, []),
    ("resumed further back each time", [(0, r(0, 9)), (100, r(6, 9)), (200, r(3, 5))], r(0, 5), 2, []),
    ("resumed from step 0", [(0, r(0, 9)), (100, r(0, 3))], r(0, 3), 1, []),
    ("purge_step 5 with a new writer", [(0, r(0, 9)), (100, [Start(5), *r(5, 12)])], r(0, 12), 1, []),
    ("purge_step 3, but the first step logged is 5", [(0, r(0, 9)), (100, [Start(3), *r(5, 7)])], [0, 1, 2, 5, 6, 7], 1, []),
    ("a session start that takes nothing back", [(0, r(0, 9)), (100, [Start(10), *r(10, 12)])], r(0, 12), 0, []),
    ("a session start first of all", [(0, [Start(0), *r(0, 4)])], r(0, 4), 0, []),
    ("a session start within a file", [(0, [*r(0, 9), Start(5), *r(5, 7)])], r(0, 7), 1, []),
    ("two starts before the next point", [(0, [*r(0, 9), Start(6), Start(4), 8])], [0, 1, 2, 3, 8], 1, []),
    ("a start with nothing after it", [(0, [*r(0, 9), Start(4)])], r(0, 3), 1, []),
    ("a repeat within a file", [(0, [*r(0, 9), 3, 4, 20, 21])], [0, 1, 2, 3, 4, 20, 21], 1, []),
    ("two repeats within a file", [(0, [*r(0, 9), *r(5, 9), *r(7, 12)])], r(0, 12), 2, []),
    ("disorder without a repeat", [(0, [0, 2, 1, 3, 5, 4])], [0, 1, 2, 3, 4, 5], 0, []),
    ("a back step to one never logged", [(0, [0, 2, 4, 6, 3, 5])], [0, 2, 3, 4, 5, 6], 0, []),
    ("the same step twice in a row", [(0, [0, 1, 1, 2])], [0, 1, 1, 2], 0, ["two_values_per_step"]),
    ("every point at step 0", [(0, [0, 0, 0])], [0, 0, 0], 0, ["one_step_only"]),
    ("two writers at once", [(0, r(0, 9)), (5, r(0, 9))], sorted([*r(0, 9), *r(0, 9)]), 0, ["concurrent_writers"]),
    ("two writers at once, each its own steps", [(0, [0, 2, 4]), (1, [1, 3, 5])], r(0, 5), 0, ["concurrent_writers"]),
    ("two, then a restart of both", [(0, r(0, 5)), (3, r(0, 5)), (50, r(2, 4))], [0, 0, 1, 1, 2, 3, 4], 1, ["concurrent_writers"]),
    ("resumed, then a new file that only goes on", [(0, r(0, 9)), (50, r(5, 6)), (100, r(7, 8))], r(0, 8), 1, []),
    ("negative steps", [(0, [-5, -4, -3]), (100, [-4, -3])], [-5, -4, -3], 1, []),
    ("the highest step there is", [(0, [1, 2**63 - 1])], [1, 2**63 - 1], 0, []),
    ("nothing", [(0, [])], [], 0, []),
]  # fmt: skip


@pytest.mark.parametrize(("history", "shown", "restarts", "notices"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
def test_case(tmp_path: Path, history: History, shown: list[int], restarts: int, notices: list[str]) -> None:
    latest = view(tmp_path, history)
    written = sum(isinstance(entry, int) for _, entries in history for entry in entries)
    assert steps(latest) == shown
    assert (len(latest), latest.points, latest.superseded) == (len(shown), written, written - len(shown))
    assert (latest.restarts, latest.notices) == (restarts, notices)
    for mode in ("all", "split"):
        assert len(view(tmp_path, history, mode)) == written


def test_of_two_points_at_one_step_the_later_one_is_shown(tmp_path: Path) -> None:
    _, _, values, segments = view(tmp_path, [(0, r(0, 9)), (100, r(5, 12))]).arrays()
    assert values.tolist() == [0, 1, 2, 3, 4, *range(10, 18)]
    assert segments.tolist() == [0] * 5 + [1] * 8


def test_segments_say_what_became_of_each(tmp_path: Path) -> None:
    history: History = [(0, r(0, 9)), (100, [*r(5, 9), *r(7, 8)]), (200, [Start(6), *r(6, 7)]), (300, r(8, 9))]
    assert view(tmp_path, history).segments == [
        (0, 9, 10, 5, "start"),
        (5, 9, 5, 4, "new_file"),
        (7, 8, 2, 2, "repeat"),
        (6, 9, 4, 0, "session_start"),  # the last file goes on where this one ended
    ]
    split = view(tmp_path, history, "split")
    assert split.arrays()[3].tolist() == [0] * 10 + [1] * 5 + [2] * 2 + [3] * 4
    assert steps(split) == [*r(0, 9), *r(5, 9), 7, 8, 6, 7, 8, 9]


def test_a_tag_that_only_the_first_writer_knew_is_cut_at_the_purge_step(tmp_path: Path) -> None:
    # torch: writer A logs two tags from 0 to 9, writer B with purge_step=5 only one of them.
    names = NamePool()
    a = [record for s in range(10) for record in (eb.scalar(b"both", s, s, s), eb.scalar(b"only_a", s, s, s))]
    b = [eb.session_log(5, 100.0)] + [eb.scalar(b"both", s, 100.0 + s, s) for s in range(5, 13)]
    files = [scanned(eb.write(tmp_path / "a.tfevents", *a), names), scanned(eb.write(tmp_path / "b.tfevents", *b), names)]
    both, only_a = view_of(files, names, b"both"), view_of(files, names, b"only_a")
    assert (steps(both), both.superseded, both.restarts) == (r(0, 12), 5, 1)
    assert (steps(only_a), only_a.superseded, only_a.restarts) == (r(0, 4), 5, 1)
    assert view_of(files, names, b"only_a", "all").arrays()[0].tolist() == r(0, 9)


def test_a_new_file_cuts_only_the_tags_it_holds(tmp_path: Path) -> None:
    names = NamePool()
    a = [record for s in range(10) for record in (eb.scalar(b"both", s, s, s), eb.scalar(b"only_a", s, s, s))]
    b = [eb.scalar(b"both", s, 100.0 + s, s) for s in range(5, 13)]
    files = [scanned(eb.write(tmp_path / "a.tfevents", *a), names), scanned(eb.write(tmp_path / "b.tfevents", *b), names)]
    assert steps(view_of(files, names, b"only_a")) == r(0, 9)
    assert steps(view_of(files, names, b"both")) == r(0, 12)


@pytest.mark.parametrize("epochs", [4, 5, 30])
def test_a_counter_that_starts_again_each_epoch_hides_nothing(tmp_path: Path, epochs: int) -> None:
    history: History = [(0, r(0, 9) * (epochs - 1) + r(0, 5))]
    latest = view(tmp_path, history)
    assert (len(latest), latest.superseded, latest.notices) == (epochs * 10 - 4, 0, ["step_restarts_each_epoch"])
    assert steps(latest) == [*(r(0, 9) * (epochs - 1)), *r(0, 5)]
    assert latest.arrays()[3].tolist() == [i // 10 for i in range(epochs * 10 - 4)]
    assert [segment[4] for segment in latest.segments] == ["start"] + ["repeat"] * (epochs - 1)


def test_three_epochs_are_two_restarts(tmp_path: Path) -> None:
    latest = view(tmp_path, [(0, r(0, 9) * 3)])
    assert (steps(latest), latest.restarts, latest.superseded) == (r(0, 9), 2, 20)


def test_repeats_of_unlike_length_are_restarts(tmp_path: Path) -> None:
    latest = view(tmp_path, [(0, [*r(0, 99), *r(95, 97), *r(50, 59), *r(1, 4)])])
    assert (steps(latest), latest.notices) == ([0, 1, 2, 3, 4], [])


def test_an_epoch_counter_with_a_start_at_its_end(tmp_path: Path) -> None:
    latest = view(tmp_path, [(0, [*(r(0, 9) * 4), 0, 1, Start(100)])])
    assert (len(latest), latest.notices) == (42, ["step_restarts_each_epoch"])


def test_a_file_of_one_moment_goes_with_those_that_began_in_it(tmp_path: Path) -> None:
    """Files that only touch were not written at the same time, whichever is listed first."""
    names = NamePool()
    long = scanned(eb.write(tmp_path / "long", *(eb.scalar(b"x", step, 5.0 + step, 0) for step in range(5))), names)
    moment = scanned(eb.write(tmp_path / "moment", eb.scalar(b"x", 2, 5.0, 0)), names)
    inside = scanned(eb.write(tmp_path / "inside", eb.scalar(b"x", 2, 7.0, 0)), names)
    assert steps(view_of([long, moment], names, b"x")) == [0, 1, 2]
    assert steps(view_of([moment, long], names, b"x")) == [0, 1, 2, 3, 4]
    together = view_of([long, inside], names, b"x")
    assert steps(together) == [0, 1, 2, 2, 3, 4]
    assert (together.restarts, together.notices) == (0, ["concurrent_writers"])


def test_files_are_ordered_by_their_times_however_they_are_listed(tmp_path: Path) -> None:
    """A file that is followed may log an earlier time than its first after the files were put in order."""
    history = [(100.0, r(0, 9)), (200.0, r(5, 12)), (205.0, r(7, 20)), (300.0, r(11, 15))]
    names = NamePool()
    files = [scanned(path, names) for path in write_run(tmp_path, history)]
    sorted_view, shuffled = (view_of(order, names, b"x") for order in (files, [files[i] for i in (2, 0, 3, 1)]))
    assert [column.tolist() for column in shuffled.arrays()] == [column.tolist() for column in sorted_view.arrays()]
    assert (shuffled.restarts, shuffled.superseded) == (sorted_view.restarts, sorted_view.superseded)


@pytest.mark.slow
def test_thousands_of_files_that_each_restart(tmp_path: Path) -> None:
    """Each of them repeats the last step of the one before."""
    names = NamePool()
    files = [
        scanned(eb.write(tmp_path / str(at), eb.scalar(b"x", at, 10.0 * at, at), eb.scalar(b"x", at + 1, 10.0 * at + 1, at)), names)
        for at in range(3_000)
    ]
    shown = view_of(files, names, b"x")
    assert shown.arrays()[2].tolist() == [*range(3_000), 2_999]
    assert (shown.restarts, shown.superseded) == (2_999, 2_999)


def one_after_another(at: int) -> list[bytes]:
    return [eb.scalar(b"x", at, 10.0 * at, 0), eb.scalar(b"x", at + 1, 10.0 * at + 1, 0)]


def at_the_same_time(at: int) -> list[bytes]:
    return [eb.scalar(b"x", at, float(at), 0), eb.scalar(b"x", at + 1, 1e6 + at, 0)]


def in_one_moment(at: int) -> list[bytes]:
    return [eb.scalar(b"x", at, 5.0, 0)]


def repeating_all(at: int) -> list[bytes]:
    return [eb.scalar(b"x", step, 10.0 * at + step, 0) for step in range(3)]


@pytest.mark.slow
@pytest.mark.parametrize("records", [one_after_another, at_the_same_time, in_one_moment, repeating_all])
def test_the_work_of_joining_files_grows_with_their_number(records: Callable[[int], list[bytes]], tmp_path: Path) -> None:
    names = NamePool()
    files = [scanned(eb.write(tmp_path / str(at), *records(at)), names) for at in range(2_000)]
    visits = {count: view_of(files[:count], names, b"x").file_visits for count in (500, 1_000, 2_000)}
    assert all(count / 2 <= visits[count] <= 4 * count for count in visits)


def test_unknown_modes_and_series_are_refused(tmp_path: Path) -> None:
    names = NamePool()
    file = scanned(write_run(tmp_path, [(0, [1, Start(2)])])[0], names)
    with pytest.raises(ValueError, match="latest, all or split"):
        SeriesView([(file, 0)], "newest")  # pyright: ignore[reportArgumentType]
    for wrong in (1, 99):  # a session log, and nothing
        with pytest.raises(IndexError):
            SeriesView([(file, wrong)], "latest")
    assert len(SeriesView([], "latest")) == 0
    assert len(SeriesView([(file, -1)], "latest")) == 0


# --- the model: the rule as docs/restarts.md tells it, with lists and no cleverness ---


@dataclass
class Point:
    """One point of a history, and whether a later cut took it back."""

    file: int
    step: int
    number: int
    hidden: bool = False


@dataclass
class Model:
    """Applies the rule by looking at every point for every cut."""

    history: History
    points: list[Point] = field(default_factory=list)
    reached: dict[int, int] = field(default_factory=dict)
    """How far each file has come, set back by cuts."""
    restarts: int = 0
    repeats: int = 0
    counter: bool = False

    def together(self, a: int, b: int) -> bool:
        """Whether two files were written at the same time."""
        begin_a, begin_b = self.history[a][0], self.history[b][0]
        end_a, end_b = begin_a + len(self.history[a][1]), begin_b + len(self.history[b][1])
        return a != b and begin_a < end_b and begin_b < end_a

    def earlier(self, file: int) -> list[Point]:
        """The points a cut in that file may take back."""
        return [point for point in self.points if not self.together(point.file, file)]

    def cut(self, file: int, step: int) -> None:
        """Hides earlier points from a step on."""
        came = {other: far for other, far in self.reached.items() if not self.together(other, file)}
        self.restarts += any(step <= far for far in came.values())
        self.reached.update({other: min(far, step - 1) for other, far in came.items()})
        for point in self.earlier(file):
            point.hidden |= point.step >= step

    def repeats_of(self, entries: Iterable[Entry]) -> list[int]:
        """The places of points that go back to a step already logged, one after a start left out."""
        found: list[int] = []
        logged: list[int] = []
        after_start = False
        for at, entry in enumerate(entries):
            if isinstance(entry, Start):
                after_start = True
                continue
            if logged and entry < logged[-1] and entry in logged and not after_start:
                found.append(at)
            logged.append(entry)
            after_start = False
        return found

    def is_counter(self, entries: Sequence[Entry], repeats: list[int]) -> bool:
        """Three or more repeats whose stretches are alike in length."""
        stretches = [0]
        after_start = False
        for at, entry in enumerate(entries):
            if isinstance(entry, Start):
                after_start = True
                continue
            if at in repeats or after_start:
                stretches.append(0)
            stretches[-1] += 1
            after_start = False
        whole = sorted(size for size in stretches[:-1] if size)
        return len(repeats) >= 3 and whole[0] * 2 >= whole[len(whole) // 2] and whole[-1] <= 2 * whole[len(whole) // 2]

    def run(self) -> Model:
        """Goes through the files in order."""
        number = 0
        for file, (_, entries) in enumerate(self.history):
            repeats = self.repeats_of(entries)
            counter = self.is_counter(entries, repeats)
            self.repeats = max(self.repeats, len(repeats))
            self.counter |= counter
            cut: int | None = None  # of starts still without a point
            logged: list[int] = []
            for at, entry in enumerate(entries):
                if isinstance(entry, Start):
                    cut = entry.step if cut is None else min(cut, entry.step)
                    continue
                if not logged and file > 0:
                    cut = entry if cut is None else min(cut, entry)
                elif cut is not None and logged and entry < logged[-1] and entry in logged:
                    cut = min(cut, entry)
                elif at in repeats and not counter:
                    cut = entry
                if cut is not None:
                    self.cut(file, cut)
                    cut = None
                self.points.append(Point(file, entry, number))
                self.reached[file] = max(entry, self.reached.get(file, entry))
                number += 1
                logged.append(entry)
            if cut is not None:
                self.cut(file, cut)
        return self

    def shown(self) -> list[tuple[int, int]]:
        """Step and number of what is shown, by step, as written among equals."""
        return sorted(((p.step, p.number) for p in self.points if not p.hidden), key=lambda pair: pair[0])


entries = st.lists(st.one_of(st.integers(0, 12), st.integers(0, 12).map(Start)), max_size=14)
stretches = st.lists(
    st.one_of(
        st.tuples(st.integers(0, 12), st.integers(1, 8)).map(lambda s: r(s[0], s[0] + s[1])),
        st.integers(0, 12).map(lambda s: [Start(s)]),
    ),
    max_size=5,
).map(lambda parts: [entry for part in parts for entry in part])


def histories(files: st.SearchStrategy[Any]) -> st.SearchStrategy[History]:
    """One to four files at times that sometimes overlap, ordered by the first event."""
    part = st.tuples(st.integers(0, 60).map(float), files)
    return st.lists(part, min_size=1, max_size=4, unique_by=lambda p: p[0]).map(lambda parts: sorted(parts, key=lambda p: p[0]))


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(history=st.one_of(histories(entries), histories(stretches)))
def test_histories_at_random(tmp_path: Path, history: History) -> None:
    model = Model(history).run()
    assume(model.repeats <= 8)  # further back than eight stretches is not searched
    names = NamePool()
    files = [scanned(path, names) for path in write_run(tmp_path, history)]
    latest = view_of(files, names, b"x")
    step, _, value, _ = latest.arrays()
    pairs = list(zip(step.tolist(), value.tolist(), strict=True))
    assert (sorted(pairs) if model.counter else pairs) == (sorted(model.shown()) if model.counter else model.shown())
    assert (latest.points, latest.superseded) == (len(model.points), sum(point.hidden for point in model.points))
    assert latest.restarts == model.restarts
    assert ("step_restarts_each_epoch" in latest.notices) == model.counter
    segments = latest.segments
    assert sum(segment[2] for segment in segments) == latest.points
    assert sum(segment[3] for segment in segments) == latest.superseded
    for mode in ("all", "split"):
        every = view_of(files, names, b"x", mode)
        step, _, value, line = every.arrays()
        assert sorted(value.tolist()) == list(range(len(model.points)))
        for number, (low, high, count, _, _) in enumerate(segments):
            mine = step[line == number]
            assert len(mine) == count
            assert mine.tolist() == sorted(mine.tolist())
            assert (int(mine.min()), int(mine.max())) == (low, high)
