"""What the scan makes of events: scalars by tag, everything else indexed by kind and place, whatever order the fields come in."""

from __future__ import annotations

import math
import struct
from collections.abc import Callable
from pathlib import Path

import pytest

import event_bytes as eb
from event_reading import all_scalars, names_of, scanned
from stepscope._native import EventFile, NamePool
from stepscope.model.kinds import Kind

pytestmark = pytest.mark.usefixtures("each_origin")

FIVE = eb.message(8, eb.tensor(eb.FLOAT, eb.content(struct.pack("<f", 5))))
STRINGS = eb.message(8, eb.tensor(eb.STRING, eb.message(8, b"payload"), shape=(1,)))


def read(path: Path, *events: bytes) -> tuple[EventFile, NamePool]:
    """A file of these events, scanned without damage."""
    names = NamePool()
    file = scanned(eb.write(path / "tfevents", *map(eb.record, events)), names)
    assert (file.records, file.skipped, file.pending) == (len(events), 0, 0)
    return file, names


def kinds_of(file: EventFile, names: NamePool) -> list[tuple[bytes, str]]:
    """Tag and kind of each series."""
    return [(tag, Kind(kind).label) for tag, kind in zip(names_of(file, names), file.kinds().tolist(), strict=True)]


def test_simple_values(tmp_path: Path) -> None:
    numbers = [0.0, -0.0, 1.5, 3.4028234663852886e38, math.inf, -math.inf]
    file, names = read(
        tmp_path, *(eb.event(i, 10.0 + i, eb.summary(eb.value(b"loss", eb.single(2, v)))) for i, v in enumerate(numbers))
    )
    assert all_scalars(file, names) == {b"loss": [(i, 10.0 + i, v) for i, v in enumerate(numbers)]}
    assert math.copysign(1, file.scalars(0)[2][1]) == -1
    assert (file.points, file.first_wall, file.last_wall) == (6, 10.0, 15.0)


def test_float64_and_float32_mixed_in_one_series_stay_exact(tmp_path: Path) -> None:
    exact = [0.5, 0.1, 0.25, 1 / 3, 1e300, 7.0] * 50
    events = [
        eb.event(i, 1.0, eb.summary(eb.value(b"x", eb.message(8, eb.tensor(eb.DOUBLE, eb.content(struct.pack("<d", v)))))))
        for i, v in enumerate(exact)
    ]
    file, _ = read(tmp_path, *events)
    assert file.scalars(0)[2].tolist() == exact


def test_summaries_are_over_finite_values(tmp_path: Path) -> None:
    numbers = [math.nan, 3.0, -2.0, math.inf, 1.0]
    file, _ = read(tmp_path, *(eb.event(i * 10, 1.0, eb.summary(eb.value(b"x", eb.single(2, v)))) for i, v in enumerate(numbers)))
    found = {key: column.tolist() for key, column in file.summaries().items()}
    assert found == {"first_step": [0], "last_step": [40], "last": [1.0], "min": [-2.0], "max": [3.0]}


def test_steps_of_any_size(tmp_path: Path) -> None:
    steps = [-(2**63), -1, 0, 2**53 + 1, 2**63 - 1]
    file, _ = read(tmp_path, *(eb.event(s, 1.0, eb.summary(eb.value(b"x", eb.single(2, 0)))) for s in steps))
    assert file.scalars(0)[0].tolist() == steps


def test_step_and_time_may_come_last_or_not_at_all(tmp_path: Path) -> None:
    body = eb.summary(eb.value(b"x", eb.single(2, 1)))
    file, names = read(tmp_path, body + eb.integer(2, 7) + eb.double(1, 3.0), body)
    assert all_scalars(file, names) == {b"x": [(7, 3.0, 1.0), (0, 0.0, 1.0)]}


