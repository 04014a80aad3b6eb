"""Every real trace against a plain reading of it, and what is known about some of them."""

from __future__ import annotations

import json
import tarfile
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from formats.kineto.oracle import assert_equal_to_torch, load, totals_of, totals_of_profile
from formats.kineto.trace_events import codes, names_of
from sample_files import LISTED, needs
from stepscope.formats.format import Limits
from stepscope.formats.kineto.arguments import read_event
from stepscope.formats.kineto.read import read
from stepscope.model.profile import CopyDirection, MemoryKind, Profile, SpanKind, TrackPurpose, TrackRole

LARGE = 1_000_000
ALL = [name for name in sorted(LISTED) if name.startswith("kineto/") and ".json" in name and "key_averages" not in name]


def each(names: list[str]) -> list[object]:
    """Samples as parameters, each of which needs only itself."""
    return [pytest.param(name.removeprefix("kineto/"), marks=needs(name)) for name in names]


def open_sample(samples: Path, pattern: str) -> Profile:
    """Reads the only (or first) sample of that name."""
    return read(str(min(samples.glob(pattern))), Limits())


def test_there_are_samples() -> None:
    assert len(ALL) > 25


@pytest.mark.slow
@pytest.mark.parametrize("name", each([name for name in ALL if LISTED[name].bytes < LARGE]))
def test_counts_and_totals_by_name_are_those_of_the_file(samples: Path, name: str) -> None:
    profile = read(str(samples / name), Limits())
    assert totals_of_profile(profile) == totals_of(load(samples / name))


@pytest.mark.slow
@pytest.mark.parametrize("name", each([name for name in ALL if LISTED[name].bytes >= LARGE]))
def test_counts_by_name_of_large_files(samples: Path, name: str) -> None:
    profile = read(str(samples / name), Limits())
    expected = Counter(event["name"] for event in load(samples / name, exact=False)["traceEvents"] if event.get("ph") == "X")
    found, counts = np.unique(profile.spans.name, return_counts=True)
    assert {profile.names[one]: int(n) for one, n in zip(found, counts, strict=True)} == expected


@pytest.mark.slow
@pytest.mark.parametrize("name", each(ALL))
def test_rows_are_sorted_nested_and_linked(samples: Path, name: str) -> None:
    spans = read(str(samples / name), Limits()).spans
    child = np.flatnonzero(spans.parent >= 0)
    parent = spans.parent[child]
    assert (spans.track[parent] == spans.track[child]).all()
    assert (spans.start[parent] <= spans.start[child]).all()
    assert (spans.end[parent] >= spans.end[child]).all()
    same_track = spans.track[1:] == spans.track[:-1]
    assert (np.diff(spans.start)[same_track] >= 0).all()
    assert (np.diff(spans.track) >= 0).all()


@needs("kineto/resnet50_workers0", "kineto/resnet50_workers4")
@pytest.mark.parametrize("name", ["resnet50_workers0", "resnet50_workers4"])
def test_the_oldest_schema_has_steps_loader_kernels_and_memory(samples: Path, name: str) -> None:
    profile = open_sample(samples, f"{name}/*")
    assert profile.markers.number.tolist() == [5, 6, 7, 8, 9, 10]
    assert len(names_of(profile, SpanKind.INPUT)) == 6
    assert (profile.spans.cause[profile.kernels.row] >= 0).all()
    assert len(profile.allocations.time) > 10_000
    assert profile.devices[0].name == "Tesla V100-DGXS-32GB"
    purposes = {track.purpose for track in profile.tracks if track.role is TrackRole.THREAD}
    assert purposes == {TrackPurpose.MAIN, TrackPurpose.BACKWARD}
    assert {(int(one), int(two)) for one, two in zip(profile.copies.direction, profile.copies.source_memory, strict=True) if one} == {
        (CopyDirection.HOST_TO_DEVICE, MemoryKind.PAGEABLE)
    }


@needs("kineto/hta/trace_diff/test")
def test_a_graph_launch_is_the_cause_of_many_kernels(samples: Path) -> None:
    profile = open_sample(samples, "hta/trace_diff/test/*")
    causes = profile.spans.cause[profile.kernels.row]
    launches = [profile.names[profile.spans.name[row]] for row in np.unique(causes[causes >= 0])]
    most = np.unique(causes[causes >= 0], return_counts=True)[1].max()
    assert "cudaGraphLaunch" in launches
    assert most > 10


@needs("kineto/tracelens/mi300")
def test_unlinked_kernels_are_kept_and_told(samples: Path) -> None:
    profile = open_sample(samples, "tracelens/mi300/*")
    streams = np.array([track.role is TrackRole.STREAM for track in profile.tracks])[profile.spans.track]
    assert int((profile.spans.cause[streams] < 0).sum()) == 968
    assert "unlinked" in codes(profile)


