"""Every source Stepscope reads from, by the scheme of an address, and how the source of a path is found."""

from __future__ import annotations

import re

from stepscope.model.errors import BadInput
from stepscope.sources.local_folder import LocalFolder
from stepscope.sources.source import Source

LOCAL = LocalFolder()

SOURCES: dict[str, Source] = {
    "": LOCAL,  # a path without a scheme
}

_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]+)://")


def source_of(path: str) -> Source:
    """The source that a path lies in. Raises BadInput when its scheme is unknown."""
    if "://" not in path or not (match := _SCHEME.match(path)):
        return LOCAL
    found = SOURCES.get(match[1].lower())
    if found is None:
        known = [f"{scheme}://" for scheme in SOURCES if scheme]
        also = f", or an address that starts with {' or '.join(known)}" if known else ""
        raise BadInput(f"Stepscope cannot read {match[1]}:// addresses; give a local folder{also}.", "unknown_scheme")
    return found
