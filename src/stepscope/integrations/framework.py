"""Reaches a framework only when its integration is used: loads its modules, and derives from its classes."""

from __future__ import annotations

import importlib
import types
from typing import Any, TypeVar

T = TypeVar("T")


def load(module: str, package: str) -> Any:  # noqa: ANN401 (frameworks are not there when types are checked)
    """The framework's module; without the package, one sentence that says what to install."""
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        if (error.name or "").split(".")[0] != module.split(".")[0]:
            raise
        raise ModuleNotFoundError(f"Install {package} to use this integration: pip install {package}", name=error.name) from None


def derived(behaviour: type[T], parent: type, name: str, **members: object) -> type[T]:
    """A class of the framework's that behaves as ours; it is found again, as pickle does, by its name in our module."""
    content = {"__doc__": behaviour.__doc__, "__module__": behaviour.__module__, **members}
    return types.new_class(name, (behaviour, parent), {}, lambda namespace: namespace.update(content))


def attribute_error(module: str, name: str) -> AttributeError:
    """What a module's own lookup raises for a name it does not have."""
    return AttributeError(f"module {module!r} has no attribute {name!r}")
