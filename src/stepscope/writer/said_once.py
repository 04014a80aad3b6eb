"""Warnings about what was logged, each once in a process: a training logs the like of it at every step."""

from __future__ import annotations

import logging

_log = logging.getLogger("stepscope.writer")
_said: set[str] = set()


def warn_once(trouble: str, *facts: object) -> None:
    """Logs the sentence with its facts, unless the same trouble has been told of already."""
    if trouble not in _said:
        _said.add(trouble)
        _log.warning(f"{trouble} This message appears once.", *facts)
