"""The command line. `stepscope VERB …`, and `stepscope LOGDIR` for `stepscope serve LOGDIR`."""

from __future__ import annotations

import sys
from collections.abc import Sequence


def main(arguments: Sequence[str] | None = None) -> None:
    """Runs the command line and ends the process with its exit code."""
    # Imported here, so that importing the package for its types costs nothing.
    from stepscope.cli.verbs import run_verbs

    sys.exit(run_verbs(list(sys.argv[1:] if arguments is None else arguments)))
