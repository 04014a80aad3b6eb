"""Tags below the name scopes of TensorFlow, where it is loaded."""

from __future__ import annotations

import re
from collections.abc import Callable, Generator
from contextlib import contextmanager
from sys import modules
from typing import Any

from stepscope.writer.compiled import plain
from stepscope.writer.summary import checked_tag

# Looking it up at every call costs more than calling it; while TensorFlow is still being loaded it is missing.
_current_scope: Callable[[], str] | None = None
_NOT_IN_SCOPES = re.compile(r"[^-_/.A-Za-z0-9]")


def tag_of(name: object, default: str) -> str:
    """The tag of a summary: the scopes it stands in, then its name."""
    global _current_scope
    tag = checked_tag(name) if name else default
    if "tensorflow" not in modules:
        return tag
    if _current_scope is None:
        _current_scope = getattr(modules["tensorflow"], "get_current_name_scope", None)
    scope = "" if _current_scope is None else _current_scope()
    return f"{scope}/{tag}" if scope else tag


@plain
@contextmanager
def summary_scope(name: str, default_name: str = "summary", values: object = None) -> Generator[tuple[str, str]]:
    """A scope for a summary of one's own making: yields its tag and, with TensorFlow, the name of the scope it opens."""
    del values
    tag = tag_of(name, default_name)
    tensorflow: Any = modules.get("tensorflow")
    if tensorflow is None:
        yield tag, tag
        return
    with tensorflow.name_scope(_NOT_IN_SCOPES.sub("", name or default_name) or default_name) as scope:
        yield tag, scope