def test_fields_of_a_value_in_any_order(tmp_path: Path) -> None:
    backwards = eb.message(1, eb.message(9, eb.metadata(b"scalars", display=b"D")), FIVE, eb.message(1, b"x"))
    file, names = read(tmp_path, eb.event(1, 1.0, eb.summary(backwards)))
    assert all_scalars(file, names) == {b"x": [(1, 1.0, 5.0)]}
    assert file.metadata(0) == (b"scalars", b"D", b"", b"", 0)


@pytest.mark.parametrize(
    "unknown",
    [
        eb.integer(11, 5),
        eb.double(99, 1.0),
        eb.single(12, 1.0),
        eb.message(11, b"later"),
        eb.message(6, b"a log message"),
        eb.message(500, b""),
    ],
)
def test_unknown_fields_are_passed_over_wherever_they_are(tmp_path: Path, unknown: bytes) -> None:
    inner = eb.value(b"x", unknown if unknown[0] >> 3 > 9 else b"", eb.single(2, 1))
    one = eb.double(1, 1.0) + eb.integer(2, 1)
    file, names = read(
        tmp_path, unknown + one + eb.summary(inner), one + unknown + eb.summary(inner), one + eb.summary(inner) + unknown
    )
    assert all_scalars(file, names) == {b"x": [(1, 1.0, 1.0)] * 3}


def test_two_summaries_in_one_event_are_one(tmp_path: Path) -> None:
    event = eb.event(4, 1.0, eb.summary(eb.value(b"a", eb.single(2, 1))), eb.summary(eb.value(b"b", eb.single(2, 2))))
    file, names = read(tmp_path, event)
    assert all_scalars(file, names) == {b"a": [(4, 1.0, 1.0)], b"b": [(4, 1.0, 2.0)]}


def test_of_two_payloads_the_last_counts(tmp_path: Path) -> None:
    event = eb.event(4, 1.0, eb.message(4, b"graph"), eb.summary(eb.value(b"a", eb.single(2, 1))))
    file, names = read(tmp_path, event)
    assert kinds_of(file, names) == [(b"a", "scalar")]


def test_metadata_is_kept_from_the_first_value_and_rules_the_next(tmp_path: Path) -> None:
    text = eb.metadata(b"text", description=b"*why*", content=b"\x08\x00", display=b"Shown", data_class=2)
    five_as_text = [eb.event(i, 1.0, eb.summary(eb.value(b"t", FIVE, *([eb.message(9, text)] if i == 0 else [])))) for i in range(3)]
    file, names = read(tmp_path, *five_as_text, eb.event(9, 1.0, eb.summary(eb.value(b"t", FIVE, eb.message(9, eb.metadata(b"text"))))))
    assert kinds_of(file, names) == [(b"t", "text")]
    assert file.counts().tolist() == [4]
    assert file.metadata(0) == (b"text", b"Shown", b"*why*", b"\x08\x00", 2)


def floats(file: EventFile, index: int) -> list[tuple[int, float]]:
    step, _, value = file.scalars(index)
    return list(zip(step.tolist(), value.tolist(), strict=True))


@pytest.mark.parametrize(
    "tensor",
    [
        lambda number: eb.tensor(eb.FLOAT, eb.content(struct.pack("<f", number))),
        lambda number: eb.integer(1, 1) + eb.message(5, struct.pack("<f", number)),
    ],
    ids=["TensorFlow's content", "torch's packed list"],
)
def test_metadata_that_is_repeated_with_every_value(tmp_path: Path, tensor: Callable[[float], bytes]) -> None:
    about = eb.message(9, eb.metadata(b"scalars"))
    events = [eb.event(i, 1.0 + i, eb.summary(eb.value(b"x", eb.message(8, tensor(i / 2)), about))) for i in range(4)]
    file, names = read(tmp_path, *events)
    assert kinds_of(file, names) == [(b"x", "scalar")]
    assert floats(file, 0) == [(0, 0.0), (1, 0.5), (2, 1.0), (3, 1.5)]
    assert file.metadata(0)[0] == b"scalars"


