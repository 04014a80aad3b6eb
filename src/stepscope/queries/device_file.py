"""Where the user's own table of devices lies: beside what users typed, or where STEPSCOPE_DEVICES says."""

from __future__ import annotations

import os
from pathlib import Path

from stepscope.store.folders import data_folder


def device_file() -> Path:
    """The file; it need not exist."""
    chosen = os.environ.get("STEPSCOPE_DEVICES")
    return Path(chosen).expanduser() if chosen else data_folder() / "devices.toml"
