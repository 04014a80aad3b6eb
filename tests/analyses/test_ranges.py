"""A chosen range is the same profile with less in it: parts of ranges add up, and rows still lead to the whole's spans."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from analyses.timeline import MS, ON_STREAMS, ON_THREADS, Timeline, timeline
from stepscope.analyses.breakdown import break_down
from stepscope.analyses.memory.held import memory
from stepscope.analyses.memory.ledger import HELD_BEFORE
from stepscope.analyses.ranges.chosen import choose
from stepscope.analyses.ranges.text import RangeKind, parse_range
from stepscope.analyses.session.summary import summarise
from stepscope.analyses.steps import find_steps
from stepscope.analyses.work.kernels import kernels
from stepscope.analyses.work.operations import operations, own_times
from stepscope.model.errors import BadInput
from stepscope.model.profile import NONE, Allocations, MarkerFamily, Profile, SpanKind
from stepscope.rules.judge import judge
from stepscope.rules.rule import Verdict

LAGGING = """
    main   111111112222222233333333
    main   oolooo  oolooo  oolooo
    gpu 0     KKKKKKKKKKHHHKKKKKKKKKKK
"""
"""The device is still at work for a step when the host is at the next."""


def numbers(profile: Profile) -> list[int]:
    return find_steps(profile).number.tolist()


def only(profile: Profile, text: str) -> Profile:
    return choose([profile], text)[0]


@pytest.mark.parametrize(
    ("text", "chosen"),
    [("2:4", [2, 3]), ("3", [3]), ("4:", [4, 5]), (":3", [1, 2]), (" 2:3 ", [2]), ("4:999", [4, 5]), ("0:2", [1])],
)
def test_steps_are_chosen_by_number_as_python_slices_do(text: str, chosen: list[int]) -> None:
    assert numbers(only(timeline("main   1122334455"), text)) == chosen


def test_a_range_of_all_steps_is_the_whole_recording() -> None:
    profile = timeline("main   ooo1122334455oo")
    for text in ("", "1:6", ":", "0s:"):
        if text != ":":
            assert only(profile, text) is profile


def test_a_time_range_takes_the_steps_that_lie_in_it_wholly() -> None:
    profile = timeline("main   1111222233334444")
    assert numbers(only(profile, "3ms:13ms")) == [2, 3]
    assert numbers(only(profile, "4ms:0.012s")) == [2, 3]
    assert numbers(only(profile, ":4000us")) == [1]


def test_a_time_range_inside_a_step_is_a_step_of_its_own() -> None:
    profile = timeline("""
        main   1111111111
        main   iiiioooo
        gpu 0        KK
    """)
    part = only(profile, "2ms:7ms")
    found = break_down(part)
    assert found.steps.source.text == "selected range"
    assert part.part is not None
    assert part.part.text == "2 to 7 ms"
    assert (found.steps.length / MS).tolist() == [5]
    assert {row.name: row.exposed_ns / MS for row in operations(part, found)} == {"i": 2, "o": 2, "K": 1}
    assert summarise([part]).sentence.startswith("The selected range lasts 5 ms;")
    assert not any("whole profile" in text for text in summarise([part]).quality.weak)


def test_epochs_are_chosen_where_they_are_marked() -> None:
    line = Timeline(family=MarkerFamily.STEP_NUM)
    for place in range(6):
        line.span("main", 10 * place * MS, 10 * (place + 1) * MS, SpanKind.MARKER, "train", step=place)
    for place in range(2):
        line.span("main", 30 * place * MS, 30 * (place + 1) * MS, SpanKind.MARKER, "epoch", step=place)
    profile = line.build()
    assert numbers(profile) == [0, 1, 2, 3, 4, 5]
    assert numbers(only(profile, "epochs=1")) == [3, 4, 5]
    assert numbers(only(profile, "epochs=0:1")) == [0, 1, 2]


def test_warm_up_is_what_comes_before_the_first_typical_step() -> None:
    profile = timeline("main   11111111112222233445566778899")
    assert break_down(profile).warm_up == 2
    assert numbers(only(profile, "skip-warmup")) == [3, 4, 5, 6, 7, 8, 9]
    assert break_down(only(profile, "skip-warmup")).warm_up == 0


def test_typical_is_the_longest_stretch_of_typical_steps() -> None:
    profile = timeline("main   1111112233444444445566778899")
    assert numbers(only(profile, "typical")) == [5, 6, 7, 8, 9]


def test_steps_of_a_range_have_the_parts_that_they_have_in_the_whole() -> None:
    profile = timeline(LAGGING)
    whole = break_down(profile)
    for place, number in enumerate(numbers(profile)):
        alone = break_down(only(profile, str(number)))
        assert alone.parts[0].tolist() == whole.parts[place].tolist()
        assert alone.overlapped[0].tolist() == whole.overlapped[place].tolist()


def test_device_work_belongs_to_the_step_that_launched_it() -> None:
    profile = timeline(LAGGING)
    first, second = only(profile, "1"), only(profile, "2")
    assert [row.total_ns / MS for row in kernels(first, break_down(first))] == [10]
    assert {row.name: row.total_ns / MS for row in operations(second, break_down(second)) if row.device != "host"} == {"H": 3}


def test_rows_lead_to_the_spans_of_the_whole() -> None:
    profile = timeline(LAGGING)
    part = only(profile, "2:")
    assert len(part.spans) < len(profile.spans)
    for row in range(len(part.spans)):
        there = part.row_in_file(row)
        assert part.spans.name[row] == profile.spans.name[there]
        assert part.spans.kind[row] == profile.spans.kind[there]
        cause = int(part.spans.cause[row])
        assert (profile.spans.cause[there] if cause < 0 else part.row_in_file(cause)) == profile.spans.cause[there]
    assert profile.row_in_file(3) == 3


def test_what_goes_on_when_a_range_begins_is_cut_there() -> None:
    profile = timeline("""
        main   1111222233334444
        main  pppppppppppppppppp
    """)
    part = only(profile, "2:4")
    long = int(np.flatnonzero(part.spans.kind == SpanKind.PYTHON)[0])
    assert ((part.spans.start[long] - part.window[0]) / MS, (part.spans.end[long] - part.window[0]) / MS) == (5, 13)


@given(st.data())
def test_times_and_counts_of_ranges_that_touch_add_up(data: st.DataObject) -> None:
    profile = data.draw(recordings())
    steps = find_steps(profile)
    cut = int(steps.number[data.draw(st.integers(0, len(steps) - 1))])
    first = int(steps.number[0])
    ranges = [text for text, there in ((f":{cut}", cut > first), (f"{cut}:", True)) if there]
    parts = [only(profile, text) for text in ranges]
    whole = break_down(profile)
    found = [break_down(part) for part in parts]
    assert np.concatenate([each.parts for each in found]).tolist() == whole.parts.tolist()
    assert np.concatenate([each.overlapped for each in found]).tolist() == whole.overlapped.tolist()
    assert sum((_of_name(part, own_times(part)) for part in parts), Counter()) == _of_name(profile, own_times(profile))


def test_kernels_that_overlap_on_one_stream_across_the_cut_add_up() -> None:
    """Two kernels of 3 ms, the second 2 ms after the first and launched by the next step: 5 ms in the whole, so in its ranges."""
    line = Timeline()
    for number in (0, 1):
        line.span("main", 2 * number * MS, 2 * (number + 1) * MS, SpanKind.MARKER, f"ProfilerStep#{number}", step=number)
        launch = line.span("main", 2 * number * MS, (2 * number + 1) * MS, SpanKind.RUNTIME, "launch")
        line.span("gpu 0", 2 * number * MS, (2 * number + 3) * MS, SpanKind.KERNEL, "kernel", cause=launch)
    profile = line.build()
    parts = [only(profile, text) for text in (":1", "1:")]
    assert _of_name(profile, own_times(profile))["kernel"] == 5 * MS
    assert [_of_name(part, own_times(part))["kernel"] for part in parts] == [2 * MS, 3 * MS]


def _of_name(profile: Profile, values: np.ndarray) -> Counter[str]:
    found: Counter[str] = Counter()
    for name, value in zip(profile.spans.name.tolist(), values.tolist(), strict=True):
        if value:
            found[profile.names[name]] += value
    return found


@st.composite
def recordings(draw: st.DrawFn) -> Profile:
    """Steps with nested host work and device work that lags."""
    line = Timeline()
    at = 0
    for number in range(draw(st.integers(2, 6))):
        length = draw(st.integers(2, 9))
        line.span("main", at * MS, (at + length) * MS, SpanKind.MARKER, f"ProfilerStep#{number}", step=number)
        at += length
    for _ in range(draw(st.integers(0, 12))):
        begin = draw(st.integers(0, at - 1))
        end = draw(st.integers(begin, at))
        kind = draw(st.sampled_from(list(ON_THREADS.values())))
        track = draw(st.sampled_from(["main", "loader"]))
        span = line.span(track, begin * MS, end * MS, kind, kind.name)
        if kind == SpanKind.RUNTIME:
            runs = draw(st.integers(0, 5))
            work = draw(st.sampled_from(list(ON_STREAMS.values())))
            line.span("gpu 0", (begin + runs) * MS, (begin + runs + 3) * MS, work, work.name, cause=span)
    return line.build()


def test_rules_judge_the_range_and_not_the_rest() -> None:
    """Steps 1 to 5 wait for input, the rest does not."""
    waits = "".join(str(number) * 8 for number in range(1, 9))
    profile = timeline(f"""
        main   {waits}
        main   {"iiiiiilo" * 4}{"oolooooo" * 4}
        gpu 0  {"......KK" * 4}{"..KKKKKK" * 4}
    """)

    def verdict(text: str) -> Verdict:
        judged = judge(summarise(choose([profile], text)))
        return next(each.verdict for each in judged.findings if each.rule == "input_bound")

    assert verdict("1:5") == Verdict.FIRES
    assert verdict("5:") == Verdict.CANNOT_TELL


def test_ranks_take_the_same_steps() -> None:
    """One rank warms up for a step longer; what is left out on one is left out on all."""
    quick, slow = timeline("main   11112233445566778899"), timeline("main   11112222334455667788")
    assert [numbers(part) for part in choose([quick, slow], "skip-warmup")] == [[3, 4, 5, 6, 7, 8]] * 2


def test_memory_from_before_the_range_keeps_its_owner_and_its_level() -> None:
    """A parameter of 100 bytes from step 1 stays; step 1's temporary of 50 is gone; step 2 takes 7 more. 1,000 bytes lie below all."""
    line = Timeline()
    for number in (1, 2, 3):
        line.span("main", number * 10 * MS, (number + 1) * 10 * MS, SpanKind.MARKER, f"ProfilerStep#{number}", step=number)
        line.span("main", number * 10 * MS, (number * 10 + 5) * MS, SpanKind.OP, ["", "init", "forward", "forward"][number])
    profile = line.build()
    rows = {profile.names[int(profile.spans.name[row])]: row for row in reversed(range(len(profile.spans)))}
    moves = [(11, "init", 1, 100, 1100), (12, "init", 2, 50, 1150), (13, "init", 2, -50, 1100), (21, "forward", 3, 7, 1107)]
    count = len(moves)
    none = np.full(count, NONE, np.int32)
    table = Allocations(
        time=np.array([at * MS for at, *_ in moves]),
        row=np.array([rows[name] for _, name, *_ in moves], np.int32),
        device=none,
        allocator=none,
        address=np.array([address for _, _, address, *_ in moves]),
        bytes=np.array([size for *_, size, _ in moves]),
        allocated=np.array([total for *_, total in moves]),
        reserved=np.full(count, NONE, np.int64),
        op=none,
        shape=none,
        dtype=none,
    )
    part = only(replace(profile, allocations=table), "2:")
    (use,) = memory(part, find_steps(part))
    assert use.peak_bytes == 1107
    assert {held.op: held.bytes for held in use.at_peak} == {"init": 100, "forward": 7, HELD_BEFORE: 1000}


