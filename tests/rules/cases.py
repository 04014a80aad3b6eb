"""Drawn trainings for every rule: what it says of each, and the gain that can be counted in the picture."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

from rules.pictures import Programs, finding, repeated, training, two_ranks, with_memory
from stepscope.model.profile import CopyDirection, Profile
from stepscope.rules.rule import Finding, Verdict

Make: TypeAlias = Callable[[], Profile | list[Profile]]

BUSY = "main: l.........; gpu 0: .KKKKKKKKK"
HELD_UP = "main: l.........pppppppppp; gpu 0: .KKKKKKKKK"
WAITED_FOR = "main: lssssssssso; gpu 0: .KKKKKKKKK."
HALF_IDLE = "main: ...l......; gpu 0: ....KKKKKK"
UNLINKED = "main: oossssoooo; gpu 0: ..KKKK...K"
V100: dict[str, Any] = {"device_facts": {"compute_capability": (7, 0)}}
SGEMM = {"K": "volta_sgemm_128x64_nn"}
HGEMM = {"K": "volta_h884gemm_256x64_ldg8_nn"}
POOL = "main: ffffffffff; pool 1: oooooo....; pool 2: oooooo...."


@dataclass(frozen=True)
class Case:
    """What one rule says of a training: values and words of its summary; `share` is the gain that can be counted in the picture."""

    rule: str
    verdict: Verdict
    make: Make
    says: str
    share: float | None = None
    cores: int | None = None
    programs: Programs | None = None

    def missing(self, summary: str) -> list[str]:
        """Which of the values and words, separated by commas, a summary lacks."""
        said = summary.replace(",", "")
        return [each for each in self.says.split(", ") if not re.search(rf"(?<![\w.]){re.escape(each)}", said, re.IGNORECASE)]

    def finding(self, *, bounds: bool = False) -> Finding:
        """What the rule says of it."""
        return finding(self.rule, self.make(), self.cores, bounds=bounds, programs=self.programs)


def fires(rule: str, make: Make, says: str, share: float | None, cores: int | None = None, programs: Programs | None = None) -> Case:
    return Case(rule, Verdict.FIRES, make, says, share, cores, programs)


def quiet(rule: str, make: Make, says: str, cores: int | None = None, programs: Programs | None = None) -> Case:
    return Case(rule, Verdict.QUIET, make, says, None, cores, programs)


def cannot_tell(rule: str, make: Make, says: str, cores: int | None = None) -> Case:
    return Case(rule, Verdict.CANNOT_TELL, make, says, None, cores)


def without_direction(picture: str = "main: l.l.......; gpu 0: .HHHKKKKKK") -> Profile:
    profile = repeated(picture)
    unknown = profile.copies.direction.copy()
    unknown[:] = CopyDirection.UNKNOWN
    return replace(profile, copies=replace(profile.copies, direction=unknown))


FIRST_CASES = [
    fires("input_bound", lambda: repeated("main: iiil......; gpu 0: ....KKKKKK"), "30%, 3 ms", 0.3),
    quiet("input_bound", lambda: repeated("main: liii......; gpu 0: .KKKKKKKKK"), "overlaps"),
    cannot_tell("input_bound", lambda: repeated(BUSY), "fetches a batch"),
    fires(
        "host_bound",
        lambda: repeated("main: ol.ol.ol.; gpu 0: ..K..K..K"),
        "67%",
        6 / 9,
    ),
    quiet(
        "host_bound",
        lambda: repeated("main: ol.l.l......; gpu 0: ..KKKLLLMMM."),
        "2 ms, launches",
    ),
    cannot_tell("host_bound", lambda: repeated(UNLINKED), "launches and kernels"),
    fires(
        "sync_inside_step",
        lambda: repeated("main: l.ssss..oool....; gpu 0: .KKKKK......KKKK"),
        "6 ms, 38%",
        6 / 16,
    ),
    quiet("sync_inside_step", lambda: repeated("main: l..........sssss; gpu 0: .KKKKKKKKKKKKKKK"), "no call"),
    cannot_tell("sync_inside_step", lambda: repeated(UNLINKED), "launches and kernels"),
    fires(
        "communication_exposed",
        lambda: two_ranks([(50, 50)] * 5, transfer=20),
        "20%, 20 ms",
        0.2,
    ),
    quiet("communication_exposed", lambda: two_ranks([(50, 50)] * 5, hidden=True), "no communication"),
    cannot_tell("communication_exposed", lambda: two_ranks([(50, 50)] * 5)[:1], "10%, transfer"),
    fires(
        "straggler",
        lambda: two_ranks([(20, 60)] * 5),
        "rank 1, 40 ms, compute",
        None,
    ),
    quiet("straggler", lambda: two_ranks([(20, 60), (60, 20), (20, 60), (60, 20)]), "no rank"),
    cannot_tell("straggler", lambda: two_ranks([(20, 60)] * 5)[:1], "only one rank"),
    fires(
        "recompile",
        lambda: training(BUSY, BUSY, *["main: cccl......; gpu 0: ....KKKKKK"] * 4),
        "30%",
        0.3,
    ),
    quiet("recompile", lambda: training("main: cccl......; gpu 0: ....KKKKKK", *[BUSY] * 5), "nothing, first two"),
    cannot_tell("recompile", lambda: repeated(BUSY, 2), "too few steps"),
    fires(
        "host_to_device_exposed",
        lambda: repeated("main: l.l.sssssso; gpu 0: .HHHKKKKKK."),
        "27%, 3 ms",
        3 / 11,
    ),
    quiet(
        "host_to_device_exposed",
        lambda: repeated("main: l.l.......; gpu 0/7: .KKKKKKKKK; gpu 0/8: ...HHHH"),
        "to the device, overlap",
    ),
    cannot_tell("host_to_device_exposed", without_direction, "30%, direction"),
    fires("matrix_units_unused", lambda: repeated(WAITED_FOR, names=SGEMM, **V100), "100%, 9 ms", None),
    quiet("matrix_units_unused", lambda: repeated(BUSY, names=HGEMM, **V100), "100%, Tensor Cores"),
    cannot_tell("matrix_units_unused", lambda: repeated(BUSY, names=SGEMM), "device name"),
    fires(
        "slow_steps",
        lambda: training(*[BUSY] * 3, HELD_UP, *[BUSY] * 2, HELD_UP, BUSY),
        "2 outlier steps of 7, 22%, Python",
        20 / 90,
    ),
    quiet(
        "slow_steps",
        lambda: training("main: wwwwwwl.........; gpu 0: .......KKKKKKKKK", *[BUSY] * 5),
        "outlier steps",
    ),
    cannot_tell("slow_steps", lambda: repeated(BUSY, 4), "too few steps"),
    fires(
        "memory_growth",
        lambda: with_memory(repeated(BUSY), 1 << 20, 6, 10, capacity=1 << 30),
        "1 MiB, 98%, 1000 steps",
        None,
    ),
    quiet("memory_growth", lambda: with_memory(repeated(BUSY), 1 << 10, 6, 10, capacity=1 << 40), "does not grow"),
    cannot_tell("memory_growth", lambda: repeated(BUSY), "allocations"),
    fires(
        "python_between_ops",
        lambda: repeated("main: pppl......; gpu 0: ....KKKKKK"),
        "30%, 3 ms",
        0.3,
    ),
    quiet("python_between_ops", lambda: repeated("main: oool......; gpu 0: ....KKKKKK"), "no Python"),
    cannot_tell("python_between_ops", lambda: repeated("main: ...l......; gpu 0: ....KKKKKK"), "30%, Python functions"),
    fires(
        "cores_exhausted",
        lambda: repeated(POOL),
        "4 ms, 40%",
        0.4,
        cores=1,
    ),
    quiet("cores_exhausted", lambda: repeated(POOL), "1.2 threads, 8 cores", cores=8),
    cannot_tell("cores_exhausted", lambda: repeated(BUSY), "framework calls"),
]