def test_a_value_whose_metadata_is_another_is_read_by_its_own(tmp_path: Path) -> None:
    first, second = (eb.message(9, eb.metadata(plugin)) for plugin in (b"scalars", b"tensor"))
    events = [eb.event(i, 1.0, eb.summary(eb.value(b"x", FIVE, about))) for i, about in enumerate((first, second, first, b""))]
    file, names = read(tmp_path, *events)
    assert kinds_of(file, names) == [(b"x", "scalar"), (b"x", "tensor")]
    assert floats(file, 0) == [(0, 5.0), (2, 5.0), (3, 5.0)]
    assert file.blobs(1)[0].tolist() == [1]


def test_a_tensor_of_several_numbers_is_no_point_of_a_known_series(tmp_path: Path) -> None:
    several = eb.message(8, eb.tensor(eb.FLOAT, eb.content(struct.pack("<2f", 1, 2)), shape=(2,)))
    file, names = read(tmp_path, *(eb.event(i, 1.0, eb.summary(eb.value(b"x", each))) for i, each in enumerate((FIVE, several))))
    assert kinds_of(file, names) == [(b"x", "scalar"), (b"x", "tensor")]
    assert (file.points, file.values) == (1, 2)


def test_values_of_every_shape_in_one_event(tmp_path: Path) -> None:
    about = eb.message(9, eb.metadata(b"scalars"))
    values = [
        eb.value(b"a", eb.single(2, 1.5)),
        eb.value(b"b", FIVE, about),
        eb.value(b"c", STRINGS, eb.message(9, eb.metadata(b"text"))),
    ]
    file, names = read(tmp_path, *(eb.event(i, 1.0, eb.summary(*values)) for i in range(3)))
    assert kinds_of(file, names) == [(b"a", "scalar"), (b"b", "scalar"), (b"c", "text")]
    assert floats(file, 0) == [(0, 1.5), (1, 1.5), (2, 1.5)]
    assert floats(file, 1) == [(0, 5.0), (1, 5.0), (2, 5.0)]
    assert file.blobs(2)[0].tolist() == [0, 1, 2]


def test_tf1_suffix_and_display_name(tmp_path: Path) -> None:
    meta = eb.message(9, eb.metadata(b"scalars", display=b"loss"))
    file, names = read(tmp_path, eb.event(0, 1.0, eb.summary(eb.value(b"loss/scalar_summary", FIVE, meta))))
    assert all_scalars(file, names) == {b"loss/scalar_summary": [(0, 1.0, 5.0)]}
    assert file.metadata(0)[1] == b"loss"


def test_node_name_stands_in_for_an_empty_tag_of_a_tensor(tmp_path: Path) -> None:
    file, names = read(
        tmp_path,
        eb.event(0, 1.0, eb.summary(eb.message(1, eb.message(7, b"node"), FIVE))),
        eb.event(0, 1.0, eb.summary(eb.message(1, eb.message(1, b"tag"), eb.message(7, b"node"), FIVE))),
        eb.event(0, 1.0, eb.summary(eb.message(1, eb.message(7, b"node"), eb.single(2, 1)))),
    )
    assert {tag: len(points) for tag, points in all_scalars(file, names).items()} == {b"node": 1, b"tag": 1, b"": 1}


def test_another_plugin_of_scalar_class_is_scalar_and_others_are_not(tmp_path: Path) -> None:
    file, names = read(
        tmp_path,
        eb.event(0, 1.0, eb.summary(eb.value(b"mine", FIVE, eb.message(9, eb.metadata(b"my_plugin", data_class=1))))),
        eb.event(0, 1.0, eb.summary(eb.value(b"theirs", FIVE, eb.message(9, eb.metadata(b"my_plugin", data_class=2))))),
        eb.event(0, 1.0, eb.summary(eb.value(b"torch", FIVE, eb.message(9, eb.metadata(b"tensor"))))),
    )
    assert kinds_of(file, names) == [(b"mine", "scalar"), (b"theirs", "other"), (b"torch", "tensor")]


