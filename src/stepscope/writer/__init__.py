"""The SDK in the training process: takes values, and appends them to event files from a thread of its own."""

from stepscope.writer.summary_writer import SummaryWriter

__all__ = ["SummaryWriter"]
