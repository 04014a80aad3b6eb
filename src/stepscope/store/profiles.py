"""Profiles that have been read: each file once, when somebody asks for it, and the least recently used given up first."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Hashable
from dataclasses import fields, is_dataclass
from typing import TYPE_CHECKING, Protocol

from stepscope.model.errors import NotThere
from stepscope.model.session import ProfileFile
from stepscope.sources.files import find_file
from stepscope.store.kept import Kept

if TYPE_CHECKING:
    from stepscope.model.hlo import HloProgram
    from stepscope.model.profile import Attribute, Note, Profile
    from stepscope.model.program_buffers import ProgramBuffers
    from stepscope.model.span_kinds import KindTable

MEMORY = 2 << 30
"""Bytes of tables that are kept; a larger profile is read and answered for, but not kept."""

PROGRAM_MEMORY = 256 << 20
"""Bytes of compiled programs that are kept."""

_NAME_BYTES = 80
_ROW_BYTES = 200

Read = Callable[[str], "Profile"]
ReadInside = Callable[[ProfileFile], "Profile"]
ReadRanks = Callable[["Profile"], "list[Profile]"]
ReadAttributes = Callable[["Profile", int], "dict[str, Attribute]"]
Programs = tuple["list[HloProgram]", "list[Note]"]
ReadPrograms = Callable[["Profile"], Programs]
Plans = tuple["list[ProgramBuffers]", "list[Note]"]
ReadPlans = Callable[["Profile"], Plans]


class Kinds(Protocol):
    """The table by which spans get their kinds, a part of which users write."""

    def stamp(self) -> Hashable:
        """What changes when the user's part does."""
        ...

    def table(self) -> KindTable:
        """The table in force."""
        ...


