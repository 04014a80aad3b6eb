"""STEPSCOPE_PROFILE: what it can say, and that a mistake in it costs a warning and no training."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from stepscope.capture.environment import VARIABLE, capture_from_environment, options_of
from stepscope.capture.marked_steps import MarkedSteps


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("steps=1,10,100 memory", {"steps": "1,10,100", "memory": True}),
        ("epochs=2 no-shapes budget=50MB name=slow", {"epochs": "2", "shapes": False, "budget": "50MB", "name": "slow"}),
        ("steps=5 framework=jax stacks", {"steps": "5", "framework": "jax", "stacks": True}),
    ],
)
def test_words_and_values(text: str, expected: dict[str, Any]) -> None:
    assert options_of(text) == expected


@pytest.mark.parametrize("text", ["memory", "steps", "steps=", "steps=x", "steps=1 fast", "logdir=/tmp steps=1", "steps=1 budget=no"])
def test_a_mistake_is_one_warning(text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    monkeypatch.setenv(VARIABLE, text)
    assert capture_from_environment(str(tmp_path)) is None
    (record,) = caplog.records
    assert VARIABLE in record.getMessage()


def test_nothing_is_asked_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(VARIABLE, raising=False)
    assert MarkedSteps.from_environment(str(tmp_path)) is None


def test_steps_of_a_callback(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, "steps=2-3")
    steps = MarkedSteps.from_environment(str(tmp_path), "python")
    assert steps is not None
    for number in range(1, 6):
        steps.begin(number)
        if number != 2:  # It failed: the next one ends it.
            steps.end()
    steps.close()
    (path,) = tmp_path.glob("plugins/profile/*/*.trace.json")
    text = path.read_text()
    assert [f"ProfilerStep#{number}" in text for number in range(1, 6)] == [False, True, True, False, False]
