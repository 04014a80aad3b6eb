"""Which steps a user wants profiled: from numbers, ranges, text or a schedule to one question, `wants(step)`."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from operator import index
from typing import Any, SupportsIndex, cast

Steps = str | int | range | Iterable[int] | Callable[[int], object]
MOST_RANGES = 1_000
_RECORDS = 2
"""torch.profiler.ProfilerAction: 2 and 3 record, 0 and 1 do not."""


class StepChoice:
    """A union of ranges of steps, or a schedule that is asked about each one."""

    def __init__(self, ranges: list[tuple[int, int]], schedule: Callable[[int], object] | None = None) -> None:
        """Ranges contain both of their ends."""
        self.ranges = _joined(ranges)
        self._schedule = schedule

    def wants(self, step: int) -> bool:
        """Whether this step is to be profiled."""
        if self._schedule is not None:
            action = self._schedule(step)
            level = getattr(action, "value", None)
            return level >= _RECORDS if isinstance(level, int) else bool(action)
        for first, last in self.ranges:  # noqa: SIM110 (a profiler of Python functions would record every turn of any())
            if first <= step <= last:
                return True
        return False

    def missed(self, first: int | None, last: int | None) -> list[tuple[int, int]]:
        """What was chosen outside of the steps that ran."""
        if first is None or last is None:
            return self.ranges
        before = [(start, min(end, first - 1)) for start, end in self.ranges if start < first]
        after = [(max(start, last + 1), end) for start, end in self.ranges if end > last]
        return _joined(before + after)


def step_choice(steps: Steps, name: str = "steps") -> StepChoice:
    """Reads `10`, `"10-20"`, `"1,10,100-120"`, `[1, 10, 100]`, `range(10, 21)`, or a function from a step to whether it is wanted.

    A function may return a truth value, or torch.profiler's actions as torch.profiler.schedule does. Raises ValueError.
    """
    if callable(steps):
        return StepChoice([], steps)
    try:
        ranges = _from_text(steps) if isinstance(steps, str) else _from_numbers(steps)
    except (TypeError, ValueError):
        ranges = []
    if not ranges or any(first < 0 or last < first for first, last in ranges):
        raise ValueError(f'Give {name} as "10-20", "1,10,100", a number, a list of numbers or a function, not as {steps!r}.')
    if len(ranges) > MOST_RANGES:
        raise ValueError(f"Give {name} as at most {MOST_RANGES} ranges; these are {len(ranges)}.")
    return StepChoice(ranges)


def text_of(ranges: list[tuple[int, int]]) -> str:
    """As users write it: 1, 10–20."""
    return ", ".join(str(first) if first == last else f"{first}–{last}" for first, last in ranges)


def _from_text(text: str) -> list[tuple[int, int]]:
    found: list[tuple[int, int]] = []
    for part in text.split(","):
        first, dash, last = part.strip().partition("-")
        found.append((int(first), int(last) if dash else int(first)))
    return found


def _from_numbers(steps: object) -> list[tuple[int, int]]:
    if isinstance(steps, range) and steps.step == 1:
        return [(steps.start, steps.stop - 1)]
    numbers = cast("Iterable[Any]", steps) if isinstance(steps, Iterable) else [steps]
    found = [index(cast("SupportsIndex", number)) for number in numbers]
    return _joined([(number, number) for number in found])


def _joined(ranges: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """In order, with neighbours as one."""
    found: list[tuple[int, int]] = []
    for first, last in sorted(ranges):
        if found and first <= found[-1][1] + 1:
            found[-1] = (found[-1][0], max(found[-1][1], last))
        else:
            found.append((first, last))
    return found