PLUGINS = {
    b"images": "image", b"audio": "audio", b"text": "text", b"histograms": "histogram", b"pr_curves": "pr_curve", b"mesh": "mesh",
    b"hparams": "hparams", b"custom_scalars": "layout", b"graphs": "graph", b"graph_keras_model": "graph", b"tensor": "tensor",
    b"graph_run_metadata": "run_metadata", b"graph_run_metadata_graph": "run_metadata", b"somebody_elses": "other",
}  # fmt: skip


@pytest.mark.parametrize(("plugin", "kind"), PLUGINS.items())
def test_plugins_by_kind_and_place(tmp_path: Path, plugin: bytes, kind: str) -> None:
    first = eb.value(b"v", STRINGS, eb.message(9, eb.metadata(plugin)))
    later = eb.value(b"v", STRINGS)
    file, names = read(tmp_path, eb.event(3, 1.0, eb.summary(first)), eb.event(4, 2.0, eb.summary(later)))
    assert kinds_of(file, names) == [(b"v", kind)]
    steps, walls, offsets, lengths = (column.tolist() for column in file.blobs(0))
    assert (steps, walls) == ([3, 4], [1.0, 2.0])
    # The place is that of the whole Value, without its own key and length.
    assert [file.read_blob(o, n) for o, n in zip(offsets, lengths, strict=True)] == [first[2:], later[2:]]


@pytest.mark.parametrize(("field", "kind"), [(4, "image"), (5, "histogram"), (6, "audio"), (3, "other")])
def test_values_of_2015(tmp_path: Path, field: int, kind: str) -> None:
    body = eb.value(b"v", eb.message(field, b"old style"))
    file, names = read(tmp_path, eb.event(0, 1.0, eb.summary(body)))
    assert kinds_of(file, names) == [(b"v", kind)]
    assert file.read_blob(int(file.blobs(0)[2][0]), int(file.blobs(0)[3][0])) == body[2:]


def test_events_that_are_no_summaries(tmp_path: Path) -> None:
    file, names = read(
        tmp_path,
        eb.double(1, 1.0) + eb.message(3, b"brain.Event:2") + eb.message(10, eb.message(1, b"some.writer")),
        eb.event(1, 2.0, eb.message(4, b"a graph")),
        eb.event(2, 3.0, eb.message(9, b"a meta graph")),
        eb.event(3, 4.0, eb.message(8, eb.message(1, b"step_1"), eb.message(2, b"run metadata"))),
        eb.event(4, 5.0, eb.message(7, eb.integer(1, 1), eb.message(3, b"hello"))),
        eb.event(5, 6.0, eb.message(7, eb.integer(1, 2))),
    )
    assert (file.file_version, file.writer) == (b"brain.Event:2", b"some.writer")
    blobs = {}
    for i, (tag, kind) in enumerate(kinds_of(file, names)):
        steps, _, offsets, lengths = file.blobs(i)
        blobs[tag, kind] = [
            (s, file.read_blob(o, n)) for s, o, n in zip(steps.tolist(), offsets.tolist(), lengths.tolist(), strict=True)
        ]
    assert blobs == {
        (b"__run_graph__", "graph"): [(1, b"a graph")],
        (b"__meta_graph__", "graph"): [(2, b"a meta graph")],
        (b"step_1", "run_metadata"): [(3, b"run metadata")],
        (b"__session_log__", "session_log"): [(4, eb.integer(1, 1) + eb.message(3, b"hello")), (5, eb.integer(1, 2))],
    }
    assert (file.session_status, file.start_steps.tolist()) == (2, [4])


def test_hparams_without_a_value(tmp_path: Path) -> None:
    end = eb.metadata(b"hparams", content=eb.integer(1, 0) + eb.message(4, eb.integer(1, 2)))
    file, names = read(tmp_path, eb.event(0, 1.0, eb.summary(eb.value(b"_hparams_/session_end_info", eb.message(9, end)))))
    assert kinds_of(file, names) == [(b"_hparams_/session_end_info", "hparams")]
    assert file.hparams_status == 2


