"""Code that a framework traces is noticed among what is loaded, and values find their way back from its callbacks."""

from __future__ import annotations

import logging
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np
import pytest

from stepscope.writer import compiled
from stepscope.writer.compiled import Inputs, compiler, keep_from_torch, on_arrival, plain
from stepscope.writer.in_jax import InJax
from stepscope.writer.in_tensorflow import InTensorFlow


@pytest.fixture(autouse=True)
def _nothing_looked_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compiled, "_tensorflow_runs", None)
    monkeypatch.setattr(compiled, "_jax_runs", None)


def loaded(monkeypatch: pytest.MonkeyPatch, name: str, **content: Any) -> None:
    module: Any = ModuleType(name)
    module.__dict__.update(content)
    monkeypatch.setitem(compiled.modules, name, module)


@pytest.mark.parametrize(("eager", "kind"), [(True, type(None)), (False, InTensorFlow)])
def test_tensorflow_traces_when_it_does_not_run_eagerly(monkeypatch: pytest.MonkeyPatch, eager: bool, kind: type) -> None:
    loaded(monkeypatch, "tensorflow", executing_eagerly=lambda: eager)
    assert isinstance(compiler(), kind)


@pytest.mark.parametrize(("clean", "kind"), [(True, type(None)), (False, InJax)])
def test_jax_traces_when_its_state_says_so(monkeypatch: pytest.MonkeyPatch, clean: bool, kind: type) -> None:
    loaded(monkeypatch, "jax")
    loaded(monkeypatch, "jax._src.core", trace_state_clean=lambda: clean)
    assert isinstance(compiler(), kind)


def test_a_framework_that_is_still_loading_traces_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    loaded(monkeypatch, "tensorflow")
    loaded(monkeypatch, "jax")
    assert compiler() is None


def test_constants_are_known_and_the_rest_is_handed_over() -> None:
    inputs = Inputs(lambda value: isinstance(value, np.ndarray), lambda value: f"tensor of {value}")
    array = np.zeros(2)
    takers = [inputs.take(value) for value in (3, ["a", 1.5], array, SimpleNamespace(), {"x": object(), "y": True})]
    array[:] = 9
    assert len(inputs.handed_over) == 2
    arrived: list[object] = ["first", "second"]
    number, texts, copied, single, mapped = (taker(arrived) for taker in takers)
    assert (number, texts, single, mapped) == (3, ["a", 1.5], "first", {"x": "second", "y": True})
    assert isinstance(copied, np.ndarray)
    assert copied.tolist() == [0, 0], "as it was at the call"


def test_what_goes_wrong_in_a_callback_does_not_end_the_step(caplog: pytest.LogCaptureFixture) -> None:
    got: list[object] = []
    assert on_arrival(lambda *values: got.extend(values), [lambda arrived: arrived[1], lambda _: 5])("a", "b") is True
    assert got == ["b", 5]

    def fails() -> None:
        raise ValueError("no disk")

    with caplog.at_level(logging.WARNING):
        assert on_arrival(fails, [])() is False
    assert "no disk" in caplog.text


def test_plain_functions_are_kept_from_torch_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compiled, "_plain_codes", [])

    @plain
    def logs() -> int:
        return 4

    kept: list[tuple[Any, Any]] = []
    frames = SimpleNamespace(
        set_code_exec_strategy=lambda code, strategy: kept.append((code, strategy)),
        _FrameExecStrategy=lambda *actions: actions,
        _FrameAction=SimpleNamespace(SKIP="skip"),
    )
    loaded(monkeypatch, "torch._C", _dynamo=SimpleNamespace(eval_frame=frames))
    keep_from_torch()
    keep_from_torch()
    assert kept == [(logs.__code__, ("skip", "skip"))]
    assert logs() == 4


def test_another_version_of_torch_is_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compiled, "_plain_codes", [test_another_version_of_torch_is_left_alone.__code__])
    loaded(monkeypatch, "torch._C", _dynamo=SimpleNamespace(eval_frame=SimpleNamespace()))
    keep_from_torch()
    assert len(compiled._plain_codes) == 1
