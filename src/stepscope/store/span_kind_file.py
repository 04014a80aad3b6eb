"""Where the user's own kinds of spans lie: beside what users typed, or where STEPSCOPE_SPAN_KINDS says."""

from __future__ import annotations

import os

from stepscope.store.folders import data_folder

VARIABLE = "STEPSCOPE_SPAN_KINDS"


def span_kind_file() -> str:
    """The file; it need not exist."""
    chosen = os.environ.get(VARIABLE)
    return os.path.expanduser(chosen) if chosen else str(data_folder() / "span_kinds.toml")
