"""A user's own list of names that communicate: its lines, its mistakes, and what it makes of a profile."""

from __future__ import annotations

from pathlib import Path

import pytest

from analyses.timeline import Timeline
from stepscope.formats.collective_names import VARIABLE, NameRule, read_rules, with_rules
from stepscope.ingest.profile_reading import ProfileReading
from stepscope.model.errors import BadInput, NotThere
from stepscope.model.profile import Profile, SpanKind


def profile() -> Profile:
    builder = Timeline().draw(
        "main   1111111\nmain   oo\ngpu 0  KKLLCC", K="my_ring_exchange<4>", L="gemm", C="ncclKernel", o="ring_op"
    )
    next(span for span in builder.spans if span.kind == SpanKind.COLLECTIVE).collective = ("world", 8, 3)
    return builder.build()


def kinds(found: Profile) -> dict[str, str]:
    return {found.names[name]: SpanKind(kind).name for name, kind in zip(found.spans.name, found.spans.kind, strict=True)}


def collectives(found: Profile) -> list[tuple[str, str, int]]:
    table, names = found.collectives, found.names
    return [
        (names[found.spans.name[row]], names[name], int(size))
        for row, name, size in zip(table.row, table.name, table.group_size, strict=True)
    ]


def test_a_name_of_the_user_communicates() -> None:
    found = with_rules(profile(), [NameRule("allgather", "MY_ring*")])
    assert kinds(found)["my_ring_exchange<4>"] == "COLLECTIVE"
    assert collectives(found) == [("my_ring_exchange<4>", "allgather", -1), ("ncclKernel", "ncclKernel", 8)]
    assert kinds(found)["gemm"] == "KERNEL"


def test_an_operation_of_a_thread_may_communicate_too() -> None:
    assert kinds(with_rules(profile(), [NameRule("send", "ring_op")]))["ring_op"] == "COLLECTIVE"


def test_what_the_formats_know_can_be_taken_back_or_renamed() -> None:
    gone = with_rules(profile(), [NameRule("none", "nccl*")])
    assert (kinds(gone)["ncclKernel"], collectives(gone)) == ("KERNEL", [])
    assert collectives(with_rules(profile(), [NameRule("alltoall", "nccl*")])) == [("ncclKernel", "alltoall", 8)]


def test_the_first_rule_that_fits_decides() -> None:
    rules = [NameRule("none", "*exchange*"), NameRule("allreduce", "my_*")]
    assert kinds(with_rules(profile(), rules))["my_ring_exchange<4>"] == "KERNEL"


def test_steps_stay_steps_whatever_a_rule_says() -> None:
    assert kinds(with_rules(profile(), [NameRule("allreduce", "*")]))["ProfilerStep#1"] == "MARKER"


def test_lines_of_a_file(tmp_path: Path) -> None:
    path = tmp_path / "names.txt"
    path.write_text("# ours\nallreduce  my_ring*   # the fast one\n\nnone nccl probe\n")
    assert read_rules(str(path)) == (NameRule("allreduce", "my_ring*"), NameRule("none", "nccl probe"))


@pytest.mark.parametrize("line", ["allreduce", "sum *ring*", "*ring*"])
def test_a_line_that_is_no_rule_is_said(tmp_path: Path, line: str) -> None:
    path = tmp_path / "names.txt"
    path.write_text(f"allreduce good*\n{line}\n")
    with pytest.raises(BadInput, match=r"Line 2 of .* must be a kind and a pattern"):
        read_rules(str(path))


def test_a_file_that_is_not_there() -> None:
    with pytest.raises(NotThere, match="does not exist"):
        read_rules("/no/such/names.txt")


def test_the_environment_names_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    names, trace = tmp_path / "names.txt", tmp_path / "run.pt.trace.json"
    names.write_text("broadcast my_*\n")
    event = '{"ph": "X", "cat": "kernel", "name": "my_kernel", "pid": 0, "tid": 7, "ts": 1, "dur": 5, "args": {"stream": 7}}'
    trace.write_text(f'{{"schemaVersion": 1, "traceEvents": [{event}]}}')
    assert kinds(ProfileReading(cache=False).read(str(trace)))["my_kernel"] == "KERNEL"
    monkeypatch.setenv(VARIABLE, str(names))
    assert collectives(ProfileReading(cache=False).read(str(trace))) == [("my_kernel", "broadcast", -1)]
