"""A bounded memory of things that are costly to make: least recently used go first, and each is made once."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from concurrent.futures import Future
from typing import Generic, TypeVar

Value = TypeVar("Value")


class Kept(Generic[Value]):
    """Keeps values up to a total weight. Safe from any thread; a value asked for by two threads is made by one of them."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._lock = threading.Lock()
        self._weight = 0
        self._values: OrderedDict[Hashable, tuple[Value, int]] = OrderedDict()
        self._making: dict[Hashable, Future[Value]] = {}

    @property
    def weight(self) -> int:
        """The sum of the weights kept now."""
        return self._weight

    def look(self, key: Hashable) -> Value | None:
        """The value of key if it is kept."""
        with self._lock:
            found = self._values.get(key)
            if found is None:
                return None
            self._values.move_to_end(key)
            return found[0]

    def get(self, key: Hashable, make: Callable[[], tuple[Value, int]]) -> Value:
        """The value of key; `make` gives it and its weight when it is not kept."""
        with self._lock:
            found = self._values.get(key)
            if found is not None:
                self._values.move_to_end(key)
                return found[0]
            mine: Future[Value] = Future()
            pending = self._making.setdefault(key, mine)
        if pending is not mine:
            return pending.result()
        try:
            value, weight = make()
        except BaseException as problem:
            with self._lock:
                del self._making[key]
            mine.set_exception(problem)
            raise
        with self._lock:
            del self._making[key]
            self._values[key] = (value, weight)
            self._weight += weight
            while self._weight > self._limit and self._values:
                _, (_, dropped) = self._values.popitem(last=False)
                self._weight -= dropped
        mine.set_result(value)
        return value
