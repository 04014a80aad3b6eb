"""Finds where NaN and infinities appear in a model: in which layer's activations or gradients first, and at which step."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping
from math import isfinite, isnan
from types import TracebackType
from typing import Any, Literal, NamedTuple, Protocol, Self

from stepscope.watching.models import is_keras, is_torch
from stepscope.watching.norms import Writer
from stepscope.writer.config import table
from stepscope.writer.summary import moment_of
from stepscope.writer.text import text_work

Where = Literal["activations", "gradients"]
What = Literal["NaN", "Inf"]
Place = tuple[str, Where]
"""A layer, and what of it."""

_log = logging.getLogger("stepscope.watching")


INPUTS = "(inputs)"
"""Stands for a layer where the model was given such numbers."""


class Finding(NamedTuple):
    """The first time that a layer's activations or gradients held a number that is none."""

    layer: str
    where: Where
    what: What
    step: int

    def __str__(self) -> str:
        return f"{self.what} in the {self.where} of {self.layer}, at step {self.step}"


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
        self._findings: dict[Place, Finding] = {}
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
        self._probe.set_active((at + 1) % self._every == 0)
        if at % self._every:
            return []
        sights = self._probe.collect()
        bad = _bad(sights, at)
        if sights and self._writer is not None:
            for where in ("activations", "gradients"):
                count = sum(place == where for _, place in bad)
                self._writer.put_scalar(f"numerics/layers_with_bad_{where}", count, at)
        return self._keep(bad)

    def callback(self) -> Any:  # noqa: ANN401 (a class of Keras, which is not imported)
        """A Keras callback that checks after each batch of model.fit."""
        from stepscope.watching.keras_callback import checking_callback

        return checking_callback(self.check, self._probe.refresh)

    def close(self) -> None:
        """Takes everything out of the model again, and logs a table of what was found."""
        if self._closed:
            return
        self._closed = True
        self._keep(_bad(self._probe.collect(), self._next_step))
        self._probe.remove()
        if self._findings and self._writer is not None:
            rows = {f"{each.layer} {each.where}": f"{each.what} from step {each.step} on" for each in self.findings}
            text = table(dict(rows), ("Layer", "Found"))
            self._writer.put_event(text_work("numerics/layers", text, moment_of(self._next_step - 1, None)))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def _keep(self, bad: Mapping[Place, Finding]) -> list[Finding]:
        """Returns those that are new, and tells of the very first."""
        new = {place: finding for place, finding in bad.items() if place not in self._findings}
        if new and not self._findings:
            first = next(iter(new.values()))
            _log.warning("First bad number: %s.", first)
            if self._writer is not None:
                self._writer.put_event(text_work("numerics/first", f"First bad number: {first}.", moment_of(first.step, None)))
        self._findings |= new
        return list(new.values())


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


def _bad(sights: Iterable[Sight], step: int) -> dict[Place, Finding]:
    """The first of each place, in order."""
    found: dict[Place, Finding] = {}
    for layer, where, largest in sights:
        if not isfinite(largest):
            found.setdefault((layer, where), Finding(layer, where, "NaN" if isnan(largest) else "Inf", step))
    return found
