"""What is costly is made once, kept within bounds, and dropped in order of last use."""

from __future__ import annotations

import threading

import pytest

from stepscope.store.kept import Kept


def test_the_least_recently_used_goes_first() -> None:
    kept: Kept[str] = Kept(2)
    made: list[str] = []

    def get(key: str) -> str:
        def make() -> tuple[str, int]:
            made.append(key)
            return key.upper(), 1

        return kept.get(key, make)

    assert [get(key) for key in "abacab"] == ["A", "B", "A", "C", "A", "B"]
    assert made == ["a", "b", "c", "b"]
    assert kept.weight == 2


def test_looking_makes_nothing_and_counts_as_use() -> None:
    kept: Kept[str] = Kept(2)
    assert kept.look("a") is None
    for key in "ab":
        kept.get(key, lambda key=key: (key.upper(), 1))
    assert kept.look("a") == "A"
    kept.get("c", lambda: ("C", 1))
    assert (kept.look("a"), kept.look("b")) == ("A", None)


def test_what_is_too_heavy_is_answered_but_not_kept() -> None:
    kept: Kept[str] = Kept(10)
    assert kept.get("big", lambda: ("x", 11)) == "x"
    assert kept.weight == 0


def test_two_threads_make_it_once() -> None:
    kept: Kept[int] = Kept(10)
    entered, go = threading.Event(), threading.Event()
    made: list[int] = []

    def make() -> tuple[int, int]:
        entered.set()
        go.wait(60)
        made.append(1)
        return 7, 1

    results: list[int] = []
    threads = [threading.Thread(target=lambda: results.append(kept.get("k", make))) for _ in range(2)]
    threads[0].start()
    entered.wait(60)
    threads[1].start()
    go.set()
    for thread in threads:
        thread.join(60)
    assert (results, made) == ([7, 7], [1])


def test_a_failure_is_not_kept() -> None:
    kept: Kept[int] = Kept(10)

    def fail() -> tuple[int, int]:
        raise ValueError

    with pytest.raises(ValueError):  # noqa: PT011
        kept.get("k", fail)
    assert kept.get("k", lambda: (1, 1)) == 1
