"""Tags below the name scopes of TensorFlow, where it is loaded."""

from __future__ import annotations

import re
from collections.abc import Generator
from contextlib import contextmanager
from sys import modules
from typing import Any

from stepscope.writer.compiled import plain
from stepscope.writer.summary import checked_tag

_NOT_IN_SCOPES = re.compile(r"[^-_/.A-Za-z0-9]")


def tag_of(name: object, default: str) -> str:
    """The tag of a summary: the scopes it stands in, then its name."""
    tag = checked_tag(name) if name else default
    current: Any = getattr(modules.get("tensorflow"), "get_current_name_scope", None)
    if current is None:
        return tag
    scope = current()
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
