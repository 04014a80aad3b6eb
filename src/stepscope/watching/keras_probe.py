"""Looks at the activations of Keras layers and at the gradients its optimizer gets, on any of its backends."""

from __future__ import annotations

import functools
import logging
from collections.abc import Callable, Sequence
from sys import modules
from typing import Any

from stepscope.watching.keras_sightings import sightings
from stepscope.watching.models import keras_layers
from stepscope.watching.numerics import INPUTS, Place, Sight
from stepscope.writer.compiled import plain

_log = logging.getLogger("stepscope.watching")

_COMPILED = ("train_function", "test_function", "predict_function")
"""Each is made by the model's make_<name>."""


class KerasProbe:
    """Wraps the call of every layer, and the optimizer's way of applying gradients."""

    def __init__(self, model: Any, optimizer: Any) -> None:  # noqa: ANN401 (Keras is not imported)
        """Wraps them; what Keras has compiled already is compiled again."""
        self._model = model
        self._optimizer = optimizer
        self._wrapped: list[tuple[Any, str]] = []
        self._layers: list[tuple[str, Any]] = []
        """A layer's path may change when it is built; here it keeps the one it had when it was found."""
        self._active = True
        self._sightings = sightings([])
        self.refresh()

    def refresh(self) -> None:
        """Wraps what was not there before: layers made when data came in, and the optimizer that compile() has set."""
        before = len(self._wrapped)
        self._layers = keras_layers(self._model, self._layers)
        for name, layer in self._layers:
            self._wrap(layer, "call", functools.partial(self._seeing_outputs, name, layer is self._model))
        optimizer = self._optimizer or getattr(self._model, "optimizer", None)
        if optimizer is not None:
            self._wrap(optimizer, "apply", self._seeing_gradients)
        if len(self._wrapped) != before:
            places: list[Place] = [(name, where) for where in ("activations", "gradients") for name, _ in self._layers]
            self._sightings = sightings([(INPUTS, "activations"), *places])
            self._compile_again()

    def collect(self) -> list[Sight]:
        """In the order of the layers' calls; of gradients the last layer's come first, as they do in training."""
        return self._sightings.read()

    def set_active(self, active: bool) -> None:
        """What is compiled looks at every step all the same, and only what it has seen is read less often."""
        self._active = active

    def remove(self) -> None:
        """Unwraps everything."""
        for owner, name in self._wrapped:
            owner.__dict__.pop(name, None)
        self._wrapped.clear()
        self._compile_again()

    def _wrap(self, owner: Any, name: str, wrap: Callable[[Callable[..., Any]], Callable[..., Any]]) -> None:  # noqa: ANN401
        """In the object's own dictionary, because Keras keeps an eye on what is set as an attribute."""
        if not any(owner is other for other, _ in self._wrapped):
            original = getattr(owner, name)
            owner.__dict__[name] = plain(functools.wraps(original)(wrap(original)))
            self._wrapped.append((owner, name))

    def _seeing_outputs(self, layer: str, with_inputs: bool, call: Callable[..., Any]) -> Callable[..., Any]:
        def seen(*arguments: Any, **options: Any) -> Any:  # noqa: ANN401 (as the layer's)
            if with_inputs:
                self._note(INPUTS, arguments)
            outputs = call(*arguments, **options)
            self._note(layer, outputs)
            return outputs

        return seen

    def _note(self, layer: str, values: Any) -> None:  # noqa: ANN401 (a tensor, or any nesting of some)
        for tensor in modules["keras"].tree.flatten(values) if self._active else ():
            self._look((layer, "activations"), tensor)

    def _look(self, place: Place, tensor: Any) -> None:  # noqa: ANN401 (a tensor of any backend)
        """What cannot be looked at must not end a training."""
        try:
            self._sightings.note(place, tensor)
        except Exception as error:  # noqa: BLE001 (see above)
            self._active = False
            _log.warning("watch_numerics stops, because it cannot read the %s of %s: %s", place[1], place[0], error)

    def _seeing_gradients(self, apply: Callable[..., Any]) -> Callable[..., Any]:
        def seen(grads: Sequence[Any], *arguments: Any, **options: Any) -> Any:  # noqa: ANN401 (as the optimizer's)
            gradients = list(grads)
            if self._active:
                owners = self._layer_of_each_variable()
                variables = arguments[0] if arguments and arguments[0] is not None else self._model.trainable_variables
                for gradient, variable in reversed(list(zip(gradients, variables, strict=False))):
                    layer = owners.get(id(variable))
                    if gradient is not None and layer is not None:
                        self._look((layer, "gradients"), gradient)
            return apply(gradients, *arguments, **options)

        return seen

    def _layer_of_each_variable(self) -> dict[int, str]:
        """Layers inside a layer come after it, and take their variables over from it."""
        return {id(variable): name for name, layer in self._layers for variable in layer.trainable_variables}

    def _compile_again(self) -> None:
        for name in _COMPILED:
            if getattr(self._model, name, None) is not None:
                getattr(self._model, f"make_{name}")(force=True)
