"""Loads the logs that belong to a profile given by its path: those of its run and of the runs near it, and no others."""

from __future__ import annotations

from dataclasses import replace

from stepscope.ingest.loader import Loader
from stepscope.ingest.shelf import Root, run_name
from stepscope.model.identity import run_id
from stepscope.model.run_names import FAR, distance
from stepscope.model.session import ProfileSession
from stepscope.sources.files import absolute
from stepscope.store.library import Library, RunRecord


def load_near(root: str, folder: str, session: ProfileSession) -> tuple[Library, RunRecord]:
    """A library of the event files near the run in `folder`, which lies in `root` or is it, and the run, which owns the session."""
    library = Library()
    place = Root("", absolute(root))
    home = run_name(place, absolute(folder))
    loader = Loader(library, [place], reload_interval=0, cache=False, only=lambda each: distance(home, run_name(place, each)) < FAR)
    loader.load()
    found = library.snapshot.by_id.get(run_id("", home), RunRecord(run_id("", home), "", home, folder))
    record = replace(found, profiles=(session,))
    others = [run for run in library.snapshot.runs if run.id != record.id]
    library.publish([record, *others])
    return library, record