def test_one_tag_with_two_kinds(tmp_path: Path) -> None:
    picture = eb.value(b"x", eb.message(4, b"picture"))
    file, names = read(
        tmp_path,
        *(eb.event(i, 1.0, eb.summary(eb.value(b"x", eb.single(2, i)), picture, eb.value(b"y", eb.single(2, i)))) for i in range(3)),
    )
    assert kinds_of(file, names) == [(b"x", "scalar"), (b"x", "image"), (b"y", "scalar")]
    assert file.counts().tolist() == [3, 3, 3]
    tag = names.find(b"x")
    assert [file.find(tag), file.find(tag, Kind.IMAGE), file.find(tag, Kind.AUDIO), file.find(names.find(b"y"))] == [0, 1, -1, 2]


def test_wall_times_that_are_no_numbers_are_kept_and_do_not_set_the_files_range(tmp_path: Path) -> None:
    walls = [math.nan, 5.0, math.inf, 3.0, -math.inf]
    file, _ = read(tmp_path, *(eb.event(i, w, eb.summary(eb.value(b"x", eb.single(2, i)))) for i, w in enumerate(walls)))
    assert (file.first_wall, file.last_wall) == (3.0, 5.0)
    assert [str(w) for w in file.scalars(0)[1].tolist()] == [str(w) for w in walls]


def test_the_newest_value_is_told_apart_from_the_last_record(tmp_path: Path) -> None:
    end = eb.metadata(b"hparams", content=eb.integer(1, 0) + eb.message(4, eb.integer(1, 1)))
    picture = eb.value(b"x", eb.message(4, b"picture"))
    file, _ = read(
        tmp_path,
        eb.event(0, 2.0, eb.summary(eb.value(b"loss", eb.single(2, 1)))),
        eb.event(1, 4.0, eb.summary(picture)),
        eb.event(2, 3.0, eb.summary(eb.value(b"loss", eb.single(2, 1)))),
        eb.event(0, 9.0, eb.summary(eb.value(b"_hparams_/session_end_info", eb.message(9, end)))),
    )
    assert (file.last_wall, file.last_point) == (9.0, 4.0)


def test_tags_of_any_bytes(tmp_path: Path) -> None:
    tags = [b"<script>", b"a\nb", b"\xff\xfe", b"a\0b", "é/日本".encode(), b"x" * 5000, b" "]
    file, names = read(tmp_path, *(eb.event(0, 1.0, eb.summary(eb.value(tag, eb.single(2, 1)))) for tag in tags))
    assert names_of(file, names) == tags


@pytest.mark.parametrize(
    "bytes_that_are_no_event",
    [
        b"\xff",
        eb.summary(b"\x0a\x7f"),  # a value that runs past its summary
        eb.summary(eb.value(b"x", b"\x42\xff\xff\xff\xff\x0f")),  # a tensor longer than its value
        b"\x00\x00",  # field number 0
        b"\x0b\x0c",  # a group
        b"\x10" + b"\xff" * 11,  # a number without end
        eb.summary(eb.message(1, eb.integer(1, 5))),  # a tag that is a number
    ],
)
def test_a_record_that_is_no_event_costs_only_itself(tmp_path: Path, bytes_that_are_no_event: bytes) -> None:
    good = eb.scalar(b"x", 1, 1.0, 1.0)
    names = NamePool()
    file = scanned(eb.write(tmp_path / "tfevents", good, eb.record(bytes_that_are_no_event), good), names)
    assert len(all_scalars(file, names)[b"x"]) == 2
    assert (file.records, file.skipped) == (2, 1)
    assert [fault[:2] for fault in file.faults] == [(len(good), len(bytes_that_are_no_event) + 16)]
