"""Looks at the activations and gradients of torch modules through hooks, with one reduction for each tensor.

What is reduced stays on the device until it is collected, so that a GPU is waited for once a step and not once a layer.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from sys import modules
from typing import Any, cast

from stepscope.watching.numerics import INPUTS, Sight, Where

_MOST_WAITING = 100_000
"""When nobody ever collects, memory must not fill up."""


class TorchProbe:
    """Hooks in all modules of a model, and on all its parameters."""

    def __init__(self, model: Any) -> None:  # noqa: ANN401 (torch is not imported)
        """Installs the hooks."""
        if hasattr(model, "_orig_mod"):
            raise TypeError("Give the model itself, not what torch.compile made of it.")
        self._torch: Any = modules["torch"]
        self._waiting: list[tuple[str, Where, Any, Any]] = []
        """Layer, what of it, and the lowest and the highest number in it."""
        self._active = True
        self._last: tuple[int, int, int] | None = None
        self._handles: list[Any] = [model.register_forward_pre_hook(self._look_at_inputs, with_kwargs=True)]
        for name, module in model.named_modules():
            weighted = any(parameter.requires_grad for parameter in module.parameters(recurse=False))
            self._handles.append(module.register_forward_hook(self._forward_hook(name or type(module).__name__, weighted)))
        for name, parameter in model.named_parameters():
            if parameter.requires_grad:
                self._handles.append(parameter.register_post_accumulate_grad_hook(self._parameter_hook(_layer_of(name, model))))

    def collect(self) -> list[Sight]:
        """Brings all numbers to the host at once."""
        waiting, self._waiting, self._last = self._waiting, [], None
        alike: dict[Any, list[int]] = {}
        for index, (_, _, lowest, _) in enumerate(waiting):
            alike.setdefault((lowest.device, lowest.dtype), []).append(index)
        numbers = [0.0] * len(waiting)
        for indices in alike.values():
            lowest = self._torch.stack([waiting[index][2] for index in indices])
            highest = self._torch.stack([waiting[index][3] for index in indices])
            for index, number in zip(indices, self._torch.maximum(-lowest, highest).tolist(), strict=True):
                numbers[index] = number
        return [Sight(layer, where, number) for (layer, where, _, _), number in zip(waiting, numbers, strict=True)]

    def refresh(self) -> None:
        """A torch module has all its parts from the beginning."""

    def set_active(self, active: bool) -> None:
        """Hooks stay where they are and return at once."""
        self._active = active

    def remove(self) -> None:
        """Takes out all hooks."""
        self._active = False
        for handle in self._handles:
            handle.remove()
        self._handles.clear()

    def _forward_hook(self, layer: str, weighted: bool) -> Callable[..., None]:
        """A layer without weights is asked for the gradient of what it returns; others show it in those of their weights."""
        gradient_hook = self._gradient_hook(layer)

        def look(module: object, inputs: object, outputs: object) -> None:
            del module, inputs
            if not self._active or self._torch.compiler.is_compiling():
                return
            for tensor in _tensors(outputs):
                if self._is_new(tensor):
                    self._look(layer, "activations", tensor)
                    if tensor.requires_grad and not tensor.is_leaf and not weighted:
                        tensor.register_hook(gradient_hook)

        return look

    def _look_at_inputs(self, module: object, inputs: tuple[Any, ...], options: dict[str, Any]) -> None:
        del module
        if self._active and not self._torch.compiler.is_compiling():
            for tensor in _tensors([*inputs, *options.values()]):
                self._look(INPUTS, "activations", tensor)

    def _gradient_hook(self, layer: str) -> Callable[[Any], None]:
        def look(gradient: Any) -> None:  # noqa: ANN401 (torch is not imported)
            if self._active:
                self._look(layer, "gradients", gradient)

        return look

    def _parameter_hook(self, layer: str) -> Callable[[Any], None]:
        """Looks once the gradient is where it belongs: a hook before that would have torch copy it."""

        def look(parameter: Any) -> None:  # noqa: ANN401 (torch is not imported)
            if self._active and parameter.grad is not None:
                self._look(layer, "gradients", parameter.grad)

        return look

    def _is_new(self, tensor: Any) -> bool:  # noqa: ANN401 (torch is not imported)
        """A module often returns what the last one inside it has returned; that is looked at once."""
        identity = (id(tensor), tensor.data_ptr() if tensor.layout is self._torch.strided else 0, tensor._version)
        seen, self._last = self._last == identity, identity
        return not seen

    def _look(self, layer: str, where: Where, tensor: Any) -> None:  # noqa: ANN401 (torch is not imported)
        """Both ends are NaN where one is in between, and one is infinite where an infinity is; unlike a sum they cannot overflow."""
        tensor = tensor.detach()
        if tensor.is_sparse:
            tensor = tensor.coalesce().values()
        if tensor.is_complex():
            tensor = self._torch.view_as_real(tensor.resolve_conj())
        if not tensor.is_floating_point() or tensor.numel() == 0 or len(self._waiting) >= _MOST_WAITING:
            return
        if tensor.element_size() < 2:  # The smallest floats know no reductions.
            tensor = tensor.float()
        self._waiting.append((layer, where, *self._torch.aminmax(tensor)))


def _tensors(outputs: object) -> Iterator[Any]:
    """The tensors in what a module returns: one, or any nesting of lists, tuples and dictionaries."""
    if callable(getattr(outputs, "register_hook", None)):
        yield outputs
    elif isinstance(outputs, Mapping):
        for part in cast("Mapping[object, object]", outputs).values():
            yield from _tensors(part)
    elif isinstance(outputs, list | tuple):
        for part in cast("list[object]", outputs):
            yield from _tensors(part)


def _layer_of(parameter: str, model: object) -> str:
    """The module that a parameter belongs to."""
    return parameter.rpartition(".")[0] or type(model).__name__