HOSTILE = [
    "x", "3-5", "5:3", "3:3", ":", "::", "1:2:3", "-1:4", "1.5:3", "s:", ".s:", "1e99s:2s", "3s:1s", "99999999999999999999:", "3 : 5",
    "٣:٥", "epochs=", "epochs=x", "epochs=5:2", "typical ish", "1" * 101, "\x00", "1ms", "nan:", "infs:",
]  # fmt: skip


@pytest.mark.parametrize("text", HOSTILE)
def test_what_is_no_range_gets_one_sentence(text: str) -> None:
    with pytest.raises(BadInput) as caught:
        parse_range(text)
    assert caught.value.message.endswith(".")
    assert "\n" not in caught.value.message
    assert len(caught.value.message) < 300


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("7:9", "No step is in the range '7:9'; the profile has steps 1 to 3."),
        ("1s:2s", "The profile lasts 6 ms and has no events in that range; select an earlier one."),
        ("epochs=1", "This profile has no epoch markers; select steps or a time instead."),
    ],
)
def test_a_range_outside_of_the_recording_says_what_there_is(text: str, said: str) -> None:
    with pytest.raises(BadInput) as caught:
        choose([timeline("main   112233")], text)
    assert caught.value.message == said


def test_kinds_of_ranges_are_told_by_their_text() -> None:
    kinds = {"3:5": "steps", "1s:": "time", "epochs=2": "epochs", "typical": "typical", "skip-warmup": "skip-warmup"}
    assert {text: parse_range(text).kind for text in kinds} == {text: RangeKind(kind) for text, kind in kinds.items()}
