"""Analysed sessions of drawn profiles, without files: what a part answers can be counted in the picture."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from analyses.timeline import Timeline
from stepscope.model.identity import run_id
from stepscope.model.profile import Profile
from stepscope.model.session import ProfileFile
from stepscope.queries.run_logs import RunLogs
from stepscope.session.analysed import AnalysedSession
from stepscope.session.opened import BrokenFile, OpenedSession
from stepscope.store.library import Library, RunRecord

INPUT_BOUND = """
    main     1111111111222222222233333333334444444444
    main     iiilssssssiiilssssssiiilssssssiiilssssss
    gpu 0        KKKKKK    KKKKKK    KKKKKK    KKKKKK
"""
"""Four steps of 10 ms: input for 3, a launch of 1, and a kernel for the rest, which the thread waits for."""


def opened(*profiles: Profile, logs: RunLogs | None = None, broken: tuple[BrokenFile, ...] = ()) -> OpenedSession:
    """A session of these profiles, whose workers are `worker0`, `worker1`, …"""
    library = Library()
    found = logs or RunLogs(library, RunRecord(run_id("", "run"), "", "run", "run"), "session")
    files = [ProfileFile(f"{place}.json", 1, 1.0, place, "drawn", f"worker{place}") for place in range(len(profiles))]
    return OpenedSession(
        id="session",
        name="first",
        time=5.0,
        files=tuple(files),
        profiles=profiles,
        broken=broken,
        attributes=lambda _, __: {},
        check=lambda _: None,
        read_programs=lambda _: ([], []),
        read_plans=lambda _: ([], []),
        logs=lambda: found,
        stamp=0,
    )


def analysed(*profiles: Profile, steps: str = "", chosen: str = "", logs: RunLogs | None = None) -> AnalysedSession:
    """The same, analysed."""
    return AnalysedSession(opened(*profiles, logs=logs), steps, chosen)


def drawn(picture: str = INPUT_BOUND, *, ranks: int = 1, names: Mapping[str, str] | None = None) -> AnalysedSession:
    """A session of one picture, on so many ranks."""
    profile = Timeline().draw(picture, **(names or {})).build()
    return analysed(*(replace(profile, rank=rank, world_size=ranks) if ranks > 1 else profile for rank in range(ranks)))
