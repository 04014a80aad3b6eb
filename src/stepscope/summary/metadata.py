"""What says which plugin shows a summary, and what it tells that plugin."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from stepscope.writer.message import Message
from stepscope.writer.ready_messages import serialized


@dataclass(frozen=True)
class PluginMetadata:
    """Metadata of a summary of any plugin, for `write`."""

    plugin_name: str
    content: bytes = b""
    display_name: str = ""
    description: str = ""
    data_class: int = 0
    """0 unknown, 1 scalar, 2 tensor, 3 blobs; TensorBoard knows it of its own plugins."""

    def encoded(self) -> bytes:
        """A SummaryMetadata."""
        plugin = Message("PluginData").text("plugin_name", self.plugin_name).data("content", self.content)
        message = Message("SummaryMetadata").message("plugin_data", plugin).text("display_name", self.display_name)
        return message.text("summary_description", self.description).integer("data_class", self.data_class).encoded()


def described(plugin: str, description: object, content: bytes = b"") -> bytes:
    """The metadata of one of the known kinds."""
    if description is not None and not isinstance(description, str):
        raise TypeError(f"Give the description as a string, not as {type(description).__name__}.")
    return PluginMetadata(plugin, content, description=description or "").encoded()


def encoded_metadata(metadata: Any) -> bytes:  # noqa: ANN401 (also TensorFlow's and TensorBoard's classes)
    """The bytes of metadata in any of its forms; none is empty."""
    if metadata is None:
        return b""
    return metadata.encoded() if isinstance(metadata, PluginMetadata) else serialized(metadata, "metadata")
