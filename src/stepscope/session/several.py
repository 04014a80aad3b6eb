"""Parts that look at several sessions: two that are compared, or many along what differs between them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic

from stepscope.session.part import A, Files, W, Wanted

if TYPE_CHECKING:
    from stepscope.session.analysed import AnalysedSession


@dataclass(frozen=True, slots=True)
class SeveralPart(Generic[W, A]):
    """One part of several sessions. `choices` says which steps and range of each of them are taken, in their order."""

    id: str
    title: str
    wanted: type[W]
    answer: type[A]
    choices: Callable[[W, int], Sequence[Wanted]]
    make: Callable[[Sequence[AnalysedSession], W], A]
    reads_logs: bool = False
    """Whether the answer depends on what the runs have logged beside their profiles."""
    files: Files = Files.TIMED
    skips_unreadable: bool = False
    """Whether sessions that cannot be read are left out as long as one can."""


AnySeveralPart = SeveralPart[Any, Any]
