"""The table of devices with the rows of the user's own file, for the analyses that take it."""

from __future__ import annotations

from stepscope.analyses.devices.table import DeviceTable, published_devices, with_yours
from stepscope.model.errors import BadInput
from stepscope.store.user_files import TooLong, device_file, file_state, user_text


def device_table() -> DeviceTable:
    """The user's rows, if any, before the published ones. Raises BadInput when the user's file cannot be used."""
    path = device_file()
    if file_state(path) is None:
        return published_devices()
    try:
        text = user_text(path)
    except TooLong as error:
        raise BadInput(f"{path} is too long for a table of devices: move it away.", "bad_device_table") from error
    except (OSError, UnicodeDecodeError) as error:
        raise BadInput(f"{path} cannot be read: make it a text file that you may read, or move it away.", "bad_device_table") from error
    return with_yours(text, path)
