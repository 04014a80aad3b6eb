"""What collectives reach of the link: bytes are counted as communication/sizes.py counts them, whatever the kind."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from analyses.timeline import Timeline
from stepscope.analyses.communication.links import link_use
from stepscope.model.profile import NONE, Collectives, Profile, SpanKind

MS = 1_000_000


def sent(kind: str, in_bytes: int, out_bytes: int, ranks: int, world_size: int = NONE, ms: int = 10) -> Profile:
    """One collective of so many milliseconds on an A100, whose link carries 300 GB/s."""
    line = Timeline()
    line.span("gpu 0", 0, ms * MS, SpanKind.COLLECTIVE, "nccl")
    profile = line.build()
    names = [*profile.names, kind]
    one32, one64 = np.zeros(1, np.int32), np.zeros(1, np.int64)
    table = Collectives(
        row=one32,
        name=one32 + len(names) - 1,
        group=one32 + NONE,
        group_size=one32 + ranks,
        sequence=one64 + NONE,
        in_bytes=one64 + in_bytes,
        out_bytes=one64 + out_bytes,
        dtype=one32 + NONE,
        peer=one32 + NONE,
    )
    devices = [replace(device, name="NVIDIA A100-SXM4-80GB") for device in profile.devices]
    return replace(profile, names=names, collectives=table, devices=devices, world_size=world_size)


@pytest.mark.parametrize(
    ("kind", "in_bytes", "out_bytes", "bus"),
    [
        # Four ranks gather 300 MB each: 1.2 GB in 10 ms are 120 GB/s, of which three quarters cross the slowest link.
        ("allgather", 300_000_000, 1_200_000_000, 90e9),
        ("allgather", 300_000_000, NONE, 90e9),
        ("reduce_scatter", 1_200_000_000, 300_000_000, 90e9),
        ("allreduce", 1_200_000_000, 1_200_000_000, 180e9),
        ("broadcast", 1_200_000_000, 1_200_000_000, 120e9),
    ],
)
def test_bus_bandwidth_follows_the_kind(kind: str, in_bytes: int, out_bytes: int, bus: float) -> None:
    found = link_use(sent(kind, in_bytes, out_bytes, ranks=4))
    assert found is not None
    assert (found.bus, found.share, found.row) == (pytest.approx(bus), pytest.approx(bus / 300e9), 0)


def test_the_job_stands_for_a_group_of_unknown_size() -> None:
    found = link_use(sent("allgather", 300_000_000, 1_200_000_000, ranks=NONE, world_size=4))
    assert found is not None
    assert found.bus == pytest.approx(90e9)
    assert link_use(sent("allgather", 300_000_000, 1_200_000_000, ranks=NONE)) is None


def test_small_and_nameless_collectives_tell_nothing() -> None:
    assert link_use(sent("allreduce", 999_999, 999_999, ranks=4)) is None
    assert link_use(sent("", 1_200_000_000, NONE, ranks=4)) is None
    nameless = sent("allreduce", 1_200_000_000, NONE, ranks=4)
    assert link_use(replace(nameless, devices=[replace(nameless.devices[0], name="")])) is None
