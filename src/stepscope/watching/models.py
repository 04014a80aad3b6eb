"""Tells models of one framework from those of another, and names what is in them by paths that are unique.

Frameworks are looked for among what the program has loaded, and never imported.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from sys import modules
from typing import Any, TypeVar, cast

Item = TypeVar("Item")


def is_keras(model: object) -> bool:
    """Whether it is a model or layer of Keras, on whatever backend."""
    kind = getattr(modules.get("keras"), "Layer", None)
    return kind is not None and isinstance(model, kind)


def is_torch(model: object) -> bool:
    """Whether it is a module of torch; layers of Keras on torch are, too."""
    kind = getattr(getattr(modules.get("torch"), "nn", None), "Module", None)
    return kind is not None and isinstance(model, kind)


def unique(items: Iterable[Item], path_of: Callable[[Item], str], known: Iterable[tuple[str, Item]] = ()) -> list[tuple[str, Item]]:
    """Each item with its path, after those that are known; what has the path of an earlier one gets _2, _3 and so on."""
    named = list(known)
    taken = {name for name, _ in named}
    seen = {id(item) for _, item in named}
    for item in items:
        if id(item) in seen:
            continue
        path = name = path_of(item)
        number = 2
        while name in taken:
            name, number = f"{path}_{number}", number + 1
        taken.add(name)
        named.append((name, item))
    return named


def keras_variables(model: Any) -> list[tuple[str, Any]]:  # noqa: ANN401 (Keras is not imported)
    """All variables of a Keras model. Their `name` is only "kernel" or "bias"; the path has the layers in it."""
    return unique(model.weights, lambda variable: str(variable.path))


def keras_layers(model: Any, known: Iterable[tuple[str, Any]] = ()) -> list[tuple[str, Any]]:  # noqa: ANN401 (Keras is not imported)
    """The model itself and all layers inside it, however deep, without those that only stand for an input."""
    layers = cast("Iterator[Any]", model._flatten_layers())
    inner = [layer for layer in layers if type(layer).__name__ != "InputLayer"]
    return unique(inner, lambda layer: str(getattr(layer, "path", None) or layer.name), known)


def arrays_in(tree: Mapping[Any, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    """The arrays of nested dictionaries, as JAX's libraries keep weights and gradients in."""
    for key, value in tree.items():
        if isinstance(value, Mapping):
            yield from arrays_in(cast("Mapping[Any, Any]", value), f"{prefix}{key}/")
        else:
            yield f"{prefix}{key}", value
