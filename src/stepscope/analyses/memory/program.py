"""What a compiled program needs of memory before it runs: by use, and in program order who needs it where it needs most."""

from __future__ import annotations

from dataclasses import dataclass

from stepscope.model.program_buffers import BufferUse, HeapAction, HeapEvent, ProgramBuffers


@dataclass(frozen=True, slots=True)
class ProgramMemory:
    """One program. `level` is in bytes after each event of the largest plan; its peak is what temporaries need, before gaps."""

    name: str
    bytes_of: dict[BufferUse, int]
    aliased_bytes: int  # parameters whose memory outputs take over: needed once
    level: tuple[int, ...]
    peak: int  # place of the highest level, -1 without a plan
    peak_instruction: str
    at_peak: tuple[tuple[str, int], ...]  # instructions and bytes of what is held there, most first

    @property
    def total_bytes(self) -> int:
        """Everything but what threads have on their stacks."""
        return sum(size for use, size in self.bytes_of.items() if use is not BufferUse.THREAD_LOCAL)

    @property
    def peak_bytes(self) -> int:
        """Of the plan, 0 without one."""
        return self.level[self.peak] if self.level else 0


def program_memory(plan: ProgramBuffers) -> ProgramMemory:
    """The sums of its allocations, and a replay of its largest plan."""
    bytes_of = dict.fromkeys(BufferUse, 0)
    for one in plan.allocations:
        bytes_of[one.use] += one.bytes
    aliased = sum(one.bytes for one in plan.allocations if one.aliased)
    events, level = list[HeapEvent](), tuple[int, ...]()
    for one in plan.plans:
        replayed = _levels(plan, one)
        if max(replayed, default=0) > max(level, default=0):
            events, level = one, replayed
    if not level:
        return ProgramMemory(plan.name, bytes_of, aliased, (), -1, "", ())
    peak = max(range(len(level)), key=level.__getitem__)
    heap = _Heap(plan)
    for event in events[: peak + 1]:
        heap.apply(event)
    return ProgramMemory(plan.name, bytes_of, aliased, level, peak, events[peak].instruction, heap.held())


def _levels(plan: ProgramBuffers, events: list[HeapEvent]) -> tuple[int, ...]:
    heap = _Heap(plan)
    return tuple(heap.apply(event) for event in events)


class _Heap:
    """Replays a plan. Buffers that share memory count once, for as long as any of them is there."""

    def __init__(self, plan: ProgramBuffers) -> None:
        self._plan = plan
        self._users: dict[int, int] = {}
        self._owner: dict[int, int] = {}
        self._total = 0

    def apply(self, event: HeapEvent) -> int:
        """Bytes held after it."""
        if event.action is HeapAction.GIVE_BACK:
            self._give_back(self._owner.pop(event.buffer, event.buffer))
            return self._total
        taken = event.buffer
        if event.action is HeapAction.SHARE:
            taken = self._owner.get(event.shared_with, event.shared_with)
            self._owner[event.buffer] = taken
        self._users[taken] = self._users.get(taken, 0) + 1
        if self._users[taken] == 1:
            self._total += self._size(taken)
        return self._total

    def held(self) -> tuple[tuple[str, int], ...]:
        """Instructions and bytes of what is there, most first."""
        rows = [(self._plan.buffers[number].instruction, self._size(number)) for number in self._users if number in self._plan.buffers]
        return tuple(sorted(rows, key=lambda row: (-row[1], row[0])))

    def _give_back(self, owner: int) -> None:
        if owner not in self._users:
            return
        self._users[owner] -= 1
        if self._users[owner] == 0:
            del self._users[owner]
            self._total -= self._size(owner)

    def _size(self, number: int) -> int:
        found = self._plan.buffers.get(number)
        return found.bytes if found else 0
