"""Reads profiles through the cache, for the server and the terminal alike: what took long to read is kept for the next time."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path

import stepscope.formats
from stepscope import _native
from stepscope.formats.bounded_names import with_bounded_names
from stepscope.formats.event_recordings import read_recording
from stepscope.formats.format import Limits
from stepscope.formats.listed_kinds import with_rules
from stepscope.formats.open_profile import read_file, read_ranks
from stepscope.formats.programs import read_plans, read_programs
from stepscope.formats.span_attributes import span_attributes
from stepscope.ingest.own_kinds import OwnKinds
from stepscope.model.profile import Profile
from stepscope.model.session import ProfileFile
from stepscope.store.library import Library
from stepscope.store.profile_cache import Identity, ProfileCache, identify
from stepscope.store.program_stamp import stamp_of

WORTH_SECONDS = 0.5
"""A profile is kept when that saves the next one who asks this much reading, never for less."""

Wait = Callable[[], object]


class ProfileReading:
    """Reads profile files; with a cache, from there where it can. Safe from any thread. `kinds` are the user's own kinds of spans.

    Saving begins when `before_saving` returns: writing hundreds of megabytes would take the cores from whoever waits for a first view.
    """

    def __init__(self, cache: bool = True, kinds: OwnKinds | None = None, before_saving: Wait | None = None) -> None:
        self._before_saving = before_saving
        self._cache = ProfileCache(program_stamp()) if cache else None
        self._kinds = kinds or OwnKinds()

    def read(self, path: str, limits: Limits | None = None) -> Profile:
        """Reads one file, whatever it is called. Raises BadInput or NotThere with one sentence."""
        # The cache holds what the file says, so that a changed list of kinds is seen at once.
        return self._ready(self._read(path, limits))

    def read_ranks(self, whole: Profile, limits: Limits | None = None) -> list[Profile]:
        """The profile of each rank that the file of a profile contains. Raises as `read` does."""
        return [self._ready(each) for each in read_ranks(whole, limits)]

    def read_inside(self, file: ProfileFile, limits: Limits | None = None) -> Profile:
        """Reads a recording that is a part of its file. Raises as `read` does."""
        return self._ready(read_recording(file, limits))

    def _ready(self, profile: Profile) -> Profile:
        """Kinds that a user listed for a name are given before the rare names become one."""
        return with_bounded_names(with_rules(profile, self._kinds.rules()))

    def _read(self, path: str, limits: Limits | None) -> Profile:
        if self._cache is None:
            return read_file(path, limits)
        identity, options = file_identity(path), repr(limits or Limits())
        if identity is not None and (found := self._cache.load(path, options)) is not None:
            from stepscope.formats.name_rules import NAME_RULES

            return replace(found, name_rules=NAME_RULES)
        began = time.perf_counter()
        profile = read_file(path, limits)
        if time.perf_counter() - began > WORTH_SECONDS and identity is not None and identity == file_identity(path):
            # The answer does not wait for the disk; a process that ends does, since the thread is no daemon.
            threading.Thread(target=self._save, args=(path, identity, profile, options), name="stepscope-profile-cache").start()
        return profile

    def _save(self, path: str, identity: Identity, profile: Profile, options: str) -> None:
        if self._before_saving is not None:
            self._before_saving()
        if self._cache is not None:
            self._cache.save(path, identity, profile, options)


def connect_profiles(
    library: Library,
    cache: bool = True,
    kinds: OwnKinds | None = None,
    limits: Limits | None = None,
    before_saving: Wait | None = None,
) -> None:
    """Lets a library read profiles, and what is read from their files later."""
    kinds = kinds or OwnKinds()
    reading = ProfileReading(cache, kinds, before_saving)
    library.profiles.use_reader(
        partial(reading.read, limits=limits),
        span_attributes,
        partial(read_programs, limits=limits),
        partial(reading.read_inside, limits=limits),
        kinds,
        partial(read_plans, limits=limits),
        partial(reading.read_ranks, limits=limits),
    )


def program_stamp() -> str:
    """Changes with anything that may read a file otherwise: the native core and the code of the formats."""
    return stamp_of([Path(_native.__file__ or ""), *sorted(Path(next(iter(stepscope.formats.__path__))).rglob("*.py"))])


def file_identity(path: str) -> Identity | None:
    """What tells that a file is still the same; None when it cannot be read, and reading says what is wrong."""
    try:
        return identify(path)
    except OSError:
        return None
