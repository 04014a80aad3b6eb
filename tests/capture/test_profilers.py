"""Choosing a profiler, step_recording, taking out what one has exported, and the one capture that may record at a time."""

from __future__ import annotations

import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace

import pytest

from stepscope.capture import running
from stepscope.capture.profilers.choice import checked_framework, framework_in_use, make_profiler
from stepscope.capture.profilers.exported import xspaces_below
from stepscope.capture.profilers.profiler import Options


@pytest.mark.parametrize(
    ("loaded", "expected"),
    [
        ((), "python"),
        (("tensorflow",), "tensorflow"),
        (("tensorflow", "jax"), "jax"),
        (("tensorflow", "jax", "torch"), "torch"),
    ],
)
def test_the_framework_that_is_loaded(loaded: tuple[str, ...], expected: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("keras", "torch", "jax", "tensorflow"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    for name in loaded:
        monkeypatch.setitem(sys.modules, name, ModuleType(name))
    assert framework_in_use() == expected


def test_the_backend_of_keras_comes_first(monkeypatch: pytest.MonkeyPatch) -> None:
    keras = SimpleNamespace(backend=SimpleNamespace(backend=lambda: "jax"))
    monkeypatch.setitem(sys.modules, "keras", keras)
    monkeypatch.setitem(sys.modules, "torch", ModuleType("torch"))
    assert framework_in_use() == "jax"


def test_frameworks_by_name() -> None:
    assert checked_framework(None) is None
    assert checked_framework("torch") == "torch"
    with pytest.raises(ValueError, match="framework"):
        checked_framework("mxnet")


def test_an_export_is_emptied_and_removed(tmp_path: Path) -> None:
    session = tmp_path / "export" / "plugins" / "profile" / "2026"
    session.mkdir(parents=True)
    (session / "host.xplane.pb").write_bytes(b"space")
    (session / "host.trace.json.gz").write_bytes(b"copy")
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    (found,) = xspaces_below(str(tmp_path / "export"), str(scratch))
    assert (Path(found.path).read_bytes(), found.ending, found.notable) == (b"space", ".xplane.pb", True)
    assert not (tmp_path / "export").exists()


def test_the_process_is_claimed_once() -> None:
    first, second = (make_profiler("python", Options()) for _ in range(2))
    running.claim(first, "first")
    try:
        assert running.is_recording()
        with pytest.raises(RuntimeError, match="first"):
            running.claim(second, "second")
        running.release(second)
        assert running.is_recording(), "it was not second's to release"
    finally:
        running.release(first)
    assert not running.is_recording()
