"""Logs the norm and the distribution of every weight and gradient of a model, named by their paths."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from sys import modules
from typing import TYPE_CHECKING, Any, Protocol, cast

from stepscope.watching.models import arrays_in, is_keras, is_torch, keras_variables
from stepscope.writer.arrays import take
from stepscope.writer.compiled import compiler, plain
from stepscope.writer.histogram import NonFinite, histogram_work
from stepscope.writer.recording import condition_at
from stepscope.writer.summary import Deferred, Step, moment_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

_non_finite = NonFinite()


class Writer(Protocol):
    """SummaryWriter, or a writer of stepscope.summary."""

    def put_scalar(self, tag: str, value: float, step: Step) -> None:
        """Logs one number."""
        ...

    def put_event(self, work: Deferred) -> None:
        """Logs an event of any kind."""
        ...


@plain
def log_weights(writer: Writer, model: object, step: Any, *, histograms: bool = True) -> None:  # noqa: ANN401 (a number of any kind)
    """Logs weight_norm/<path> and the distribution weights/<path> of every weight, and weight_norm of all together.

    `model` is a torch module, a Keras model, or nested dictionaries of arrays.
    """
    _log(writer, "weight", _weights(model), step, histograms)


@plain
def log_gradients(
    writer: Writer,
    model: object,
    step: Any,  # noqa: ANN401 (a number of any kind)
    gradients: Sequence[object] | None = None,
    *,
    histograms: bool = True,
) -> None:
    """Logs gradient_norm/<path> and the distribution gradients/<path> of every gradient, and gradient_norm of all together.

    `model` is a torch module after backward(), a Keras model with the gradients of its trainable_variables, or nested
    dictionaries of the gradients themselves. A weight without a gradient is left out.
    """
    _log(writer, "gradient", _gradients(model, gradients), step, histograms)


def _weights(model: object) -> list[tuple[str, Any]]:
    if is_keras(model):
        return keras_variables(model)
    if is_torch(model):
        return _torch_parameters(cast("Any", model))
    if isinstance(model, Mapping):
        return list(arrays_in(cast("Mapping[Any, Any]", model)))
    raise TypeError(f"Give a torch module, a Keras model or a dictionary of arrays, not {type(model).__name__}.")


def _gradients(model: object, gradients: Sequence[object] | None) -> list[tuple[str, Any]]:
    named = _weights(model)
    if is_keras(model):
        names = {id(variable): name for name, variable in named}
        variables: list[Any] = list(cast("Any", model).trainable_variables)
        given = _on_torch(variables) if gradients is None else list(gradients)
        if len(given) != len(variables):
            raise ValueError(f"Give a gradient, or None, for each of the {len(variables)} trainable_variables; there are {len(given)}.")
        named = [(names[id(variable)], gradient) for variable, gradient in zip(variables, given, strict=True)]
    elif gradients is not None:
        if len(gradients) != len(named):
            raise ValueError(f"Give a gradient, or None, for each of the {len(named)} weights; there are {len(gradients)}.")
        named = [(name, gradient) for (name, _), gradient in zip(named, gradients, strict=True)]
    elif is_torch(model):
        named = [(name, parameter.grad) for name, parameter in named]
    return [(name, gradient) for name, gradient in named if gradient is not None]


def _on_torch(variables: Sequence[Any]) -> list[Any]:
    """Of a Keras model on torch the gradients are where torch leaves them; elsewhere they have to be given."""
    values = [getattr(variable, "value", None) for variable in variables]
    if not all(callable(getattr(value, "backward", None)) for value in values):
        raise TypeError("Give the gradients of model.trainable_variables, as tape.gradient or gradients_of returns them.")
    return [cast("Any", value).grad for value in values]


def _torch_parameters(model: Any) -> list[tuple[str, Any]]:  # noqa: ANN401 (torch is not imported)
    """Without those that have no value yet: of lazy layers, and on the device "meta"."""
    named: Iterable[tuple[str, Any]] = model.named_parameters()
    return [(name, each) for name, each in named if not hasattr(each, "materialize") and each.device.type != "meta"]


def _log(writer: Writer, kind: str, named: list[tuple[str, Any]], step: Any, histograms: bool) -> None:  # noqa: ANN401
    values = tuple(_dense(value) for _, value in named)
    names = [name for name, _ in named]

    def put(at: Any, *arrays: object) -> None:  # noqa: ANN401 (a number of any kind)
        _put(writer, kind, names, [_numbers(array) for array in arrays], at, histograms)

    tracing = compiler()
    condition = condition_at(step)
    if tracing is not None:
        tracing.call_back(put, (step, *values), condition)
    elif condition:
        put(step, *values)


def _put(writer: Writer, kind: str, names: list[str], arrays: list[NDArray[Any]], step: Any, histograms: bool) -> None:  # noqa: ANN401
    import numpy as np

    moment = moment_of(step.item() if hasattr(step, "item") else step, None)
    tag = f"{kind}s"
    squares = 0.0
    for name, array in zip(names, arrays, strict=True):
        norm = float(np.linalg.norm(array.reshape(-1).astype(np.float64)))
        squares += norm * norm
        writer.put_scalar(f"{kind}_norm/{name}", norm, moment.step)
        if histograms and array.size:
            writer.put_event(histogram_work(f"{tag}/{name}", array, "tensorflow", None, _non_finite, moment))
    if names:
        writer.put_scalar(f"{kind}_norm", squares**0.5, moment.step)


def _dense(value: Any) -> Any:  # noqa: ANN401 (a tensor of any framework)
    """The tensor of a Keras variable, and the numbers of sparse gradients, which both frameworks hold in one array."""
    if hasattr(value, "trainable") and hasattr(value, "assign"):
        value = value.value
    if type(value).__name__ == "IndexedSlices":
        return value.values
    if getattr(value, "is_sparse", False) is True:
        return value.coalesce().values()
    return value


def _numbers(value: object) -> NDArray[Any]:
    """As they are now; a complex number counts as two."""
    parts: Any = getattr(modules.get("torch"), "view_as_real", None)
    if parts is not None and _is_torch_complex(value):
        value = parts(cast("Any", value).detach().resolve_conj())
    return take(value, "each weight or gradient")


def _is_torch_complex(value: Any) -> bool:  # noqa: ANN401 (a tensor of any framework)
    """Whether it is a torch tensor of complex numbers."""
    asked = getattr(value, "is_complex", None)
    return callable(asked) and bool(asked())
