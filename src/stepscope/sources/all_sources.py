"""Every source Stepscope reads from, by the scheme of an address, and how the source of a path is found."""

from __future__ import annotations

import re
from importlib import import_module

from stepscope.model.errors import BadInput
from stepscope.sources.local_folder import LocalFolder
from stepscope.sources.source import Source

LOCAL = LocalFolder()

SOURCES: dict[str, str] = {}
"""Scheme to the module here whose `SOURCE` reads such addresses; it is imported when the first of them is read."""

OPENED: dict[str, Source] = {}
"""Sources in use, by scheme."""

_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]+)://")


def source_of(path: str) -> Source:
    """The source that a path lies in; one without a scheme is local. Raises BadInput when its scheme is unknown."""
    if "://" not in path or not (match := _SCHEME.match(path)):
        return LOCAL
    scheme = match[1].lower()
    return OPENED.get(scheme) or _open(scheme)


def _open(scheme: str) -> Source:
    if scheme not in SOURCES:
        also = f", or an address that starts with {' or '.join(f'{known}://' for known in SOURCES)}" if SOURCES else ""
        raise BadInput(f"Stepscope cannot read {scheme}:// addresses; give a local folder{also}.", "unknown_scheme")
    source: Source = import_module(f"stepscope.sources.{SOURCES[scheme]}").SOURCE
    return OPENED.setdefault(scheme, source)
