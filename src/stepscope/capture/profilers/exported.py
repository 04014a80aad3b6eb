"""Finds the XSpace that a profiler has exported as TensorBoard's plugin expects it, and takes it out of there."""

from __future__ import annotations

import os
import shutil

from stepscope.capture.profilers.profiler import Recorded

_ENDING = ".xplane.pb"


def xspaces_below(exported: str, scratch: str) -> list[Recorded]:
    """Moves the files out of exported/plugins/profile/<time>, which is removed with the copies as JSON in it."""
    found: list[Recorded] = []
    for folder, _, names in os.walk(exported):
        for name in sorted(names):
            if name.endswith(_ENDING):
                path = os.path.join(scratch, f"{len(found)}{_ENDING}")
                shutil.move(os.path.join(folder, name), path)
                found.append(Recorded(path, _ENDING, notable=True))
    shutil.rmtree(exported, ignore_errors=True)
    return found
