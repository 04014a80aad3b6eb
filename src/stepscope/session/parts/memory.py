"""Memory of devices and host: its peak and what holds it, whether it grows, and what compilers have planned."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated

from msgspec import Meta

from stepscope.analyses.memory.growth import memory_growth
from stepscope.analyses.memory.held import memory
from stepscope.analyses.memory.timeline import StackedBy
from stepscope.analyses.steps import find_steps
from stepscope.model import declared as d
from stepscope.session.limits import limited
from stepscope.session.part import Answer, Files, Part, Wanted
from stepscope.session.parts.memory_devices import DeviceMemory, Rows, device_memory
from stepscope.session.parts.memory_programs import ProgramMemoryRow, planned
from stepscope.session.parts.memory_texts import how_to_record

if TYPE_CHECKING:
    from stepscope.session.analysed import AnalysedSession

POINTS = 600


class MemoryWanted(Wanted, frozen=True, kw_only=True):
    """Recorded or planned memory, and which rows and layers of it."""

    programs: Annotated[
        bool, d.flag("Whether to answer what compilers have planned for XLA programs instead of what was recorded.")
    ] = False
    by: Annotated[StackedBy | None, d.text("What makes a layer of the timeline; null: the best there is.")] = None
    scope: Annotated[
        str, Meta(max_length=1_000, description="Only rows with an operation, module or program that starts with this.")
    ] = ""
    min_bytes: Annotated[int, Meta(ge=0, description="Only rows of at least this many bytes.")] = 0
    limit: Annotated[
        int, Meta(ge=0, le=1 << 40, description="Most programs, and most rows of `at_peak`, to answer; 0: all of them.")
    ] = 0
    points: Annotated[int, Meta(ge=2, le=100_000, description="Number of points of a timeline or plan.")] = POINTS


class Memory(Answer, frozen=True, kw_only=True):
    """Memory of devices and host, or of compiled programs."""

    devices: Annotated[list[DeviceMemory], d.nested("Recorded memory of each worker, devices before the host.")]
    programs: Annotated[list[ProgramMemoryRow], d.nested("Compiled programs, most memory first; empty unless `programs` is asked for.")]
    total: Annotated[int, d.count("Number of programs, of which at most `limit` are listed; otherwise the number of devices.")]
    notes: Annotated[list[str], d.nested("How to record memory when there is none, or which programs could not be read.")]


def _make(session: AnalysedSession, wanted: MemoryWanted) -> Memory:
    return _planned(session, wanted) if wanted.programs else _recorded(session, wanted)


def _recorded(session: AnalysedSession, wanted: MemoryWanted) -> Memory:
    rows = Rows(wanted.by, wanted.scope, wanted.min_bytes, wanted.limit, wanted.points)
    # Recordings of time come before files that record memory alone.
    places = sorted(range(len(session.profiles)), key=lambda place: not len(session.profiles[place].spans))
    devices = [device for place in places for device in _of_worker(session, place, rows)]
    notes = [] if devices else [how_to_record(session.profiles[places[0]])]
    return Memory(devices=devices, programs=[], total=len(devices), notes=notes)


def _of_worker(session: AnalysedSession, place: int, rows: Rows) -> Iterator[DeviceMemory]:
    """The memories of one worker; files that record memory alone have no steps."""
    profile = session.profiles[place]
    steps = find_steps(profile, session.steps_by) if len(profile.spans) else None
    uses = memory(profile, steps)
    several = bool(uses) and steps is not None and len(steps) > 1
    growths = {each.name: each for each in memory_growth(profile, session.breakdown(place))} if several else {}
    for use in uses:
        yield device_memory(profile, use, growths.get(use.ledger.name), rows, session.whose(place))


def _planned(session: AnalysedSession, wanted: MemoryWanted) -> Memory:
    found: list[ProgramMemoryRow] = []
    notes: list[str] = []
    for place in range(len(session.profiles)):
        plans, problems = session.plans(place)
        whose = session.whose(place)
        found += [planned(plan, wanted.limit, wanted.points, whose) for plan in plans if plan.name.startswith(wanted.scope)]
        notes += [note.text for note in problems]
    found = [row for row in found if row.total_bytes >= wanted.min_bytes]
    found.sort(key=lambda row: (-row.total_bytes, row.name))
    return Memory(devices=[], programs=limited(found, wanted.limit), total=len(found), notes=notes)


MEMORY = Part("memory", "Memory", MemoryWanted, Memory, _make, files=Files.MEMORY, kept=True)
