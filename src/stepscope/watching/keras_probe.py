"""Looks at the activations of Keras layers and at the gradients its optimizer gets, on any of its backends."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from sys import modules
from typing import Any

from stepscope.watching.keras_sightings import Place, sightings
from stepscope.watching.models import keras_layers
from stepscope.watching.numerics import Sight
from stepscope.writer.compiled import plain

_COMPILED = ("train_function", "test_function", "predict_function")


class KerasProbe:
    """Wraps the call of every layer, and the optimizer's way of applying gradients."""

    def __init__(self, model: Any, optimizer: Any) -> None:  # noqa: ANN401 (Keras is not imported)
        """Wraps them; what Keras has compiled already is compiled again."""
        self._model = model
        self._optimizer = optimizer
        self._wrapped: list[tuple[Any, str]] = []
        self._places: list[Place] = []
        self._active = True
        self.refresh()

    def refresh(self) -> None:
        """Wraps what was not there before: layers made when data came in, and the optimizer that compile() has set."""
        layers = keras_layers(self._model)
        places: list[Place] = [(name, where) for where in ("activations", "gradients") for name, _ in layers]
        if places != self._places:
            self._places, self._sightings = places, sightings(places)
        before = len(self._wrapped)
        for name, layer in layers:
            self._wrap(layer, "call", functools.partial(self._seeing_outputs, name))
        optimizer = self._optimizer or getattr(self._model, "optimizer", None)
        if optimizer is not None:
            self._wrap(optimizer, "apply", self._seeing_gradients)
        if len(self._wrapped) != before:
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

    def _seeing_outputs(self, layer: str, call: Callable[..., Any]) -> Callable[..., Any]:
        def seen(*arguments: Any, **options: Any) -> Any:  # noqa: ANN401 (as the layer's)
            outputs = call(*arguments, **options)
            if self._active:
                for tensor in modules["keras"].tree.flatten(outputs):
                    self._sightings.note((layer, "activations"), tensor)
            return outputs

        return seen

    def _seeing_gradients(self, apply: Callable[..., Any]) -> Callable[..., Any]:
        def seen(grads: Sequence[Any], *arguments: Any, **options: Any) -> Any:  # noqa: ANN401 (as the optimizer's)
            gradients = list(grads)
            if self._active:
                owners = self._layer_of_each_variable()
                variables = arguments[0] if arguments and arguments[0] is not None else self._model.trainable_variables
                for gradient, variable in reversed(list(zip(gradients, variables, strict=False))):
                    layer = owners.get(id(variable))
                    if gradient is not None and layer is not None:
                        self._sightings.note((layer, "gradients"), gradient)
            return apply(gradients, *arguments, **options)

        return seen

    def _layer_of_each_variable(self) -> dict[int, str]:
        """Layers inside a layer come after it, and take their variables from it."""
        return {id(variable): name for name, layer in keras_layers(self._model) for variable in layer.trainable_variables}

    def _compile_again(self) -> None:
        for name in _COMPILED:
            if getattr(self._model, name, None) is not None:
                setattr(self._model, name, None)