class Profiles:
    """Reads profile files and keeps their tables. Safe from any thread; a file asked for by two is read by one."""

    def __init__(self, memory: int = MEMORY) -> None:
        self._kept: Kept[Profile] = Kept(memory)
        self._kept_ranks: Kept[list[Profile]] = Kept(memory)
        self._read: Read = _no_reader
        self._read_inside: ReadInside = _no_reader_inside
        self._attributes: ReadAttributes = _no_attributes
        self._kept_programs: Kept[Programs] = Kept(PROGRAM_MEMORY)
        self._programs: ReadPrograms = _no_programs
        self._plans: ReadPlans = _no_plans
        self._ranks: ReadRanks = _no_ranks
        self._kinds: Kinds | None = None
        self._connect: Callable[[], None] | None = None
        self._connecting = threading.Lock()

    def connect_later(self, connect: Callable[[], None]) -> None:
        """Has `connect` call `use_reader` when somebody first asks: what reads profiles is much code, and most folders have none."""
        self._connect = connect

    def use_reader(
        self,
        read: Read,
        attributes: ReadAttributes | None = None,
        programs: ReadPrograms | None = None,
        inside: ReadInside | None = None,
        kinds: Kinds | None = None,
        plans: ReadPlans | None = None,
        ranks: ReadRanks | None = None,
    ) -> None:
        """How a path, or a part of a file, becomes a profile, and how its ranks, attributes, programs and memory plans are read."""
        self._kinds = kinds
        self._read = read
        self._read_inside = inside or _no_reader_inside
        self._attributes = attributes or _no_attributes
        self._programs = programs or _no_programs
        self._plans = plans or _no_plans
        self._ranks = ranks or _no_ranks
        self._connect = None

    def _connected(self) -> None:
        if self._connect is not None:
            with self._connecting:
                if self._connect is not None:
                    self._connect()

    def profile(self, file: ProfileFile) -> Profile:
        """The file's tables, or those of one rank in it. Raises what the reader raises, and NotThere for an unknown rank."""
        if file.rank is not None:
            return self._rank(file)
        return self._kept.get((file.identity, self.kinds_stamp), lambda: self._make(file))

    def each_rank(self, file: ProfileFile) -> list[tuple[ProfileFile, Profile]]:
        """The profile of each rank that the file contains, with the file that names it; of most files there is one."""
        whole = self.profile(file)
        if file.rank is not None or not whole.several_ranks:
            return [(file, whole)]
        ranks = self._all_ranks(file, whole)
        return [(file.of_rank(each.rank), each) for each in ranks] if len(ranks) > 1 else [(file, whole)]

    def attributes(self, file: ProfileFile, row: int) -> dict[str, Attribute]:
        """Everything the file says of one span. Raises NotThere for a file that changed since it was read, and what reading raises."""
        profile = self.profile(file)
        check_unchanged(file)
        return self._attributes(profile, row)

    @property
    def read_attributes(self) -> ReadAttributes:
        """Everything a profile's file says of one span, for analyses that look at a few of them."""
        self._connected()
        return self._attributes

    @property
    def kinds_stamp(self) -> Hashable:
        """What changes when the user's own kinds of spans do, and with it every profile."""
        self._connected()
        return self._kinds.stamp() if self._kinds else None

    def kind_table(self) -> KindTable:
        """The table by which spans get their kinds."""
        from stepscope.model.span_kinds import KindTable

        self._connected()
        return self._kinds.table() if self._kinds else KindTable("", ())

    def programs(self, file: ProfileFile) -> Programs:
        """The file's compiled programs, and notes on those that cannot be read. Raises as `attributes` does."""
        profile = self.profile(file)

        def make() -> tuple[Programs, int]:
            check_unchanged(file)
            found = self._programs(profile)
            return found, sum(map(_program_memory, found[0]))

        return self._kept_programs.get(file.identity, make)

    def plans(self, file: ProfileFile) -> Plans:
        """The memory that compilers have planned for the file's programs; read anew each time. Raises as `attributes` does."""
        profile = self.profile(file)
        check_unchanged(file)
        return self._plans(profile)

    def _rank(self, file: ProfileFile) -> Profile:
        found = next((each for each in self._all_ranks(file) if each.rank == file.rank), None)
        if found is None:
            raise NotThere(f"{os.path.basename(file.path)} has no rank {file.rank}; reload the list of sessions.", "unknown_worker")
        return found

    def _all_ranks(self, file: ProfileFile, whole: Profile | None = None) -> list[Profile]:
        def make() -> tuple[list[Profile], int]:
            found = self._ranks(whole or self._make(file)[0])
            return found, sum(map(memory_of, found))

        return self._kept_ranks.get((file.stamp, self.kinds_stamp), make)

    def _make(self, file: ProfileFile) -> tuple[Profile, int]:
        profile = self._read(file.path) if file.inside is None else self._read_inside(file)
        return profile, memory_of(profile)


def memory_of(profile: Profile) -> int:
    """About how many bytes a profile's tables take."""
    text = len(profile.names) * _NAME_BYTES
    rows = (len(profile.ops) + len(profile.tracks)) * _ROW_BYTES
    return text + rows + sum(_arrays(getattr(profile, field.name)) for field in fields(profile))


def _program_memory(program: HloProgram) -> int:
    return _arrays(program) + sum(map(len, program.texts)) + _NAME_BYTES * len(program.texts)


def check_unchanged(file: ProfileFile) -> None:
    """Places in a file mean nothing once it is another one; what follows a recording inside it changes nothing."""
    if file.inside is not None:
        return
    now = find_file(file.path)
    if now is None or (now.size, now.modified, now.inode) != (file.size, file.modified, file.inode):
        raise NotThere(f"{os.path.basename(file.path)} changed after it was read; open the profile again.", "changed")


def _arrays(table: object) -> int:
    if not is_dataclass(table):
        return 0
    import numpy as np

    columns = (getattr(table, field.name) for field in fields(table))
    return sum(column.nbytes for column in columns if isinstance(column, np.ndarray))


def _no_attributes(_: Profile, __: int) -> dict[str, Attribute]:
    return {}


def _no_programs(_: Profile) -> Programs:
    return [], []


def _no_ranks(profile: Profile) -> list[Profile]:
    return [profile]


def _no_plans(_: Profile) -> Plans:
    return [], []


def _no_reader(path: str) -> Profile:
    raise RuntimeError(f"No reader of profiles has been set, so {path} cannot be read.")


def _no_reader_inside(file: ProfileFile) -> Profile:
    return _no_reader(file.path)
