"""Files that a command writes because the user asked for them: their names are checked first, and a failed write is one sentence."""

from __future__ import annotations

import os
from collections.abc import Iterable

from stepscope.cli.terminal import printable
from stepscope.model.errors import BadInput

HTML_ENDINGS = (".html", ".htm")


def check_name(target: str, endings: tuple[str, ...]) -> None:
    """That a slip of the hand writes over nothing but such a file. Raises BadInput."""
    if not target.lower().endswith(endings):
        raise BadInput(f"{printable(target)} must end in {endings[0]}.", "wrong_ending")


def write_file(target: str, pieces: Iterable[bytes]) -> int:
    """Writes the file, over an older one, and returns its number of bytes. Raises BadInput when it cannot be written."""
    try:
        with open(os.path.expanduser(target), "wb") as file:
            return sum(file.write(piece) for piece in pieces)
    except OSError as error:
        reason = error.strerror or str(error)
        raise BadInput(f"Cannot write {printable(target)}: {reason}; give another path.", "not_written") from error
