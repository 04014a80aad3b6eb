"""An opened session: the profiles of its workers, what could not be read, and how to read more of the same files."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass, replace

from stepscope.model.hlo import HloProgram
from stepscope.model.profile import Note, Profile
from stepscope.model.program_buffers import ProgramBuffers
from stepscope.model.session import ProfileFile
from stepscope.queries.run_logs import RunLogs
from stepscope.store.profiles import ReadAttributes


@dataclass(frozen=True, slots=True)
class BrokenFile:
    """A worker whose file could not be read."""

    worker: str
    reason: str


@dataclass(frozen=True, slots=True)
class OpenedSession:
    """What every analysis starts from. `profiles` are ordered by rank; `files` and `workers` belong to them one by one."""

    id: str
    name: str
    time: float
    files: tuple[ProfileFile, ...]
    profiles: tuple[Profile, ...]
    broken: tuple[BrokenFile, ...]
    attributes: ReadAttributes
    check: Callable[[ProfileFile], None]
    """Raises NotThere for a file that changed since it was read: places in it mean nothing then."""
    read_programs: Callable[[ProfileFile], tuple[list[HloProgram], list[Note]]]
    read_plans: Callable[[ProfileFile], tuple[list[ProgramBuffers], list[Note]]]
    logs: Callable[[], RunLogs]
    stamp: Hashable
    """Changes with any file of the session and with the user's tables."""
    seconds: float = 0.0
    """How long reading took."""

    @property
    def workers(self) -> tuple[str, ...]:
        """The name of each profile's worker, unique in the session."""
        return tuple(file.worker for file in self.files)

    def in_range(self, text: str, steps: str) -> OpenedSession:
        """What belongs to a range; recordings without times belong to none. Raises BadInput."""
        if not text.strip():
            return self
        from stepscope.analyses.ranges.chosen import choose

        timed = [place for place, profile in enumerate(self.profiles) if len(profile.spans)] or range(len(self.profiles))
        profiles = choose([self.profiles[place] for place in timed], text, steps or None)
        return replace(self, files=tuple(self.files[place] for place in timed), profiles=tuple(profiles))
