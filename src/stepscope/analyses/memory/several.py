"""Memory of several profiles of one run, such as those of steps 1, 10 and 100: the peak of each, and who holds more of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from stepscope.analyses.memory.held import MemoryUse, memory
from stepscope.analyses.memory.timeline import StackedBy
from stepscope.analyses.steps import find_steps
from stepscope.model.profile import MarkerFamily, Profile


@dataclass(frozen=True, slots=True)
class HeldInEach:
    """What one operation, module or kind held at the peak of each profile; None where the profile has nothing of this memory."""

    name: str
    bytes: tuple[int | None, ...]

    @property
    def change(self) -> int:
        """From the first profile that has this memory to the last."""
        known = [size for size in self.bytes if size is not None]
        return known[-1] - known[0] if known else 0


@dataclass(frozen=True, slots=True)
class MemoryOfEach:
    """One memory; rows with the largest change come first."""

    name: str
    peaks: tuple[int | None, ...]
    rows: tuple[HeldInEach, ...]


def first_step(profiles: Sequence[Profile]) -> int | None:
    """The number of the first step that a session records, where its steps are numbered."""
    found = [find_steps(profile) for profile in profiles if len(profile.spans)]
    numbered = [steps for steps in found if steps.source.family in (MarkerFamily.PROFILER_STEP, MarkerFamily.STEP_NUM)]
    return min((int(steps.number[0]) for steps in numbered), default=None)


def memory_of_each(sessions: Sequence[Sequence[Profile]], by: StackedBy = StackedBy.OP) -> list[MemoryOfEach]:
    """Every memory that at least two of the sessions record."""
    found = [{use.ledger.name: use for profile in session for use in _uses(profile)} for session in sessions]
    names = dict.fromkeys(name for uses in found for name in uses)
    shared = [name for name in names if sum(name in uses for uses in found) > 1]
    return [_compared(name, [uses.get(name) for uses in found], by) for name in shared]


def _uses(profile: Profile) -> list[MemoryUse]:
    return list(memory(profile, find_steps(profile) if len(profile.spans) else None))


def _compared(name: str, uses: Sequence[MemoryUse | None], by: StackedBy) -> MemoryOfEach:
    held = [None if use is None else _sums(use, by) for use in uses]
    groups = dict.fromkeys(group for sums in held if sums is not None for group in sums)
    rows = [HeldInEach(group, tuple(None if sums is None else sums.get(group, 0) for sums in held)) for group in groups]
    rows.sort(key=lambda row: (-abs(row.change), -max(size or 0 for size in row.bytes), row.name))
    return MemoryOfEach(name, tuple(None if use is None else use.peak_bytes for use in uses), tuple(rows))


def _sums(use: MemoryUse, by: StackedBy) -> dict[str, int]:
    """Bytes at the peak; what has no module or kind goes by its operation."""
    sums: dict[str, int] = {}
    for row in use.at_peak:
        group = {StackedBy.OP: row.op, StackedBy.MODULE: row.module, StackedBy.KIND: row.kind}[by] or row.op
        sums[group] = sums.get(group, 0) + row.bytes
    return sums
