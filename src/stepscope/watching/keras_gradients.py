"""The gradients of a compiled Keras model on one batch, on whatever backend it runs."""

from __future__ import annotations

from sys import modules
from typing import Any

from stepscope.watching.models import is_keras


def gradients_of(model: Any, inputs: Any, targets: Any) -> list[Any]:  # noqa: ANN401 (Keras is not imported)
    """The gradients of the model's own loss, in the order of model.trainable_variables. Nothing is trained by it."""
    if not is_keras(model) or getattr(model, "optimizer", None) is None:
        raise TypeError("Give a Keras model that compile() has given a loss.")
    backend = modules["keras"].backend.backend()
    if backend == "torch":
        return _with_torch(model, inputs, targets)
    if backend == "jax":
        return _with_jax(model, inputs, targets)
    with modules["tensorflow"].GradientTape() as tape:
        loss = _loss(model, inputs, targets)
    return list(tape.gradient(loss, model.trainable_variables))


def _loss(model: Any, inputs: Any, targets: Any) -> Any:  # noqa: ANN401 (Keras is not imported)
    return model.compute_loss(x=inputs, y=targets, y_pred=model(inputs, training=True))


def _with_torch(model: Any, inputs: Any, targets: Any) -> list[Any]:  # noqa: ANN401 (Keras is not imported)
    """Asked for directly, so that the gradients that training is about to use stay as they are."""
    values = [variable.value for variable in model.trainable_variables]
    return list(modules["torch"].autograd.grad(_loss(model, inputs, targets), values, allow_unused=True))


def _with_jax(model: Any, inputs: Any, targets: Any) -> list[Any]:  # noqa: ANN401 (Keras is not imported)
    keras: Any = modules["keras"]

    def loss_at(values: list[Any]) -> Any:  # noqa: ANN401 (Keras is not imported)
        with keras.StatelessScope(state_mapping=list(zip(model.trainable_variables, values, strict=True))):
            return _loss(model, inputs, targets)

    return list(modules["jax"].grad(loss_at)([variable.value for variable in model.trainable_variables]))
