"""The text of the user's own table of devices."""

from __future__ import annotations

from stepscope.model.errors import BadInput
from stepscope.store.user_files import TooLong, device_file, file_state, user_text


def device_file_text() -> tuple[str, str] | None:
    """Path and text, None when there is no such file. Raises BadInput when it cannot be read."""
    path = device_file()
    if file_state(path) is None:
        return None
    try:
        return path, user_text(path)
    except TooLong as error:
        raise BadInput(f"{path} is too long for a table of devices: move it away.", "bad_device_table") from error
    except (OSError, UnicodeDecodeError) as error:
        raise BadInput(f"{path} cannot be read: make it a text file that you may read, or move it away.", "bad_device_table") from error
