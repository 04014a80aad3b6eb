"""tf.summary's interface over Stepscope's writer, for every framework: `from stepscope import summary` is the whole migration."""

from stepscope.summary import experimental
from stepscope.summary.file_writer import FileWriter
from stepscope.summary.graphs import graph, trace_export, trace_off, trace_on
from stepscope.summary.kinds import audio, histogram, image, log, scalar, text, write
from stepscope.summary.metadata import PluginMetadata
from stepscope.summary.writers import SummaryWriter, create_file_writer, create_noop_writer, flush, should_record_summaries
from stepscope.writer.recording import record_if

__all__ = [
    "FileWriter",
    "PluginMetadata",
    "SummaryWriter",
    "audio",
    "create_file_writer",
    "create_noop_writer",
    "experimental",
    "flush",
    "graph",
    "histogram",
    "image",
    "log",
    "record_if",
    "scalar",
    "should_record_summaries",
    "text",
    "trace_export",
    "trace_off",
    "trace_on",
    "write",
]


def __dir__() -> list[str]:
    """The names of tf.summary and ours, without the files they come from."""
    return sorted({*__all__, *(name for name in globals() if name.startswith("__"))})
