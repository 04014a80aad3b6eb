"""Drawn trainings for every rule: what it says of each, and the gain that can be counted in the picture."""

from __future__ import annotations

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
    """What one rule says of a training; `share` is the gain that can be counted in the picture."""

    rule: str
    verdict: Verdict
    make: Make
    says: str
    share: float | None = None
    cores: int | None = None
    programs: Programs | None = None

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
    fires(
        "input_bound", lambda: repeated("main: iiil......; gpu 0: ....KKKKKK"), "30 % of a step, 3 ms, the device waits for input.", 0.3
    ),
    quiet("input_bound", lambda: repeated("main: liii......; gpu 0: .KKKKKKKKK"), "Input is loaded beside the step."),
    cannot_tell("input_bound", lambda: repeated(BUSY), "No call that fetches the next batch was recorded."),
    fires(
        "host_bound",
        lambda: repeated("main: ol.ol.ol.; gpu 0: ..K..K..K"),
        "67 % of a step the device waits while the host prepares the next launch.",
        6 / 9,
    ),
    quiet(
        "host_bound",
        lambda: repeated("main: ol.l.l......; gpu 0: ..KKKLLLMMM."),
        "From launch to launch the host takes 2 ms, less than",
    ),
    cannot_tell("host_bound", lambda: repeated(UNLINKED), "The recording does not tell which call launched which kernel."),
    fires(
        "sync_inside_step",
        lambda: repeated("main: l.ssss..oool....; gpu 0: .KKKKK......KKKK"),
        "1 calls a step wait for the device, which is then idle for 6 ms, 38 % of the step.",
        6 / 16,
    ),
    quiet("sync_inside_step", lambda: repeated("main: l..........sssss; gpu 0: .KKKKKKKKKKKKKKK"), "No call inside a step waits"),
    cannot_tell("sync_inside_step", lambda: repeated(UNLINKED), "The recording does not tell which call launched which kernel."),
    fires(
        "communication_exposed",
        lambda: two_ranks([(50, 50)] * 5, transfer=20),
        "20 % of a step, 20 ms, data moves between ranks while nothing computes.",
        0.2,
    ),
    quiet("communication_exposed", lambda: two_ranks([(50, 50)] * 5, hidden=True), "There is no communication, or compute hides it."),
    cannot_tell("communication_exposed", lambda: two_ranks([(50, 50)] * 5)[:1], "10 % of a step is communication, but waiting for"),
    fires(
        "straggler",
        lambda: two_ranks([(20, 60)] * 5),
        "rank 1 needs 40 ms more than the others for its own work, mostly compute.",
        None,
    ),
    quiet(
        "straggler", lambda: two_ranks([(20, 60), (60, 20), (20, 60), (60, 20)]), "No rank is late in most steps; the most frequent one"
    ),
    cannot_tell("straggler", lambda: two_ranks([(20, 60)] * 5)[:1], "Only one rank of the job was recorded."),
    fires(
        "recompile",
        lambda: training(BUSY, BUSY, *["main: cccl......; gpu 0: ....KKKKKK"] * 4),
        "Compilation takes 30 % of the time after the first two steps, in 4 steps.",
        0.3,
    ),
    quiet("recompile", lambda: training("main: cccl......; gpu 0: ....KKKKKK", *[BUSY] * 5), "Nothing is compiled after the first two"),
    cannot_tell("recompile", lambda: repeated(BUSY, 2), "There are too few steps to tell the first from the others."),
    fires(
        "host_to_device_exposed",
        lambda: repeated("main: l.l.sssssso; gpu 0: .HHHKKKKKK."),
        "27 % of a step, 3 ms, the device only receives data.",
        3 / 11,
    ),
    quiet(
        "host_to_device_exposed",
        lambda: repeated("main: l.l.......; gpu 0/7: .KKKKKKKKK; gpu 0/8: ...HHHH"),
        "Copies to the device run beside compute, or there are none.",
    ),
    cannot_tell("host_to_device_exposed", without_direction, "30 % of a step is copying, and the recording does not tell in which"),
    fires(
        "matrix_units_unused", lambda: repeated(WAITED_FOR, names=SGEMM, **V100), "100 % of compute, 9 ms a step, are products on", None
    ),
    quiet("matrix_units_unused", lambda: repeated(BUSY, names=HGEMM, **V100), "100 % of compute is on matrix units, or is no product."),
    cannot_tell("matrix_units_unused", lambda: repeated(BUSY, names=SGEMM), "The recording does not name the device."),
    fires(
        "slow_steps",
        lambda: training(*[BUSY] * 3, HELD_UP, *[BUSY] * 2, HELD_UP, BUSY),
        "2 steps of 7 took 22 % of the time beyond what the others take, mostly in Python.",
        20 / 90,
    ),
    quiet(
        "slow_steps",
        lambda: training("main: wwwwwwl.........; gpu 0: .......KKKKKKKKK", *[BUSY] * 5),
        "Steps that are not typical cost",
    ),
    cannot_tell("slow_steps", lambda: repeated(BUSY, 4), "There are too few steps to tell slow ones from the others."),
    fires(
        "memory_growth",
        lambda: with_memory(repeated(BUSY), 1 << 20, 6, 10, capacity=1 << 30),
        "The memory of the device grows by 1 MiB a step, 98 % of it in 1,000 steps.",
        None,
    ),
    quiet("memory_growth", lambda: with_memory(repeated(BUSY), 1 << 10, 6, 10, capacity=1 << 40), "What is allocated at the ends of"),
    cannot_tell("memory_growth", lambda: repeated(BUSY), "Allocations were not recorded."),
    fires(
        "python_between_ops",
        lambda: repeated("main: pppl......; gpu 0: ....KKKKKK"),
        "30 % of a step, 3 ms, Python runs and nothing else does.",
        0.3,
    ),
    quiet("python_between_ops", lambda: repeated("main: oool......; gpu 0: ....KKKKKK"), "No Python works while the device waits."),
    cannot_tell(
        "python_between_ops", lambda: repeated("main: ...l......; gpu 0: ....KKKKKK"), "In 30 % of a step nothing that was traced"
    ),
    fires(
        "cores_exhausted",
        lambda: repeated(POOL),
        "For 4 ms of a step, 40 %, no thread works although the framework was called.",
        0.4,
        cores=1,
    ),
    quiet("cores_exhausted", lambda: repeated(POOL), "At most 1.2 threads work at once, and there are 8 cores.", cores=8),
    cannot_tell("cores_exhausted", lambda: repeated(BUSY), "Calls into the framework were not recorded"),
]
