"""Finds the XSpace that a profiler has exported as TensorBoard's plugin expects it."""

from __future__ import annotations

import os
import shutil

from stepscope.capture.profilers.profiler import Recorded

_ENDING = ".xplane.pb"


def xspaces_below(exported: str, scratch: str) -> list[Recorded]:
    """The files of exported/plugins/profile/<time>, which is moved into the scratch folder as it is: that takes one call."""
    moved = os.path.join(scratch, "exported")
    try:
        os.rename(exported, moved)
    except OSError:  # They are on two disks.
        shutil.move(exported, moved)
    return [
        Recorded(os.path.join(folder, name), _ENDING, notable=True)
        for folder, _, names in os.walk(moved)
        for name in sorted(names)
        if name.endswith(_ENDING)
    ]
