"""Uploads are bounded: those that are given up make room for others, and the oldest opened ones go."""

from __future__ import annotations

import pytest

from stepscope.embeddings import uploads
from stepscope.embeddings.uploads import Uploads
from stepscope.model.embedding import Bounds
from stepscope.model.errors import BadInput, NotThere, TooMuch


def test_parts_make_a_file(monkeypatch: pytest.MonkeyPatch) -> None:
    taken = Uploads(Bounds())
    name = taken.take("", b"1\t2\n3", False, b"")
    assert taken.take(name, b"\t4\n", True, b"a\nb\n") == name
    opened = taken.find(name)
    assert (opened.vectors.values.tolist(), opened.columns[0].classes) == ([[1, 2], [3, 4]], ("a", "b"))
    assert taken.find(taken.take("", b"1\t2\n3\t4\n", True, b"")).key != opened.key


def test_only_the_last_ones_are_kept() -> None:
    taken = Uploads(Bounds())
    names = [taken.take("", b"1\t2\n", True, b"") for _ in range(uploads.KEPT + 1)]
    with pytest.raises(NotThere):
        taken.find(names[0])
    assert taken.find(names[1]).vectors.total == 1
    begun = [taken.take("", b"1", False, b"") for _ in range(uploads.KEPT + 1)]
    with pytest.raises(NotThere):
        taken.take(begun[0], b"", True, b"")


def test_too_much_is_refused_and_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(uploads, "MOST_BYTES", 10)
    taken = Uploads(Bounds())
    name = taken.take("", b"123456", False, b"")
    with pytest.raises(TooMuch):
        taken.take(name, b"123456", False, b"")
    with pytest.raises(NotThere):
        taken.take(name, b"", True, b"")
    with pytest.raises(BadInput):
        taken.take("", b"x", True, b"")
