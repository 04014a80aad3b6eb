"""All sources of system metrics of this machine; one that fails is left out, with one warning, and the others go on."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from typing import TypeVar

from stepscope.capture.probe import Probe, Reading

_log = logging.getLogger("stepscope.capture")

P = TypeVar("P", bound=Probe)
T = TypeVar("T")


def all_probes(log_folder: str | None, *, children: bool = True) -> list[Probe]:
    """The sources of this machine. Loading psutil and asking drivers takes a while; so does looking for children of the process."""
    from stepscope.capture.amd import AmdProbe
    from stepscope.capture.cgroup import CgroupProbe
    from stepscope.capture.host import HostProbe, ProcessProbe
    from stepscope.capture.nvidia import NvidiaProbe

    own = [*_made(lambda: HostProbe(log_folder)), *_made(lambda: ProcessProbe(children=children)), *_made(CgroupProbe)]
    nvidia = _made(NvidiaProbe)
    return [*own, *nvidia, *_made(lambda: AmdProbe(first=sum(probe.count for probe in nvidia)))]


class Probes:
    """Sources that are read together, by one thread."""

    def __init__(self, probes: Sequence[Probe]) -> None:
        """Closes them in the end."""
        self._probes = list(probes)

    def read(self, now: float) -> list[Reading]:
        """The values at `now`, in seconds of the monotonic clock."""
        return self._asked(lambda probe: list(probe.read(now)))

    def facts(self) -> list[tuple[str, str]]:
        """What does not change, such as names and sizes."""
        return self._asked(lambda probe: list(probe.facts().items()))

    def close(self) -> None:
        """Gives back what the sources hold."""
        for probe in self._probes:
            try:
                probe.close()
            except Exception as error:  # noqa: BLE001 (the others are closed too)
                _log.warning("%s did not close: %s", type(probe).__name__, error)

    def _asked(self, question: Callable[[Probe], list[T]]) -> list[T]:
        answers: list[T] = []
        for probe in list(self._probes):
            try:
                answers += question(probe)
            except Exception as error:  # noqa: BLE001 (the other sources go on)
                self._probes.remove(probe)
                _log.warning("%s is left out of the system metrics: %s: %s", type(probe).__name__, type(error).__name__, error)
        return answers


def _made(make: Callable[[], P]) -> list[P]:
    """The source in a list, which is empty when it cannot be made."""
    try:
        return [make()]
    except Exception as error:  # noqa: BLE001 (the other sources go on)
        _log.warning("A source is left out of the system metrics: %s: %s", type(error).__name__, error)
        return []
