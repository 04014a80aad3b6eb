"""The callback writes a trial's start and end, once; Keras is stood in for, of which it needs only the base class."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import message_fields as mf
from stepscope.writer.hparams import SUCCESS

CONTENT = ("Event.summary", "Summary.value", "Value.metadata", "SummaryMetadata.plugin_data", "PluginData.content")


class Kept:
    """A writer that keeps the events it gets."""

    def __init__(self) -> None:
        self.events: list[bytes] = []

    def put_event(self, work: Any) -> None:
        self.events.append(work.make())


@pytest.fixture
def callback(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """The class, made with a Keras that has nothing but callbacks."""
    keras, callbacks = ModuleType("keras"), ModuleType("keras.callbacks")
    callbacks.Callback = type("Callback", (), {})  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "keras", keras)
    monkeypatch.setitem(sys.modules, "keras.callbacks", callbacks)
    monkeypatch.delitem(sys.modules, "stepscope.hparams.keras_callback", raising=False)
    from stepscope.hparams.keras_callback import KerasCallback

    yield KerasCallback
    sys.modules.pop("stepscope.hparams.keras_callback", None)


def test_a_trial_begins_and_ends_with_the_training(callback: Any) -> None:
    writer = Kept()
    made = callback(writer, {"lr": 0.5}, trial_id="trial")
    assert writer.events == []
    made.on_train_begin()
    made.on_train_end()
    start, end = writer.events
    path = (*CONTENT, "HParamsPluginData.session_start_info")
    assert mf.texts(start, *path, "SessionStartInfo.group_name") == ["trial"]
    assert mf.texts(start, *path, "SessionStartInfo.hparams", "HParamsEntry.key") == ["lr"]
    assert mf.integers(end, *CONTENT, "HParamsPluginData.session_end_info", "SessionEndInfo.status") == [SUCCESS]


def test_a_callback_is_of_one_training(callback: Any) -> None:
    made = callback(Kept(), {"lr": 0.5})
    made.on_train_begin()
    made.on_train_end()
    with pytest.raises(RuntimeError):
        made.on_train_begin()


def test_a_folder_gets_a_writer_of_its_own(callback: Any, tmp_path: Path) -> None:
    made = callback(str(tmp_path), {"lr": 0.5})
    made.on_train_begin()
    made.on_train_end()
    (path,) = tmp_path.glob("*tfevents*")
    content = path.read_bytes()
    assert content.index(b"_hparams_/session_start_info") < content.index(b"_hparams_/session_end_info")


@pytest.mark.parametrize(("writer", "values"), [(3, {"lr": 0.5}), (Kept(), {"lr": [1]})])
def test_what_is_wrong_is_said_before_training(callback: Any, writer: object, values: dict[str, object]) -> None:
    with pytest.raises(TypeError):
        callback(writer, values)


def test_without_keras_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "keras.callbacks", None)
    monkeypatch.delitem(sys.modules, "stepscope.hparams.keras_callback", raising=False)
    with pytest.raises(ImportError, match="pip install keras"):
        import stepscope.hparams.keras_callback  # noqa: F401
