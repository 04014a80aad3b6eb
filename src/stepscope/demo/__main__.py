"""`python -m stepscope.demo FOLDER STEPS`: the demo's training, in a process of its own so that the page stays fast.

It ends when its standard input does: whoever started it closes that, or is gone.
"""

from __future__ import annotations

import os
import signal
import sys
import threading

_NICENESS = 10


def main() -> None:
    """Trains until it is done or told to stop."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the one who started this.
    if hasattr(os, "nice"):
        os.nice(_NICENESS)
    # One thread for each process leaves the other cores to the loader and to the page. NumPy reads these when it is loaded.
    os.environ.update(dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "VECLIB_MAXIMUM_THREADS"), "1"))
    from stepscope.demo.experiment import run_experiment

    stop = threading.Event()
    threading.Thread(target=_watch, args=(stop,), daemon=True).start()
    run_experiment(sys.argv[1], int(sys.argv[2]), stop)


def _watch(stop: threading.Event) -> None:
    sys.stdin.read()
    stop.set()


if __name__ == "__main__":
    main()
