"""What a writer tells those who log along with training: the step it has reached, and that it is about to close."""

from __future__ import annotations

from pathlib import Path

from stepscope.writer import SummaryWriter


class Companion:
    """Logs one last time when it is closed."""

    def __init__(self, writer: SummaryWriter) -> None:
        self.writer = writer
        self.closed = 0

    def close(self) -> None:
        self.closed += 1
        self.writer.add_scalar("last", 1.0, 9)


def test_the_current_step_is_the_highest_logged(tmp_path: Path) -> None:
    with SummaryWriter(tmp_path) as writer:
        assert writer.current_step is None
        for step in (3, 7, 5):
            writer.add_scalar("loss", 0.5, step)
            writer.flush()
        assert writer.current_step == 7
        writer.add_histogram("weights", [1.0, 2.0], 9)
        writer.add_scalar("loss", 0.5, 8)
        writer.flush()
        assert writer.current_step == 8


def test_companions_are_closed_once_and_before_the_writer(tmp_path: Path) -> None:
    writer = SummaryWriter(tmp_path)
    companion = Companion(writer)
    writer.attach(companion)
    writer.close()
    assert companion.closed == 1
    assert len(list(tmp_path.iterdir())) == 1, "its last point went into a file of its own"
    writer.close()
    assert companion.closed == 1