@needs("kineto/tracelens/mi300")
def test_rccl_kernels_are_collectives(samples: Path) -> None:
    profile = open_sample(samples, "tracelens/mi300/*")
    rows = profile.collectives.row
    assert len(rows) == 17
    assert round(float((profile.spans.end[rows] - profile.spans.start[rows]).sum()) / 1e6, 1) == 71.5


@needs("kineto/tracelens/b200")
def test_symmetric_memory_kernels_are_collectives(samples: Path) -> None:
    profile = open_sample(samples, "tracelens/b200/*")
    assert {profile.names[name] for name in profile.collectives.name} >= {"allreduce"}
    assert any("multimem_all_reduce" in name for name in names_of(profile, SpanKind.COLLECTIVE))


@needs("kineto/tracelens/b200")
def test_projected_annotations_own_no_stream_time(samples: Path) -> None:
    profile = open_sample(samples, "tracelens/b200/*")
    for track in profile.tracks:
        if track.role is TrackRole.STREAM:
            kinds = set(profile.spans.kind[track.first_row : track.last_row].tolist())
            assert SpanKind.ANNOTATION not in kinds


@needs("kineto/hta/nccl_parser_config")
def test_collective_metadata(samples: Path) -> None:
    profile = open_sample(samples, "hta/nccl_parser_config/*")
    table = profile.collectives
    assert len(table.row) == 21
    assert {profile.names[one] for one in table.name} == {"allreduce", "broadcast"}
    assert set(table.group_size.tolist()) == {2}
    assert 6637568 * 4 in table.in_bytes.tolist()
    assert "Float" in {profile.names[one] for one in table.dtype}


@needs("kineto/torch213_ddp_gloo")
def test_gloo_runs_on_its_own_threads(samples: Path) -> None:
    profile = open_sample(samples, "torch213_ddp_gloo/rank1*")
    assert (profile.rank, profile.world_size) == (1, 2)
    assert len(profile.collectives.row) == 16
    assert 525312 * 4 in profile.collectives.in_bytes.tolist()
    assert set(profile.collectives.group_size.tolist()) == {2}
    threads = {profile.tracks[profile.spans.track[row]].purpose for row in profile.collectives.row}
    assert threads == {TrackPurpose.COMMUNICATION}


@needs("kineto/torch213_cpu/workers0_stack")
def test_the_loader_of_current_torch_is_input(samples: Path) -> None:
    profile = open_sample(samples, "torch213_cpu/workers0_stack/*")
    rows = np.flatnonzero(profile.spans.kind == SpanKind.INPUT)
    lasted = profile.spans.end[rows] - profile.spans.start[rows]
    assert len(rows) == 3
    assert (lasted > 50e6).all()
    assert (lasted < 60e6).all()


@needs("kineto/dlrm_8ranks")
def test_eight_ranks_end_their_collectives_together(samples: Path, tmp_path: Path) -> None:
    with tarfile.open(samples / "dlrm_8ranks" / "dlrm_kineto.tar.gz") as packed:
        packed.extractall(tmp_path, filter="data")
    profiles = [read(str(path), Limits()) for path in sorted(tmp_path.rglob("*.json"))]
    assert sorted(profile.rank for profile in profiles) == list(range(8))
    ends = [np.sort(profile.spans.end[profile.collectives.row]) + profile.base_ns for profile in profiles]
    assert len({len(one) for one in ends}) == 1
    skew = np.ptp(np.array(ends), axis=0)
    assert len(ends[0]) > 3
    assert int(np.median(skew)) <= 7_000


@pytest.mark.parametrize("pattern", ["resnet50_workers0/*", "hta/call_stack/*"])
def test_the_raw_event_of_a_row_can_be_read_again(samples: Path, pattern: str) -> None:
    path = str(min(samples.glob(pattern)))
    profile = read(path, Limits())
    for row in range(0, len(profile.spans), max(1, len(profile.spans) // 20)):
        event = read_event(path, int(profile.spans.source[row]))
        assert event["name"] == profile.names[profile.spans.name[row]]


@needs("kineto/torch213_cpu")
def test_torch_itself_counts_and_times_the_same(samples: Path) -> None:
    profile = open_sample(samples, "torch213_cpu/oneshot.json.gz")
    table = json.loads((samples / "torch213_cpu" / "oneshot_key_averages_by_shape.json").read_text())
    rows = [{"key": row["key"], "shapes": row["shapes"], "count": row["count"], "total_us": row["cpu_time_total"]} for row in table]
    assert_equal_to_torch(profile, rows)
