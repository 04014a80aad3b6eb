"""A program that logs in its main thread while signals interrupt it, whose handlers log as well; prints what has to be in the files.

Arguments: folder, what the main thread does, number of signals, seed, seconds until a deadlock is assumed, and perhaps `raising`:
then handlers do not log but raise, as that of Ctrl-C does, and what counts is every call that returned.

Two timers of their own signals each fire once, at random moments, and are set again when their handler is done: so handlers
interrupt each other, but never without end.
"""

from __future__ import annotations

import contextlib
import faulthandler
import json
import os
import random
import signal
import sys
import time
from collections.abc import Callable
from types import FrameType

import numpy as np

from stepscope import writer as writer_package
from stepscope.writer import SummaryWriter

folder, doing = sys.argv[1], sys.argv[2]
signals, seed = int(sys.argv[3]), int(sys.argv[4])
faulthandler.dump_traceback_later(float(sys.argv[5]), exit=True)  # a deadlock shows where it is
raising = sys.argv[6:] == ["raising"]
draw = random.Random(seed)
TIMERS = {signal.SIGALRM: signal.ITIMER_REAL, signal.SIGPROF: signal.ITIMER_PROF}
writer = SummaryWriter(f"{folder}/main")
counts = {"signals": 0, "handled": 0, "texts": 0, "histograms": 0, "main": 0, "writers": 0}
VALUES = np.arange(32.0)
WRITER = os.path.dirname(writer_package.__file__)
returned: list[int] = []


class Interrupted(BaseException):
    """What a handler raises."""


def interrupt(number: int, frame: FrameType | None) -> None:
    """Ends what the writer does now; anything else goes on."""
    arm(signal.Signals(number))
    if frame is not None and frame.f_code.co_filename.startswith(WRITER):
        counts["signals"] += 1
        raise Interrupted


def handle(number: int, frame: FrameType | None) -> None:
    """Logs as a handler of preemption does, and now and then flushes or closes."""
    counts["signals"] += 1
    at = counts["signals"]
    writer.add_scalar("handled", at, at)
    counts["handled"] += 1
    match at % 8:
        case 0 | 1:
            writer.add_text("note", f"signal {at}", at)
            counts["texts"] += 1
        case 2 | 3:
            writer.add_histogram("weights", VALUES, at)
            counts["histograms"] += 1
        case 4:
            writer.flush()
        case 5 if at % 40 == 5:
            writer.close()
        case _:
            pass
    arm(signal.Signals(number))


def arm(which: signal.Signals) -> None:
    """The next signal of that kind, once."""
    if counts["signals"] < signals:
        signal.setitimer(TIMERS[which], draw.uniform(0.00003, 0.0015))


def log_until_the_last_signal() -> None:
    """Logs; a step that was interrupted is not done again."""
    while counts["signals"] < signals:
        step = counts["main"]
        counts["main"] += 1
        DOING[doing](step)
        returned.append(step)
        if step % 16 == 0:
            time.sleep(0.0002)  # or a tight loop would log millions


def scalar(step: int) -> None:
    writer.add_scalar("main", step, step)


def text(step: int) -> None:
    scalar(step)
    writer.add_text("note", "main", step)
    counts["texts"] += 1


def histogram(step: int) -> None:
    scalar(step)
    writer.add_histogram("weights", VALUES, step)
    counts["histograms"] += 1


def flush(step: int) -> None:
    scalar(step)
    writer.flush()


def close(step: int) -> None:
    scalar(step)
    if step % 10 == 0:
        writer.close()


def new_writer(step: int) -> None:
    scalar(step)
    if step % 20 == 0:
        with SummaryWriter(f"{folder}/other/{step}") as other:
            other.add_scalar("a", 1.0, step)
        counts["writers"] += 1


def keys(step: int) -> None:
    scalar(step)
    if step % 20 == 0 and counts["writers"] < 60:
        writer.add_scalars("loss", {str(step): 1.0}, step)
        counts["writers"] += 1


def hparams(step: int) -> None:
    scalar(step)
    if step % 50 == 0:
        writer.add_hparams({"lr": 0.1}, {"loss": 1.0}, run_name=f"h{step}")
        counts["writers"] += 1


DOING: dict[str, Callable[[int], None]] = {
    "scalar": scalar,
    "text": text,
    "histogram": histogram,
    "flush": flush,
    "close": close,
    "new_writer": new_writer,
    "keys": keys,
    "hparams": hparams,
}

for which in TIMERS:
    signal.signal(which, interrupt if raising else handle)
    arm(which)
while counts["signals"] < signals:
    with contextlib.suppress(Interrupted):
        log_until_the_last_signal()
for timer in TIMERS.values():
    signal.setitimer(timer, 0)
writer.close()
print(json.dumps({**counts, "returned": returned if raising else []}))
