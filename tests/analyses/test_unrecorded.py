"""A device that works and was not recorded: launches without any work."""

from __future__ import annotations

import pytest

from analyses.timeline import timeline
from stepscope.analyses.breakdown import break_down
from stepscope.analyses.devices.unrecorded import Unrecorded, unrecorded_device

STEPS = "main    111111222222\nmain    oolooooolooo\n"


@pytest.mark.parametrize(
    ("call", "kind"),
    [("cudaLaunchKernel", "GPU"), ("hipGraphLaunch", "GPU"), ("rtKernelLaunch", "NPU"), ("zeCommandListAppendLaunchKernel", "device")],
)
def test_the_calls_tell_the_device(call: str, kind: str) -> None:
    profile = timeline(STEPS, l=call)
    assert unrecorded_device(profile, break_down(profile)) == Unrecorded(kind, 2)


def test_nothing_is_lacking_without_launches_or_with_work() -> None:
    for profile in (timeline(STEPS, l="cudaGetDevice"), timeline(f"{STEPS}gpu 0   ...KK....KK.", l="cudaLaunchKernel")):
        assert unrecorded_device(profile, break_down(profile)) is None
