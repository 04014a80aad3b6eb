"""SummaryWriter: torch's interface over our own queue, encoder and files; one file beside this one per summary kind."""

from __future__ import annotations

import os
import socket
from datetime import datetime
from types import TracebackType
from typing import Self, SupportsFloat, SupportsIndex, SupportsInt

from stepscope.writer.event_stream import EventStream
from stepscope.writer.scalar import FORM_OF_PRECISION, Precision, form_of_call, scalar_entry


class SummaryWriter:
    """Writes event files that Stepscope and TensorBoard read. Safe to use from several threads, and after a fork.

    A call takes about a microsecond: the value, step and time are taken and queued, and a thread does the rest. What was
    logged is in the file 0.2 s later, or `flush_secs` later where that is shorter; so much is lost when the process is
    killed. Trouble with the disk never raises into training; writer/event_stream.py says what happens instead.
    """

    def __init__(
        self,
        log_dir: str | os.PathLike[str] | None = None,
        comment: str = "",
        purge_step: int | None = None,
        max_queue: int = 10,
        flush_secs: float = 120,
        filename_suffix: str = "",
        *,
        precision: Precision = "float32",
    ) -> None:
        """Opens an event file in log_dir, by default runs/<date>_<host><comment>.

        purge_step says that a crashed run goes on from that step: points at or after it are superseded.
        max_queue is there for torch's sake: the queue always takes at least 65,536 points.
        precision="float64" keeps all digits of every value; TensorBoard's own data server cannot show such scalars.
        """
        if precision not in FORM_OF_PRECISION:
            raise ValueError(f'Give precision as "float32" or "float64", not as {precision!r}.')
        self.log_dir = os.fspath(log_dir) if log_dir else _default_folder(comment)
        if "://" in self.log_dir:
            raise ValueError(f"Give a local folder to write to; {self.log_dir} is an address.")
        self.purge_step = purge_step
        self.max_queue = max_queue
        self.flush_secs = flush_secs
        self.filename_suffix = filename_suffix
        self._form = FORM_OF_PRECISION[precision]
        self._stream: EventStream | None = None
        self._open_stream()

    def add_scalar(
        self,
        tag: str,
        scalar_value: SupportsFloat | SupportsIndex,
        global_step: SupportsInt | SupportsIndex | None = None,
        walltime: float | None = None,
        new_style: bool = False,
        double_precision: bool = False,
    ) -> None:
        """Logs one number: anything with a single element. new_style with double_precision keeps all its digits."""
        form = form_of_call(new_style, double_precision) if new_style else None
        entry = scalar_entry(tag, scalar_value, global_step, walltime, form)
        (self._stream or self._open_stream()).put(entry)

    def get_logdir(self) -> str:
        """The folder the event file is in."""
        return self.log_dir

    def flush(self) -> None:
        """Returns when all that was logged is in the file, and warns when that is not possible within 30 s."""
        if self._stream is not None:
            self._stream.flush()

    def close(self) -> None:
        """Writes all that was logged, and marks the run as finished. Logging again opens a new file."""
        self._close(finished=True)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        """Closes; a run that ended in an exception is not marked as finished."""
        self._close(finished=error is None)

    def _open_stream(self) -> EventStream:
        self._stream = EventStream(
            self.log_dir,
            self.filename_suffix,
            max_queue=self.max_queue,
            flush_secs=self.flush_secs,
            form=self._form,
            purge_step=self.purge_step,
        )
        self.purge_step = None
        return self._stream

    def _close(self, *, finished: bool) -> None:
        stream, self._stream = self._stream, None
        if stream is not None:
            stream.close(finished)


def _default_folder(comment: str) -> str:
    started = datetime.now().astimezone().strftime("%b%d_%H-%M-%S")
    return os.path.join("runs", f"{started}_{socket.gethostname()}{comment}")
