"""Hyperparameters without any framework: what is refused, what a run looks like afterwards, and what is loaded for it."""

from __future__ import annotations

import logging
import subprocess
import sys
from pathlib import Path

import pytest

import stepscope
from stepscope import hparams as hp
from stepscope.summary import create_file_writer, writers


def test_trials_are_written_to_the_default_writer(tmp_path: Path) -> None:
    with create_file_writer(tmp_path).as_default() as writer:
        assert hp.hparams_config([hp.HParam("lr", hp.RealInterval(0.0, 1.0))], [hp.Metric("loss")]) is True
        assert hp.hparams({"lr": 0.5}) is True
        writer.close()
    run = stepscope.open(tmp_path).runs["."]
    assert run.name == "."
    (path,) = tmp_path.glob("*tfevents*")
    content = path.read_bytes()
    assert b"_hparams_/experiment" in content
    assert b"_hparams_/session_start_info" in content


def test_without_a_writer_nothing_is_written_and_that_is_said(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(writers, "_warned", False)
    with caplog.at_level(logging.WARNING):
        assert hp.hparams({"lr": 0.5}) is False
        assert hp.hparams_config([], []) is False
    assert len(caplog.records) == 1
    assert "create_file_writer" in caplog.text


def test_repetitions_have_one_group() -> None:
    from stepscope.hparams.trials import trial_start

    first = trial_start({"b": 1, "a": "x"}, None, 1.0).encoded()
    assert trial_start({"a": "x", hp.HParam("b"): 1}, None, 1.0).encoded() == first
    assert trial_start({"a": "x", "b": 2}, None, 1.0).encoded() != first


@pytest.mark.parametrize("values", [{"a": None}, {"a": [1]}, {"a": b"x"}, {"a": object()}])
def test_values_of_other_types_are_refused(values: dict[str, object]) -> None:
    with pytest.raises(TypeError, match="'a' as int, float, str"):
        hp.hparams(values)


def test_a_name_has_one_value() -> None:
    with pytest.raises(ValueError, match="one value"):
        hp.hparams({"a": 1, hp.HParam("a"): 2})


def test_an_unknown_name_is_said() -> None:
    with pytest.raises(AttributeError, match="hparams_pb"):
        _ = hp.hparams_pb  # type: ignore[attr-defined]


def test_no_framework_is_loaded() -> None:
    code = "import sys, stepscope.hparams; print([name for name in ('numpy', 'keras', 'tensorflow') if name in sys.modules])"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert result.stdout.strip() == "[]"
