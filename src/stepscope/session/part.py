"""What a part of the analysis is: an id, what may be asked of it, what it answers, and the function in between."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Annotated, Any, Generic, TypeVar

from msgspec import Meta, Struct

from stepscope.analyses.ranges.text import LONGEST_RANGE
from stepscope.model import declared as d

if TYPE_CHECKING:
    from stepscope.session.analysed import AnalysedSession

StepsText = Annotated[str, Meta(max_length=10_000, description="Source of the steps, one of `step_sources`; empty: the best one.")]
RangeText = Annotated[
    str, Meta(max_length=LONGEST_RANGE, description="Range of steps, time or epochs, such as `3:10` or `typical`; empty: everything.")
]


class Wanted(Struct, frozen=True, kw_only=True):
    """What may be chosen of any part. Parts add fields of their own; every field is an input of the answer and of its cache key."""

    steps: StepsText = ""
    range: RangeText = ""
    worker: Annotated[str, Meta(max_length=1_000, description="Worker (rank) to look at; empty: all of them.")] = ""


class Answer(Struct, frozen=True, kw_only=True):
    """What every part answers beside its own fields."""

    range: Annotated[str | None, d.text("The chosen range in words; null when the whole profile is used.")] = None


class Files(Enum):
    """Which files of a session a part reads."""

    TIMED = "timed"
    """Those that record time."""
    SAMPLED = "sampled"
    """Those that record time, or counters alone."""
    ONE = "one"
    """The one that records time of the chosen worker, or else of the first."""
    MEMORY = "memory"
    """Those that record time, of the chosen worker or of all, and those that record memory alone."""


W = TypeVar("W", bound=Wanted)
A = TypeVar("A", bound=Answer)


@dataclass(frozen=True, slots=True)
class Part(Generic[W, A]):
    """One part. Its id is the verb of `stepscope profile`, the last word of its route, and the page's name for it."""

    id: str
    title: str
    wanted: type[W]
    answer: type[A]
    make: Callable[[AnalysedSession, W], A]
    """Imports the analyses inside where answers are `kept`: one that is read from the disk does not need them."""
    table: str | None = None
    """The field of the answer whose rows are its CSV file and data frame."""
    files: Files = Files.TIMED
    reads_logs: bool = False
    """Whether the answer depends on what the run has logged beside its profile."""
    kept: bool = False
    """Whether an answer that took long is kept on disk."""
    passing: bool = False
    """Whether answers are many and small, and are made anew each time, so that they push no others out of memory."""


AnyPart = Part[Any, Any]
