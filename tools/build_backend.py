"""The build backend of `pip install .`: scikit-build-core, and node from PyPI where the machine has none.

A source archive gets the built page, so that installing from it needs no node at all.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from scikit_build_core import build as core

sys.path.insert(0, str(Path(__file__).resolve().parent))

import node
import page

build_editable = core.build_editable
build_wheel = core.build_wheel
get_requires_for_build_editable = core.get_requires_for_build_editable
prepare_metadata_for_build_editable = core.prepare_metadata_for_build_editable
prepare_metadata_for_build_wheel = core.prepare_metadata_for_build_wheel


def node_requirement() -> list[str]:
    """Node from PyPI, only when the page must be built and the machine has no usable node."""
    return [] if page.is_current() or node.system_node() else [node.WHEEL]


def get_requires_for_build_wheel(config_settings: dict[str, Any] | None = None) -> list[str]:
    """What scikit-build-core needs, and node when there is none."""
    return [*core.get_requires_for_build_wheel(config_settings), *node_requirement()]


def get_requires_for_build_sdist(config_settings: dict[str, Any] | None = None) -> list[str]:
    """As for a wheel: the archive holds the built page."""
    return [*core.get_requires_for_build_sdist(config_settings), *node_requirement()]


def build_sdist(sdist_directory: str, config_settings: dict[str, Any] | None = None) -> str:
    """Builds the page, then the archive around it."""
    page.build()
    return core.build_sdist(sdist_directory, config_settings)
