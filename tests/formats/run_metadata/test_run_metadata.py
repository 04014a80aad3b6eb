"""TensorFlow 1's RunMetadata becomes tables with what the real message says, and damage costs only what it hits."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import event_bytes as eb
from formats.run_metadata.run_metadata_bytes import CPU, EPOCH, device, example, node, run_metadata
from opened_profiles import open_profile
from sample_files import SAMPLES, needs
from stepscope.formats.format import Limits
from stepscope.formats.run_metadata import FORMAT
from stepscope.formats.run_metadata.read import read_bytes
from stepscope.model.errors import BadInput
from stepscope.model.profile import CopyDirection, Profile, SpanKind, TrackRole

HERE = Path(__file__).parent


def profile_of(data: bytes) -> Profile:
    return read_bytes(data, "run_metadata.pb", Limits())


def rows(profile: Profile) -> dict[str, int]:
    """Row by name, of what owns time."""
    owners = {index for index, track in enumerate(profile.tracks) if track.role in {TrackRole.THREAD, TrackRole.STREAM}}
    return {profile.names[profile.spans.name[row]]: row for row in range(len(profile.spans)) if int(profile.spans.track[row]) in owners}


def test_nodes_become_spans_on_lanes_where_nothing_overlaps() -> None:
    profile = profile_of(example())
    row = rows(profile)
    spans = profile.spans
    assert [(int(spans.start[row[name]]), int(spans.end[row[name]])) for name in ("a", "scope/b", "c")] == [
        (0, 10_000), (2_000, 22_000), (10_000, 15_000),
    ]  # fmt: skip
    assert spans.track[row["a"]] == spans.track[row["c"]] != spans.track[row["scope/b"]]
    assert (spans.parent == -1).all()
    assert profile.base_ns == EPOCH * 1000
    assert profile.framework == "TensorFlow"


def test_the_label_tells_what_really_ran() -> None:
    profile = profile_of(example())
    op = profile.ops[profile.spans.op[rows(profile)["scope/b"]]]
    assert (op.name, op.type, op.scope, op.eager) == ("scope/b", "_FusedMatMul", "scope", False)


def test_kinds_and_roles() -> None:
    profile = profile_of(example())
    row = rows(profile)
    kinds = {name: SpanKind(int(profile.spans.kind[at])) for name, at in row.items()}
    assert kinds == {"a": SpanKind.OP, "scope/b": SpanKind.OP, "c": SpanKind.INPUT, "k": SpanKind.KERNEL, "m": SpanKind.COPY}
    assert Counter(track.role for track in profile.tracks) == {TrackRole.THREAD: 2, TrackRole.DERIVED: 1, TrackRole.STREAM: 1}
    assert profile.copies.direction.tolist() == [CopyDirection.HOST_TO_DEVICE]
    assert [(found.kind, found.ordinal) for found in profile.devices] == [("GPU", 0)]


def test_what_comes_from_other_devices_and_hosts_is_communication() -> None:
    nodes = [
        node(b"RecvTensor", b"[4B] edge_7_w from /job:ps/task:0 to /job:worker/task:0", 0, 10),
        node(b"w/_1", b"w/_1 = _Recv()", 20, 5),
        node(b"sum", b"sum = CollectiveReduceV2(w)", 30, 5),
        node(b"h", b"h = HorovodAllreduce(w)", 40, 5),
        node(b"mean", b"mean = Mean(w)", 50, 5),
    ]
    profile = profile_of(run_metadata(device(CPU, *nodes)))
    table = profile.collectives
    found = {profile.names[profile.spans.name[row]]: profile.names[name] for row, name in zip(table.row, table.name, strict=True)}
    assert found == {"RecvTensor": "recv", "w/_1": "recv", "sum": "allreduce", "h": "allreduce"}


def test_allocations_hang_on_their_node() -> None:
    profile = profile_of(example())
    found = profile.allocations
    assert list(zip(found.time.tolist(), found.bytes.tolist(), strict=True)) == [(3_000, 64), (9_000, -64)]
    assert found.row.tolist() == [rows(profile)["scope/b"]] * 2
    assert [profile.names[at] for at in found.op] == ["scope/b"] * 2


def test_it_is_recognised_by_content_alone(tmp_path: Path) -> None:
    path = tmp_path / "anything.dat"
    path.write_bytes(example())
    (profile,) = open_profile(str(path))
    assert profile.format == FORMAT.id
    for head in (b"", b"\x0a", b"\x0a\x02\x08\x01"):
        assert not FORMAT.sniff(head, "run_metadata.pb")


def test_cut_short_anywhere_it_is_a_part_or_one_sentence() -> None:
    data = example()
    whole = len(profile_of(data).spans)
    for length in range(len(data)):
        try:
            profile = profile_of(data[:length])
        except BadInput:
            continue
        assert len(profile.spans) <= whole
        assert "truncated" in {note.code for note in profile.notes}


@pytest.mark.parametrize(
    "wild",
    [
        eb.integer(2, (1 << 63) - 1) + eb.integer(4, 5),
        eb.integer(2, EPOCH) + eb.integer(4, (1 << 63) - 1),
        eb.integer(2, (1 << 64) - 5) + eb.integer(4, 5),
        eb.integer(13, (1 << 63) - 1) + eb.integer(15, 1 << 62),
    ],
)
def test_times_that_cannot_be_cost_that_node(wild: bytes) -> None:
    data = run_metadata(device(CPU, eb.message(2, eb.message(1, b"wild"), wild), node(b"good", b"good = NoOp()", 0, 3)))
    profile = profile_of(data)
    assert [profile.names[at] for at in profile.spans.name] == ["good"]


def test_limits_are_kept() -> None:
    data = run_metadata(device(CPU, *(node(f"n{i}".encode(), b"", i * 10, 5) for i in range(100))))
    profile = read_bytes(data, "x", Limits(spans=10))
    assert len(profile.spans) == 10
    assert "dropped_events" in {note.code for note in profile.notes}


@pytest.mark.peers
def test_the_real_thing(tmp_path: Path, run_in_peers: Callable[..., Any]) -> None:
    nodes = run_in_peers(HERE / "session_run.py", tmp_path)
    (profile,) = open_profile(str(tmp_path / "run_metadata.pb"))
    spans, names = profile.spans, profile.names
    got = Counter(
        (names[spans.name[row]], int(spans.start[row]) + profile.base_ns, int(spans.end[row]) + profile.base_ns)
        for row in range(len(spans))
    )
    assert got == Counter((each["name"], each["start"], each["end"]) for each in nodes)
    shapes = {names[spans.name[row]]: names[spans.shape[row]] if spans.shape[row] >= 0 else "" for row in range(len(spans))}
    assert shapes == {each["name"]: each["shapes"] for each in nodes}
    found = profile.allocations
    allocated = Counter(
        (names[found.allocator[at]], int(found.time[at]) + profile.base_ns, int(found.bytes[at])) for at in range(len(found.time))
    )
    assert allocated == Counter(tuple(each) for one in nodes for each in one["allocations"])
    assert allocated


@needs("tf1_run_metadata")
def test_the_sample_has_the_times_of_tfprof() -> None:
    totals: Counter[str] = Counter()
    for step in ("009", "019"):
        (profile,) = open_profile(str(SAMPLES / "tf1_run_metadata" / f"run_metadata_step{step}.pb"))
        spent = profile.spans.end - profile.spans.start
        assert len(profile.spans) == (83 if step == "019" else len(profile.spans))
        for row in np.flatnonzero(spent):
            totals[profile.ops[profile.spans.op[row]].type] += int(spent[row])
    # tfprof credits the fused convolution to the node that carries its name, and averages both steps: 3.03 ms.
    assert totals["_MklNativeFusedConv2D"] / 2 / 1e6 == pytest.approx(3.03, abs=0.01)
