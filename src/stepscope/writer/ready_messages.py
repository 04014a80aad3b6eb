"""Messages that the program has made itself, as it hands them to the file_writer of torch's SummaryWriter."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from stepscope.writer.message import Message
from stepscope.writer.summary import Deferred, Step, moment_of

if TYPE_CHECKING:
    from stepscope.writer.summary_writer import SummaryWriter


def serialized(message: Any, what: str) -> bytes:  # noqa: ANN401 (of TensorFlow's, TensorBoard's or another protobuf class)
    """The bytes of a protobuf message, which may be given as such."""
    if isinstance(message, bytes):
        return message
    serialize = getattr(message, "SerializeToString", None)
    if serialize is None:
        raise TypeError(f"Give {what} as a protobuf message or its bytes, not as {type(message).__name__}.")
    return bytes(serialize())


class ReadyMessages:
    """Takes Summary and Event messages for a writer's file."""

    def __init__(self, writer: SummaryWriter) -> None:
        """The writer, which stays the one to be closed."""
        self._writer = writer

    def add_summary(self, summary: object, global_step: Step = None, walltime: float | None = None) -> None:
        """Logs a Summary, such as what torch.utils.tensorboard.summary.hparams returns."""
        self._put(Message("Event").data("summary", serialized(summary, "the summary")).encoded(), global_step, walltime)

    def add_event(self, event: object, step: Step = None, walltime: float | None = None) -> None:
        """Logs an Event; the time is that of the call, and the step the event's own where none is given."""
        self._put(serialized(event, "the event"), step, walltime)

    def get_logdir(self) -> str:
        """The folder the event file is in."""
        return self._writer.get_logdir()

    def flush(self) -> None:
        """Returns when all that was logged is in the file."""
        self._writer.flush()

    def close(self) -> None:
        """Closes the writer."""
        self._writer.close()

    def _put(self, event: bytes, step: Step, walltime: float | None) -> None:
        """Of a field that stands there twice, the last counts."""
        moment = moment_of(step, walltime)
        last = Message("Event").double("wall_time", moment.wall_time)
        if step is not None:
            last.integer("step", moment.step, always=True)
        whole = event + last.encoded()
        self._writer.put_event(Deferred(lambda: whole, len(whole)))
