"""TensorFlow 1's FileWriter, which takes ready messages: TensorFlow's, TensorBoard's, or their bytes."""

from __future__ import annotations

import logging
import os
from types import TracebackType
from typing import Self

from stepscope.summary.graphs import event_work, graph_work
from stepscope.writer import SummaryWriter
from stepscope.writer.message import Message
from stepscope.writer.ready_messages import serialized
from stepscope.writer.summary import Deferred, Step, checked_tag, moment_of

_log = logging.getLogger("stepscope.summary")


class FileWriter:
    """Writes messages to an event file, with TensorFlow 1's methods. It needs neither a session nor a graph."""

    def __init__(
        self,
        logdir: str | os.PathLike[str],
        graph: object = None,
        max_queue: int = 10,
        flush_secs: float = 120,
        graph_def: object = None,
        filename_suffix: str | None = None,
        session: object = None,
    ) -> None:
        """Opens an event file in logdir, and logs the graph when one is given. The session is there for TensorFlow's sake."""
        del session
        self._writer = SummaryWriter(logdir, max_queue=max_queue, flush_secs=flush_secs, filename_suffix=filename_suffix or "")
        self._closed = False
        self._said_closed = False
        self._metadata_tags: set[str] = set()
        if graph is not None or graph_def is not None:
            self.add_graph(graph, graph_def=graph_def)

    def add_summary(self, summary: object, global_step: Step = None) -> None:
        """Logs a Summary message, such as the result of a summary operation."""
        self._put(event_work(moment_of(global_step, None), "summary", serialized(summary, "the summary")))

    def add_graph(self, graph: object, global_step: Step = None, graph_def: object = None) -> None:
        """Logs a graph: a tf.Graph or a GraphDef."""
        if graph is not None and graph_def is not None:
            raise ValueError("Give graph or graph_def, which mean the same, but not both.")
        self._put(graph_work(graph_def if graph is None else graph, moment_of(global_step, None)))

    def add_meta_graph(self, meta_graph_def: object, global_step: Step = None) -> None:
        """Logs a MetaGraphDef message."""
        self._put(event_work(moment_of(global_step, None), "meta_graph_def", serialized(meta_graph_def, "the meta graph")))

    def add_run_metadata(self, run_metadata: object, tag: str, global_step: Step = None) -> None:
        """Logs what one run of a session used, as a RunMetadata message, under a tag of its own."""
        if checked_tag(tag) in self._metadata_tags:
            raise ValueError(f"Give each run's metadata a tag of its own; {tag!r} is used already.")
        tagged = Message("TaggedRunMetadata").text("tag", tag).data("run_metadata", serialized(run_metadata, "the run's metadata"))
        self._put(event_work(moment_of(global_step, None), "tagged_run_metadata", tagged.encoded()))
        self._metadata_tags.add(tag)

    def add_session_log(self, session_log: object, global_step: Step = None) -> None:
        """Logs a SessionLog message: a start, a stop or a checkpoint."""
        self._put(event_work(moment_of(global_step, None), "session_log", serialized(session_log, "the session's log")))

    def add_event(self, event: object) -> None:
        """Logs a whole Event message."""
        encoded = serialized(event, "the event")
        self._put(Deferred(lambda: encoded, len(encoded)))

    def get_logdir(self) -> str:
        """The folder the event file is in."""
        return self._writer.get_logdir()

    def flush(self) -> None:
        """Returns when all that was logged is in the file."""
        self._writer.flush()

    def close(self) -> None:
        """Writes all that was logged. Until reopen is called, nothing more is."""
        self._closed = True
        self._writer.close()

    def reopen(self) -> None:
        """Goes on after close, in a new file."""
        self._closed = False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def _put(self, work: Deferred) -> None:
        if not self._closed:
            self._writer.put_event(work)
        elif not self._said_closed:
            self._said_closed = True
            _log.warning("The FileWriter of %s is closed and writes nothing; call reopen before logging again.", self.get_logdir())
