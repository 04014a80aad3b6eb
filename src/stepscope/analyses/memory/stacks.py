"""What a stack of an allocator's snapshot says in short: the operation that asked for memory, and the user's own line above it."""

from __future__ import annotations

import re
from collections.abc import Sequence

_OPERATION = re.compile(r"\bat::_ops::(\w+)::")
_BUILT_IN = re.compile(r"<built-in (?:method|function) (\w+)")
_PYTHON = re.compile(r"\.py(?::\d+ |\(\d+\): )")
_PACKAGES = re.compile(r"^.*[/\\](?:site|dist)-packages[/\\]")
_LIBRARIES = re.compile(r"(?:^|[/\\])(?:site-packages|dist-packages|torch|jax|flax|importlib)[/\\]|^<frozen ")


def operation_of(stack: Sequence[str]) -> str:
    """The innermost operation or function that a user may know, "" for an empty stack."""
    for frame in stack:
        if found := _OPERATION.search(frame):
            return f"aten::{found[1]}"
        if found := _BUILT_IN.search(frame):
            return found[1]
        if _PYTHON.search(frame):
            return _PACKAGES.sub("", frame)
    return stack[0] if stack else ""


def own_line_of(stack: Sequence[str]) -> str:
    """The innermost line of Python that is in no library, "" when there is none."""
    return next((frame for frame in stack if _PYTHON.search(frame) and not _LIBRARIES.search(frame)), "")
