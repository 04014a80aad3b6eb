"""What the command line decides about answering: names, prefix and the folder of the page."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from stepscope.dashboards.perfetto_copy import perfetto_copy

PAGE_FOLDER = Path(__file__).parent / "page"
LOCAL_NAMES = frozenset({"localhost", "127.0.0.1", "[::1]"})


@dataclass(frozen=True, slots=True)
class Settings:
    """How one server answers."""

    path_prefix: str = ""
    """Empty, or a path that begins and does not end with a slash."""
    hosts: frozenset[str] = LOCAL_NAMES
    """Host names this server answers to, in lower case and without port."""
    any_address: bool = False
    """Whether a numeric address is accepted as host too: true only when listening on all interfaces."""
    page_folder: Path = PAGE_FOLDER
    perfetto_folder: Path | None = field(default_factory=perfetto_copy)
    """An installed copy of Perfetto's viewer, if there is one."""
    plugins: bool = False
    """Whether installed plugins of TensorBoard are loaded."""
    plugin_hosts: tuple[str, ...] = ()
    """Other hosts that the frames of plugins may load from."""
