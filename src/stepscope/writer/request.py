"""What somebody waits for: that all which was logged before is in the file, and perhaps that the file is closed."""

from __future__ import annotations


class Request:
    """One call of flush or close, on its way through the queues."""

    __slots__ = ("closing", "done", "finished", "passed", "waited_for")

    def __init__(self, *, closing: bool = False, finished: bool = False) -> None:
        """`finished` says that the run came to its proper end."""
        self.closing = closing
        self.finished = finished
        self.passed = False
        """Whether all arrays that were put before it have been taken."""
        self.done = False
        self.waited_for = True
        """Whether the caller still waits, and will tell what the thread has to say."""
