"""The hyperparameters that a run has logged in whose folder a profile lies."""

from __future__ import annotations

import os


def logged_beside(path: str) -> dict[str, str]:
    """Of the run to whose folder a recording belongs; empty when nothing is logged there."""
    from stepscope.queries.hyperparameters import hyperparameters

    return hyperparameters(event_files_beside(path))


def event_files_beside(path: str) -> tuple[str, ...]:
    """The event files above the folder that profilers make for their recordings, and those beside the recording itself."""
    folder = os.path.dirname(os.path.abspath(path))
    above, mark, _ = folder.partition(os.path.join(os.sep, "plugins", "profile"))
    return (*(_event_files(above) if mark else ()), *_event_files(folder))


def _event_files(folder: str) -> list[str]:
    from stepscope.sources.files import list_folder

    return sorted(file.path for file in list_folder(folder, lambda name: ".tfevents." in name).files)
