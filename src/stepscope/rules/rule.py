"""What a rule is, what it may see in a profile, and what is said of it in the end."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, TypeAlias

from stepscope.analyses.rank_spans import SpanReference
from stepscope.analyses.time_classes import TimeClass
from stepscope.model.number_text import three_digits

if TYPE_CHECKING:
    from stepscope.rules.facts import Facts
    from stepscope.rules.lever import Lever


class Verdict(Enum):
    """A rule speaks only when what it promises is worth it."""

    FIRES = "fires"
    NOTE = "note"  # true, but little to win
    QUIET = "quiet"
    CANNOT_TELL = "cannot_tell"  # its evidence is not in the profile


class GainKind(Enum):
    """How a gain is to be read."""

    REMOVES = "removes"  # work is gone; the range is that of the prediction
    MOVES = "moves"  # work overlaps the step; the high end of the time includes what may not overlap
    AT_BEST = "at_best"  # one bound: the change was never measured before and after, or the profile cannot be replayed


@dataclass(frozen=True, slots=True)
class Evidence:
    """One sentence with a number, and where it can be seen."""

    text: str
    spans: SpanReference | None = None


@dataclass(frozen=True, slots=True)
class Code:
    """The change, for each framework."""

    tensorflow: str
    pytorch: str
    jax: str

    def of(self, framework: str) -> str:
        """For the framework as profiles name it; PyTorch's when it is unknown."""
        return {"TensorFlow": self.tensorflow, "JAX": self.jax}.get(framework, self.pytorch)


NO_CODE = Code(tensorflow="", pytorch="", jax="")
"""Where nothing can be said in code: the evidence tells where to look."""


@dataclass(frozen=True, slots=True)
class Quiet:
    """Nothing to say, and why."""

    reason: str


@dataclass(frozen=True, slots=True)
class CannotTell:
    """The evidence is missing, and what would show it."""

    reason: str
    option: str


@dataclass(frozen=True, slots=True)
class Pattern:
    """What a rule has found; whether it is worth saying is judged by its gain."""

    title: str
    summary: str
    evidence: tuple[Evidence, ...]
    subject: str = ""  # the change, as the start of a sentence: "Loading data in 4 worker processes"
    lever: Lever | None = None  # what a step would be without it
    holds_in: float | None = None  # share of typical steps; None for what is no matter of single steps
    of_window: dict[TimeClass, float] | None = None  # instead of a lever: shares of the recording that it costs
    least: float = 0.0  # a gain that this rule asks for beyond the threshold of all
    must_replay: bool = False  # only a replay can tell whether it would help
    code: Code | None = None  # instead of the rule's own
    urgent: bool = False  # speaks whatever it gains: the training would not survive it, or no replay can tell what it costs
    doubted: bool = False  # its time may be the profiler's own
    costs: float = 0.0  # share of a step that was measured where no replay can tell the gain; it only ranks what is urgent
    asks: str = ""  # what to record, as a sentence, where the file does not show the cause


Seen: TypeAlias = Quiet | CannotTell | Pattern


@dataclass(frozen=True, slots=True)
class Rule:
    """One file's rule; its id is the name of the file."""

    id: str
    title: str
    look: Callable[[Facts], Seen]
    code: Code
    wrong_when: str
    last_resort: bool = False  # fires where no other rule does, or none that gains as much as its pattern costs
    of_some_steps: bool = False  # shortens a few steps only, and comes after what shortens every one
    on_host_alone: bool = False  # holds without a device's work, where the file lacks it
    case_of: str = ""  # id of the rule of which this one is a special case, and goes before it where it explains most of it


@dataclass(frozen=True, slots=True)
class Gain:
    """Fractions of the typical step, or of the whole recording where the change is no matter of every step."""

    low: float
    high: float
    kind: GainKind
    weak: bool  # the recording gives reason to doubt
    of_recording: bool = False


@dataclass(frozen=True, slots=True)
class Finding:
    """One rule's verdict on one session."""

    rule: str
    verdict: Verdict
    title: str
    summary: str
    evidence: tuple[Evidence, ...]
    gain: Gain | None
    step_ms: tuple[float, float] | None  # what a step would take, least and most
    promise: str  # the same as a sentence, or what to record first; "" when there is nothing to promise
    code: Code
    wrong_when: str
    option: str  # what would show more, when it cannot tell


def percent(share: float) -> str:
    """`33%`, and one digit more below ten."""
    return f"{100 * share:.0f}%" if share >= 0.0995 else f"{100 * share:.1f}%"


def counted(number: int, word: str) -> str:
    """`1 step`, `2 steps`."""
    return f"{number:,} {word}" if number == 1 else f"{number:,} {word}s"


def mebibytes(size: float) -> str:
    """`1.5 GiB`, `1 MiB`, `12 KiB`."""
    for unit, name in ((1 << 30, "GiB"), (1 << 20, "MiB")):
        if size >= unit:
            return f"{three_digits(size / unit)} {name}"
    return f"{three_digits(size / 1024)} KiB"
