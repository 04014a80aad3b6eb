"""Metadata names the plugin that shows a summary, in each of the forms it may be given in."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

import message_fields as mf
from stepscope.summary.metadata import PluginMetadata, described, encoded_metadata


def test_every_field_of_metadata_is_written() -> None:
    made = PluginMetadata("mine", b"content", "Shown", "Said", data_class=2).encoded()
    assert mf.texts(made, "SummaryMetadata.plugin_data", "PluginData.plugin_name") == ["mine"]
    assert mf.data(made, "SummaryMetadata.plugin_data", "PluginData.content") == b"content"
    assert mf.texts(made, "SummaryMetadata.display_name") == ["Shown"]
    assert mf.texts(made, "SummaryMetadata.summary_description") == ["Said"]
    assert mf.integers(made, "SummaryMetadata.data_class") == [2]


def test_a_known_kind_has_its_plugin_and_what_is_said_of_it() -> None:
    made = described("text", "*said*", b"c")
    assert made == PluginMetadata("text", b"c", description="*said*").encoded()
    assert mf.found(described("text", None), "SummaryMetadata.summary_description") == []


@pytest.mark.parametrize("description", [3, b"said", ["said"]])
def test_a_description_is_a_text(description: object) -> None:
    with pytest.raises(TypeError):
        described("text", description)


def test_metadata_may_be_ours_bytes_or_a_message() -> None:
    ours = PluginMetadata("mine")
    message = SimpleNamespace(SerializeToString=ours.encoded)
    assert encoded_metadata(ours) == encoded_metadata(ours.encoded()) == encoded_metadata(message) == ours.encoded()
    assert encoded_metadata(None) == b""
    with pytest.raises(TypeError):
        encoded_metadata(3)
