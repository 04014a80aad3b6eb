"""Tags are below the name scopes of TensorFlow where it is loaded, and plain names where it is not."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from stepscope import summary
from stepscope.summary import scopes
from stepscope.summary.scopes import summary_scope, tag_of


@pytest.fixture
def tensorflow(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """A stand-in for TensorFlow with its name scopes and nothing else."""
    module: Any = ModuleType("tensorflow")
    stack: list[str] = []

    @contextmanager
    def name_scope(name: str) -> Generator[str]:
        stack.append(name)
        yield "/".join(stack) + "/"
        stack.pop()

    module.name_scope = name_scope
    module.get_current_name_scope = lambda: "/".join(stack)
    module.executing_eagerly = lambda: True
    monkeypatch.setitem(scopes.modules, "tensorflow", module)
    monkeypatch.setattr(scopes, "_current_scope", None)
    yield module
    monkeypatch.undo()


def test_without_tensorflow_a_tag_is_the_name(tmp_path: Path, read: Any) -> None:
    assert (tag_of("loss", "scalar_summary"), tag_of("", "scalar_summary")) == ("loss", "scalar_summary")
    with summary_scope("name") as (tag, scope):
        assert (tag, scope) == ("name", "name")
    with summary.create_file_writer(tmp_path).as_default(step=1) as writer:
        assert summary.scalar("", 1.0) is True
        writer.close()
    assert list(read(tmp_path)) == ["scalar_summary"]


def test_a_tag_stands_below_its_scopes(tensorflow: Any) -> None:
    assert tag_of("loss", "") == "loss"
    with tensorflow.name_scope("model"), tensorflow.name_scope("head"):
        assert tag_of("loss", "") == "model/head/loss"
    assert tag_of("loss", "") == "loss"


def test_the_tag_of_a_scope_keeps_what_a_scope_may_not_hold(tensorflow: Any) -> None:
    with tensorflow.name_scope("model"), summary_scope("my loss (mean)") as (tag, scope):
        assert (tag, scope) == ("model/my loss (mean)", "model/mylossmean/")
        assert tag_of("inner", "") == "model/mylossmean/inner"
    with summary_scope("???") as (tag, scope):
        assert (tag, scope) == ("???", "summary/")


def test_while_tensorflow_is_loading_it_has_no_scopes(tensorflow: Any) -> None:
    del tensorflow.get_current_name_scope
    assert tag_of("loss", "") == "loss"


@pytest.mark.parametrize("name", [3, b"loss", ["loss"]])
def test_a_name_is_a_text(name: object) -> None:
    with pytest.raises(TypeError):
        tag_of(name, "default")
