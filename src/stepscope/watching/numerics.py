"""Finds where NaN and infinities appear in a model: in which layer's activations or gradients first, and at which step."""

from __future__ import annotations

import logging
from collections.abc import Iterable
from types import TracebackType
from typing import Any, Literal, NamedTuple, Protocol, Self

from stepscope.watching.models import is_keras, is_torch
from stepscope.watching.norms import Writer
from stepscope.writer.config import table
from stepscope.writer.summary import moment_of
from stepscope.writer.text import text_work

Where = Literal["activations", "gradients"]
What = Literal["NaN", "Inf"]

_log = logging.getLogger("stepscope.watching")


class Finding(NamedTuple):
    """The first time that a layer's activations or gradients held a number that is none."""

    layer: str
    where: Where
    what: What
    step: int

    def __str__(self) -> str:
        return f"{self.what} in the {self.where} of {self.layer} at step {self.step}"


class Sight(NamedTuple):
    """One tensor's state since the last look, in the order in which they were computed."""

    layer: str
    where: Where
    largest: float
    """NaN or infinite where such a number was in it, else any other number."""


class Probe(Protocol):
    """What sits in a model and looks at its tensors."""

    def collect(self) -> list[Sight]:
        """What was seen since the last call, and forgets it."""
        ...

    def set_active(self, active: bool) -> None:
        """Whether to look at all."""
        ...

    def refresh(self) -> None:
        """Looks for parts of the model that were not there before."""
        ...

    def remove(self) -> None:
        """Leaves the model as it was."""
        ...


class NumericsWatch:
    """A model under watch. Ends with close, or with the context it is used in."""

    def __init__(self, probe: Probe, writer: Writer | None, every: int) -> None:
        """Results go to the writer, if there is one, and are kept here."""
        self._probe = probe
        self._writer = writer
        self._every = every
        self._findings: dict[tuple[str, Where], Finding] = {}
        self._next_step = 0
        self._closed = False

    @property
    def first(self) -> Finding | None:
        """Where it all began; None while all is well."""
        return next(iter(self._findings.values()), None)

    @property
    def findings(self) -> list[Finding]:
        """The first finding of each layer's activations and gradients, in the order of their appearance."""
        return list(self._findings.values())

    def check(self, step: Any = None) -> list[Finding]:  # noqa: ANN401 (a number of any kind)
        """Looks at what was computed since the last call, as that of this step; returns what is found for the first time.

        Without a step, calls are counted from 0. On a GPU this waits for the step to be computed.
        """
        at = self._next_step if step is None else moment_of(step, None).step
        self._next_step = at + 1
        sights = self._probe.collect()
        self._probe.set_active((at + 1) % self._every == 0)
        new = [finding for finding in _bad(sights, at) if (finding.layer, finding.where) not in self._findings]
        first = self.first
        for finding in new:
            self._findings.setdefault((finding.layer, finding.where), finding)
        if sights:
            self._log_step(sights, at)
        if first is None and self.first is not None:
            self._tell_first(self.first, at)
        return new

    def callback(self) -> Any:  # noqa: ANN401 (a class of Keras, which is not imported)
        """A Keras callback that checks after each batch of model.fit."""
        from stepscope.watching.keras_callback import checking_callback

        return checking_callback(self.check, self._probe.refresh)

    def close(self) -> None:
        """Takes everything out of the model again, and logs a table of what was found."""
        if self._closed:
            return
        self._closed = True
        self.check(self._next_step)
        self._probe.remove()
        if self._findings and self._writer is not None:
            rows = {f"{each.layer} {each.where}": f"{each.what} from step {each.step} on" for each in self.findings}
            text = table(dict(rows), ("Layer", "Found"))
            self._writer.put_event(text_work("numerics/layers", text, moment_of(self._next_step - 1, None)))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def _log_step(self, sights: list[Sight], step: int) -> None:
        if self._writer is None:
            return
        bad = {(finding.layer, finding.where) for finding in _bad(sights, step)}
        for where in ("activations", "gradients"):
            self._writer.put_scalar(f"numerics/layers_with_bad_{where}", sum(place == where for _, place in bad), step)

    def _tell_first(self, first: Finding, step: int) -> None:
        _log.warning("The first %s.", first)
        if self._writer is not None:
            self._writer.put_event(text_work("numerics/first", f"The first {first}.", moment_of(step, None)))


def watch_numerics(model: object, writer: Writer | None = None, *, every: int = 1, optimizer: object = None) -> NumericsWatch:
    """Watches a torch module or a Keras model for NaN and infinities, layer by layer.

    Call check(step) after each step, or give model.fit the watch's callback(). `every` looks at each n-th step only.
    Gradients of a Keras model are seen by its optimizer, or the one given here, when it applies them.
    """
    if every < 1:
        raise ValueError(f"Give every as at least 1, not {every}.")
    if is_keras(model):
        from stepscope.watching.keras_probe import KerasProbe

        return NumericsWatch(KerasProbe(model, optimizer), writer, every)
    if is_torch(model):
        from stepscope.watching.torch_probe import TorchProbe

        return NumericsWatch(TorchProbe(model), writer, every)
    raise TypeError(f"Give a torch module or a Keras model, not {type(model).__name__}.")


def _bad(sights: Iterable[Sight], step: int) -> list[Finding]:
    found: list[Finding] = []
    for sight in sights:
        if sight.largest != sight.largest:
            found.append(Finding(sight.layer, sight.where, "NaN", step))
        elif abs(sight.largest) == float("inf"):
            found.append(Finding(sight.layer, sight.where, "Inf", step))
    return found
